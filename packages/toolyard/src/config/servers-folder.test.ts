import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { YardConfig } from "../model/config.ts"
import { loadConfig } from "./load.ts"

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "folder-"))
  mkdirSync(join(root, "servers"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (file: string, text = "", mode = 0o644): void => {
  writeFileSync(join(root, file), text)
  chmodSync(join(root, file), mode)
}
const load = async (content?: object): Promise<YardConfig> => {
  if (content) put("toolyard.json", JSON.stringify(content))
  return loadConfig({ cwd: root, home: root, env: {} })
}
const types = ({ servers }: YardConfig): Record<string, string> =>
  Object.fromEntries(servers.map(({ name, entry }) => [name, entry.type]))

describe("the folder servers", () => {
  it("V10 makes a server of each module, Python file and executable, named after the file", async () => {
    for (const file of ["b.ts", "a.mjs", "c.jsx", "d.cts", "e.py"]) put(`servers/${file}`)
    put("servers/backup.sh", "#!/bin/sh\n# Backs a folder up.\n#\n# Twice.\necho hi\n", 0o755)
    const config = await load({})
    expect(types(config)).toEqual({
      a: "module",
      b: "module",
      backup: "command",
      c: "module",
      d: "module",
      e: "python",
    })
    expect(config.problems).toEqual([])
    const { description, entry } = config.servers.find(({ name }) => name === "backup") ?? {}
    expect(description).toBe("Backs a folder up.\n\nTwice.")
    expect(entry).toMatchObject({ command: join(root, "servers/backup.sh"), cwd: root })
  })

  it("V10 leaves out what is no server", async () => {
    for (const file of ["_private.ts", ".hidden.py", "types.d.ts", "a.test.ts", "__init__.py", "notes.md", "data.json"])
      put(`servers/${file}`)
    put("servers/not-executable.sh", "#!/bin/sh\n")
    mkdirSync(join(root, "servers/folder.ts"))
    symlinkSync(join(root, "nowhere"), join(root, "servers/gone.ts"))
    const config = await load({})
    expect(types(config)).toEqual({})
    expect(config.problems).toEqual([])
  })

  it("V10 is overridden by an entry of the same name, changed by one that says no more, and turned off", async () => {
    for (const file of ["math.ts", "stats.py", "quiet.ts"]) put(`servers/${file}`)
    const config = await load({
      mcpServers: { math: { command: "other" }, stats: { description: "Numbers" }, quiet: { enabled: false } },
    })
    expect(types(config)).toEqual({ math: "stdio", stats: "python", quiet: "module" })
    expect(config.servers.map(({ enabled, description }) => [enabled, description])).toEqual([
      [true, undefined],
      [true, "Numbers"],
      [false, undefined],
    ])
    expect(config.problems).toEqual([])
  })

  it("says which file is not served because of its name", async () => {
    for (const file of ["a.py", "a.ts", "admin.ts", "x..y.ts"]) put(`servers/${file}`)
    const config = await load({})
    expect(types(config)).toEqual({ a: "python" })
    expect(config.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("a.ts is not served"),
      expect.stringContaining("admin.ts is not served"),
      expect.stringContaining("x..y.ts is not served"),
    ])
  })

  it("C2 counts only in a project of toolyard's: nothing runs because of a folder's name alone", async () => {
    put("servers/a.ts")
    expect(types(await load())).toEqual({})
    put(".mcp.json", "{}")
    expect(types(await load())).toEqual({})
    put("toolyard.json", "{}")
    expect(types(await load())).toEqual({ a: "module" })
  })
})
