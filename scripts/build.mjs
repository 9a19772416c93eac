// Bundles the package: few files and lazy chunks, so that the command line starts quickly.
import { rename, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const folder = fileURLToPath(new URL("../packages/toolyard/", import.meta.url))

// Built aside and put in place at once: whoever runs the old build meanwhile is not disturbed.
const made = `dist-new-${process.pid}`
const old = `${folder}dist-old-${process.pid}`
await build({
  absWorkingDir: folder,
  entryPoints: {
    main: "src/app/main.ts",
    // Started as a process and as a thread of their own.
    sandbox: "src/sandbox/child/main.ts",
    checker: "src/sandbox/typescript/check-worker.ts",
  },
  // They bring native code, or files that they look for beside themselves.
  external: ["oxc-parser", "oxc-transform", "typescript", "quickjs-wasi/*"],
  outdir: made,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // jsonc-parser's CommonJS form cannot be bundled.
  mainFields: ["module", "main"],
  sourcemap: "linked",
  minifySyntax: true,
  legalComments: "none",
  // CommonJS dependencies call `require`, which ES modules don't have.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module";const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
})

await rename(`${folder}dist`, old).catch(() => {})
await rename(`${folder}${made}`, `${folder}dist`)
await rm(old, { recursive: true, force: true })
