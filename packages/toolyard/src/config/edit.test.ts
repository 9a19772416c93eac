import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parseDocument } from "./document.ts"
import { removeServer, setServer } from "./edit.ts"
import { removeAt, setAt } from "./jsonc-edit.ts"
import { loadConfig } from "./load.ts"

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "edit-"))
  file = join(folder, "toolyard.json")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (): string => readFileSync(file, "utf8")

const COMMENTED = `{
  // the servers of this project
  "mcpServers": {
    // about a
    "a": { "command": "x", /* why */ "args": [ "1" ] }, // a's own
    // about b
    "b": {
      "command": "y" // b's own
    } // the last
  },

  "surface":   "code"
}
`

describe("setServer", () => {
  it("makes the file, and its folder, when there is none", async () => {
    file = join(folder, "new", "toolyard.json")
    await setServer(file, "a", { command: "x" })
    expect(JSON.parse(read())).toEqual({
      $schema: expect.stringMatching(/toolyard\.schema\.json$/),
      mcpServers: { a: { command: "x" } },
    })
    expect(await loadConfig({ file, env: {} })).toMatchObject({ servers: [{ name: "a" }], problems: [] })
  })

  it("adds an entry without moving a comment", async () => {
    writeFileSync(file, COMMENTED)
    await setServer(file, "c", { url: "http://127.0.0.1/" })
    const added = '    }, // the last\n    "c": {\n      "url": "http://127.0.0.1/"\n    }\n  },'
    expect(read()).toBe(COMMENTED.replace("    } // the last\n  },", added))
  })

  it("changes only what differs in an entry that is there", async () => {
    writeFileSync(file, COMMENTED)
    await setServer(file, "a", { command: "z", args: ["1"] })
    expect(read()).toBe(COMMENTED.replace('"command": "x"', '"command": "z"'))
    await setServer(file, "a", { command: "z", args: ["1"] })
    expect(read()).toBe(COMMENTED.replace('"command": "x"', '"command": "z"'))
  })

  it("keeps tabs, CRLF line ends, trailing commas and the byte order mark", async () => {
    writeFileSync(file, '\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "x" }, // note\r\n\t},\r\n}\r\n')
    await setServer(file, "b", { command: "y" })
    expect(read()).toBe(
      '\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "x" }, // note\r\n' +
        '\t\t"b": {\r\n\t\t\t"command": "y"\r\n\t\t},\r\n\t},\r\n}\r\n',
    )
  })

  it("adds mcpServers to a file that has none", async () => {
    writeFileSync(file, '{ "surface": "code" }')
    await setServer(file, "a", { command: "x" })
    expect(JSON.parse(read())).toEqual({ surface: "code", mcpServers: { a: { command: "x" } } })
  })

  it("leaves one of an entry that stood twice", async () => {
    writeFileSync(file, '{ "mcpServers": { "a": { "command": "1" }, "b": {}, "a": { "command": "2" } } }')
    await setServer(file, "a", { command: "3" })
    expect(read().match(/"a"/g)).toHaveLength(1)
    expect(JSON.parse(read())).toEqual({ mcpServers: { a: { command: "3" }, b: {} } })
  })

  it("keeps the mode of the file, follows a link, and leaves nothing beside it", async () => {
    writeFileSync(join(folder, "target.json"), "{}")
    chmodSync(join(folder, "target.json"), 0o600)
    symlinkSync("target.json", file)
    await setServer(file, "a", { command: "x" })
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(read())).toEqual({ mcpServers: { a: { command: "x" } } })
    expect(readdirSync(folder).sort()).toEqual(["target.json", "toolyard.json"])
  })

  it("loses none of many edits made at once", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
    await Promise.all(names.map(name => setServer(file, name, { command: name })))
    expect(Object.keys(JSON.parse(read()).mcpServers).sort()).toEqual(names.sort())
    expect(readdirSync(folder)).toEqual(["toolyard.json"])
  })

  it("takes over the lock of an edit that died long ago", async () => {
    const lock = join(folder, ".toolyard.json.lock")
    writeFileSync(lock, "")
    utimesSync(lock, new Date(0), new Date(0))
    await setServer(file, "a", { command: "x" })
    expect(readdirSync(folder)).toEqual(["toolyard.json"])
  })

  it.each([
    ["that does not parse", '{ "mcpServers": {\n  "a": }', /toolyard\.json:2:8: a value is missing here/],
    ["that holds no object", "[]", /does not hold an object/],
    ["whose mcpServers is no object", '{ "mcpServers": [] }', /is not an object/],
    ["with two mcpServers", '{ "mcpServers": {}, "mcpServers": {} }', /stands twice/],
    ["of 100,000 brackets", "[".repeat(100_000), /nested more than/],
    ["that is not UTF-8", Buffer.from([0x7b, 0xe9, 0x7d]), /is not UTF-8/],
  ])("refuses a file %s and leaves it as it is", async (_, content, message) => {
    writeFileSync(file, content)
    const before = readFileSync(file)
    const refusal = { name: "YardError", code: "config_invalid", message: expect.stringMatching(message) }
    await expect(setServer(file, "a", { command: "x" })).rejects.toMatchObject(refusal)
    await expect(removeServer(file, "a")).rejects.toMatchObject(refusal)
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(folder)).toEqual(["toolyard.json"])
  })

  it.each(["", "all", "a/b", "__proto__"])("refuses the name %j", async name => {
    await expect(setServer(file, name, { command: "x" })).rejects.toMatchObject({ code: "config_invalid" })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe("removeServer", () => {
  it("takes out the entry and leaves the comments", async () => {
    writeFileSync(file, COMMENTED)
    expect(await removeServer(file, "b")).toBe(true)
    const left = COMMENTED.replace('"args": [ "1" ] },', '"args": [ "1" ] }')
    expect(read()).toBe(
      left.replace('    "b": {\n      "command": "y" // b\'s own\n    } // the last', "     // the last"),
    )
    expect(await removeServer(file, "a")).toBe(true)
    expect((await loadConfig({ file, env: {} })).problems).toEqual([])
    for (const comment of ["this project", "about a", "a's own", "about b", "the last"])
      expect(read()).toContain(comment)
  })

  it("leaves strict JSON strict", async () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { a: {}, b: {}, c: {} } }, null, 2))
    for (const name of ["c", "a", "b"]) {
      await removeServer(file, name)
      expect(Object.keys(JSON.parse(read()).mcpServers)).not.toContain(name)
    }
  })

  it("says when there was no such server, or no file, and makes none", async () => {
    expect(await removeServer(file, "a")).toBe(false)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(file, COMMENTED)
    expect(await removeServer(file, "zzz")).toBe(false)
    expect(read()).toBe(COMMENTED)
  })
})

it("any sequence of edits leaves exactly the entries it should, in a file that parses", () => {
  const name = fc.constantFrom("a", "b", "c", "d")
  const entry = fc.dictionary(fc.constantFrom("command", "x", "y"), fc.jsonValue({ maxDepth: 2 }), {
    noNullPrototype: true,
  })
  const step = fc.oneof(fc.tuple(name, entry), fc.tuple(name))
  const starts = [COMMENTED, "{}", '{"mcpServers":{}}', '{ "mcpServers": { "a": {}, /* x */ "b": 1, // y\n } }']
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.array(step, { maxLength: 8 }), (start, steps) => {
      const expected = new Map(Object.entries((parseDocument(start).value as { mcpServers?: object }).mcpServers ?? {}))
      let text = start
      for (const [key, value] of steps) {
        text = value === undefined ? removeAt(text, ["mcpServers", key]) : setAt(text, ["mcpServers", key], value)
        if (value === undefined) expected.delete(key)
        else expected.set(key, value)
      }
      const { value, errors } = parseDocument(text)
      expect(errors).toEqual([])
      const found = (value as { mcpServers?: object }).mcpServers ?? {}
      expect(found).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(expected))))
    }),
    { numRuns: 300 },
  )
})
