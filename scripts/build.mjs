// Bundles the package: few files and lazy chunks, so that the command line starts quickly.
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const folder = fileURLToPath(new URL("../packages/toolyard/", import.meta.url))

await rm(`${folder}dist`, { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: { main: "src/app/main.ts" },
  outdir: "dist",
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
  banner: { js: 'import { createRequire as __createRequire } from "node:module";const require = __createRequire(import.meta.url);' },
  logLevel: "warning",
})
