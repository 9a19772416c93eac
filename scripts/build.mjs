// Bundles the package: few files and lazy chunks, so that the command line starts quickly.
import { copyFile, cp, rename, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { writeTypes } from "./types.mjs"

const folder = fileURLToPath(new URL("../packages/toolyard/", import.meta.url))

// Built aside and put in place at once: whoever runs the old build meanwhile is not disturbed.
const made = `dist-new-${process.pid}`
const old = `${folder}dist-old-${process.pid}`
await build({
  absWorkingDir: folder,
  entryPoints: {
    main: "src/app/main.ts",
    library: "src/app/library.ts",
    // Started as a process and as a thread of their own.
    sandbox: "src/sandbox/child/main.ts",
    checker: "src/sandbox/typescript/check-worker.ts",
    "module-host": "src/sources/module/host/main.ts",
    describer: "src/sources/described/worker.ts",
    "html-reader": "src/sources/prompt/documents/html-worker.ts",
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

// What browsers are given as it is.
for (const asset of ["page.css", "page.js"])
  await copyFile(`${folder}src/surfaces/http/pages/${asset}`, `${folder}${made}/${asset}`)

// What Python is given as it is.
await cp(`${folder}src/sources/python/toolyard_host`, `${folder}${made}/toolyard_host`, {
  recursive: true,
  filter: path => !path.includes("__pycache__"),
})

// What ejected servers are given as it is.
await cp(`${folder}src/app/eject/template`, `${folder}${made}/eject-template`, { recursive: true })

await writeTypes(folder, `${folder}${made}/types`)

await rename(`${folder}dist`, old).catch(() => {})
await rename(`${folder}${made}`, `${folder}dist`)
await rm(old, { recursive: true, force: true })
