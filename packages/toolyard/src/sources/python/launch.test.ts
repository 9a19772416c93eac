import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { pythonCommand } from "./launch.ts"

describe.skipIf(process.platform === "win32")("the command for a Python file (names differ on Windows)", () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })
  const folderWith = (...names: string[]): string => {
    const folder = mkdtempSync(join(tmpdir(), "toolyard-path-"))
    folders.push(folder)
    for (const name of names) writeFileSync(join(folder, name), "", { mode: 0o755 })
    return folder
  }

  it("uses the Python that is asked for", () => {
    expect(pythonCommand("a.py", "/opt/python")).toMatchObject({ command: "/opt/python" })
  })

  it("prefers python3, takes python where there is no other, and names python3 where there is none", () => {
    const [both, old, none] = [folderWith("python", "python3"), folderWith("python"), folderWith()]
    expect(pythonCommand("a.py", undefined, both).command).toBe("python3")
    expect(pythonCommand("a.py", undefined, `${none}:${old}`).command).toBe("python")
    expect(pythonCommand("a.py", undefined, none).command).toBe("python3")
  })

  it("starts a host that is there, with the file as its last word", () => {
    const { args } = pythonCommand("/some/a.py")
    expect(args.at(-1)).toBe("/some/a.py")
    expect(existsSync(join(args.at(-2) as string, "__main__.py"))).toBe(true)
  })
})
