// `npm run check`: format and lint, types, architecture. Prints what failed and ends with its status.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const checks = [
  ["format and lint", "biome", ["check", "--error-on-warnings"]],
  ["types", "tsc", ["--noEmit", "-p", "."]],
  ["architecture", "vitest", ["run", "tests/architecture.test.ts", "--reporter=dot"]],
]

let failed = 0
for (const [name, command, args] of checks) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" })
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${name}`)
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
