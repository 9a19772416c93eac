/** Modules and Python files keep the contract of every source. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, it } from "vitest"
import { type FileEntry, SERVER_DEFAULTS, type ServerConfig } from "../../model/config.ts"
import { openModule } from "../module/source.ts"
import { openPython } from "../python/source.ts"
import { describeSource } from "../source.contract.ts"
import { startWatchdog } from "../upstream/watchdog.ts"

const watchdog = startWatchdog()
const folder = mkdtempSync(join(tmpdir(), "hosted-"))
mkdirSync(folder, { recursive: true })
afterAll(() => {
  watchdog.close()
  rmSync(folder, { recursive: true, force: true })
})

const configOf = (type: FileEntry["type"], file: string, text: string): ServerConfig => {
  writeFileSync(join(folder, file), text)
  return { ...SERVER_DEFAULTS, name: "own", entry: { type, file: join(folder, file), env: {} }, hash: file }
}

const CALLS = {
  echo: { tool: "echo", args: { text: "hello" }, text: "hello" },
  progress: { tool: "steps", args: {} },
  slow: { tool: "slow", args: {} },
  failing: { tool: "fail", args: {} },
}

describeSource("module", {
  open: () =>
    openModule(
      configOf(
        "module",
        "good.ts",
        `export const echo = (text: string): string => text
export function* steps(): Generator<number> { yield 1; yield 2 }
export const slow = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5000))
export const fail = (): never => { throw new Error("no") }
`,
      ),
      watchdog,
    ),
  openBroken: () => openModule(configOf("module", "bad.ts", 'throw new Error("no licence")'), watchdog),
  ...CALLS,
})

if (spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0) {
  describeSource("python", {
    open: () =>
      openPython(
        configOf(
          "python",
          "good.py",
          `import time
def echo(text: str) -> str: return text
def steps():
    yield 1
    yield 2
def slow():
    time.sleep(5)
def fail(): raise ValueError("no")
`,
        ),
        watchdog,
      ),
    openBroken: () => openPython(configOf("python", "bad.py", 'raise RuntimeError("no licence")'), watchdog),
    ...CALLS,
  })
} else {
  describe("python", () => it.skip("is not tested: there is no Python 3.9 or later", () => {}))
}
