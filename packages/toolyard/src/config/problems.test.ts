import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { YardConfig } from "../model/config.ts"
import { loadConfig } from "./load.ts"

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "config-"))
  file = join(folder, "toolyard.json")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const load = (content: string | Uint8Array, env: NodeJS.ProcessEnv = {}): Promise<YardConfig> => {
  writeFileSync(file, content)
  return loadConfig({ file, env })
}
const loadEntry = (entry: unknown, env?: NodeJS.ProcessEnv) =>
  load(JSON.stringify({ mcpServers: { s: entry, other: { command: "x" } } }), env)

describe("the file", () => {
  it("may have comments, trailing commas and a byte order mark", async () => {
    const text = '\uFEFF// my servers\n{ "mcpServers": { /* one */ "a": { "command": "x", }, }, }'
    expect(await load(text)).toMatchObject({ servers: [{ name: "a", enabled: true }], problems: [] })
  })

  it("may be UTF-16 as PowerShell writes it", async () => {
    expect((await load(Buffer.from('\uFEFF{"mcpServers":{"a":{"command":"x"}}}', "utf16le"))).servers).toHaveLength(1)
  })

  it.each([
    ["a missing comma", '{\n  "surface": "auto"\n  "llm": "x" }', 3, 3, "a comma is missing before this"],
    ["a missing brace", '{\r\n"surface": "auto"', 2, 18, "an object is not closed"],
    ["single quotes", "{ 'a': 1 }", 1, 3, "this is not JSON"],
    ["nothing", "", 1, 1, "the file is empty"],
    ["a comment alone", "// todo", 1, 1, "the file is empty"],
    ["a bare word", " yes", 1, 2, "this is not JSON"],
    ["two values", "{} {}", 1, 4, "there is more after the end of the object"],
    ["an array", "[]", 1, 1, "the file must hold an object, not an array"],
  ])(
    "V2 with %s gives line and column, and nothing else of the file counts",
    async (_, text, line, column, message) => {
      const config = await load(text)
      expect(config.problems[0]).toMatchObject({ severity: "error", file, line, column, message })
      expect(config.problems[0]?.fix).toBeTruthy()
      expect(config).toMatchObject({ files: [], servers: [] })
    },
  )

  it("that is not UTF-8 is refused rather than misread", async () => {
    expect((await load(Buffer.from([0x7b, 0xe9, 0x7d]))).problems[0]?.message).toBe("the file is not UTF-8 text")
  })

  it("gets a suggestion for an unknown key", async () => {
    const { problems } = await load('{\n  "servers": {},\n  "polcy": {},\n  "zzz": 1\n}')
    expect(problems).toMatchObject([
      { severity: "warning", line: 2, column: 3, key: "servers", fix: 'Did you mean "mcpServers"?' },
      { severity: "warning", line: 3, column: 3, key: "polcy", fix: 'Did you mean "policy"?' },
      { severity: "warning", line: 4, key: "zzz", fix: expect.stringContaining("Known here: $schema, mcpServers") },
    ])
  })

  it("is told of wrong sections without losing the right ones", async () => {
    const config = await load('{ "surface": "cod", "sandbox": { "memoryMb": "64" }, "mcpServers": [], "llm": 1 }')
    expect(config.surface).toBe("auto")
    expect(config.problems.map(({ key, message }) => [key, message])).toEqual([
      ["mcpServers", "`mcpServers` must be an object, not an array"],
      ["surface", '`surface` must be one of "auto", "code", "direct"'],
      ["sandbox.memoryMb", "`memoryMb` must be a number, not a string"],
      ["llm", "`llm` must be a string, not a number"],
    ])
    expect(config.problems[1]?.fix).toBe('Did you mean "code"?')
  })

  it("is told of keys that stand twice, at the one that counts", async () => {
    const config = await load('{ "mcpServers": {\n"a": { "command": "x" },\n"a": { "command": "y" } } }')
    expect(config.servers).toMatchObject([{ entry: { command: "y" } }])
    expect(config.problems).toMatchObject([{ severity: "warning", line: 3, key: "mcpServers.a" }])
  })
})

describe("a malformed entry", () => {
  it("V2 is named by file, line, key and fix; it is disabled and the others start", async () => {
    const text =
      '{ "mcpServers": {\n  "bad": {\n    "comand": "x",\n    "args": "y" },\n  "good": { "command": "x" } } }'
    const config = await load(text)
    expect(config.servers).toMatchObject([
      { name: "bad", enabled: false, disabledReason: expect.stringContaining("no `command`, no `url`") },
      { name: "good", enabled: true },
    ])
    expect(config.problems).toMatchObject([{ severity: "error", file, line: 2, key: "mcpServers.bad" }])
  })

  it.each([
    [{ command: 1 }, "command", "`command` must be a string, not a number"],
    [{ command: "" }, "command", "`command` must not be empty"],
    [{ type: "stdio" }, "command", "`command` is missing"],
    [{ type: "http", headers: {} }, "url", "`url` is missing"],
    [{ command: "x", args: "a" }, "args", "`args` must be an array, not a string"],
    [{ command: "x", args: ["a", null] }, "args[1]", "`1` must be a string, not null"],
    [{ command: "x", env: { PORT: 80 } }, "env.PORT", "`PORT` must be a string, not a number"],
    [{ command: "x", readOnly: "yes" }, "readOnly", '`readOnly` must be true, false or "strict"'],
    [{ command: "x", timeoutMs: 0 }, "timeoutMs", "`timeoutMs` must be 1 or more"],
    [{ command: "x", timeoutMs: 3e9 }, "timeoutMs", "`timeoutMs` must be 2147483647 or less"],
    [{ command: "x", concurrency: 1.5 }, "concurrency", "`concurrency` must be a whole number"],
    [{ command: "x", enabled: "no" }, "enabled", "`enabled` must be true or false, not a string"],
    [{ type: "sdtio", command: "x" }, "type", "`type` is not a type of server that toolyard knows"],
    [{ type: 7 }, "type", "`type` must be a string, not a number"],
    [{ url: "example.org/mcp" }, "url", "`url` must be an http:// or https:// URL"],
    [{ url: "file:///etc/passwd" }, "url", "`url` must be an http:// or https:// URL"],
    [{ url: "http://x", headers: { "a b": "1" } }, 'headers["a b"]', "a header's name is not valid"],
    [{ url: "http://x", headers: { a: "1\r\nb: 2" } }, "headers.a", expect.stringContaining("does not allow")],
    [{ command: "x\0y" }, "command", "`command` has a NUL character in it"],
    [{ command: "x", env: { "A=B": "1" } }, 'env["A=B"]', expect.stringContaining("environment variable")],
  ])("%j is an error at %s", async (entry, key, message) => {
    const config = await loadEntry(entry)
    expect(config.problems).toMatchObject([{ severity: "error", key: `mcpServers.s.${key}`, message }])
    expect(config.problems[0]?.fix).toBeTruthy()
    expect(config.servers).toMatchObject([
      { name: "s", enabled: false },
      { name: "other", enabled: true },
    ])
    expect(config.servers[0]?.disabledReason).toBeTruthy()
  })

  it.each([[null], [[]], ["npx x"], [true]])("%j is not an entry at all", async entry => {
    const config = await loadEntry(entry)
    expect(config.problems[0]?.message).toMatch(/^the entry must be an object, not /)
    expect(config.servers).toMatchObject([{ enabled: false }, { enabled: true }])
  })

  it("keeps running with a warning when a key is only unknown, at any depth", async () => {
    const config = await loadEntry({ command: "x", timoutMs: 5, transforms: { tool: "./t.ts" } })
    expect(config.servers[0]).toMatchObject({ enabled: true, timeoutMs: 60000 })
    expect(config.problems).toMatchObject([
      { severity: "warning", key: "mcpServers.s.transforms.tool", fix: 'Did you mean "tools"?' },
      { severity: "warning", key: "mcpServers.s.timoutMs", fix: 'Did you mean "timeoutMs"?' },
    ])
  })
})

describe("a server's name", () => {
  it.each([
    "all",
    "code",
    "admin",
    "meta",
    "",
    " ",
    "a/b",
    "..",
    "a..b",
    ".",
    "a\u0000",
    "a\u001b[2J",
    "a?b",
    "a\ud800",
  ])("%j can't be used: an error, and the server is disabled", async name => {
    const config = await load(JSON.stringify({ mcpServers: { [name]: { command: "x" }, ok: { command: "x" } } }))
    expect(config.servers).toMatchObject([
      { name, enabled: false },
      { name: "ok", enabled: true },
    ])
    expect(config.problems).toMatchObject([{ severity: "error", line: 1, fix: "Choose another name." }])
    expect(JSON.stringify(config.problems)).not.toContain("\u001b")
  })

  it.each(["github", "My Server", "büro", "a.b", "@scope", "constructor", "toString"])("%j can be used", async name => {
    const config = await load(JSON.stringify({ mcpServers: { [name]: { command: "x" } } }))
    expect(config).toMatchObject({ servers: [{ name, enabled: true }], problems: [] })
  })

  it("is warned about when another is the same in tool ids", async () => {
    const config = await load('{ "mcpServers": { "a.b": { "command": "x" },\n "a b": { "command": "x" } } }')
    expect(config.servers.map(each => each.enabled)).toEqual([true, true])
    const message = '"a b" and "a.b" are the same name in tool ids'
    expect(config.problems).toMatchObject([{ severity: "warning", line: 2, key: 'mcpServers["a b"]', message }])
  })
})

describe("policy", () => {
  const policyOf = async (policy: unknown) => {
    const config = await load(JSON.stringify({ policy }))
    return { ...config.policy, keys: config.problems.map(({ severity, key }) => `${severity} ${key}`) }
  }

  it("denies what an unreadable rule may have been about, and leaves out an unreadable allowance", async () => {
    const rules = [
      { match: "a__*", do: "dney" },
      { mach: "b__*", do: "ask" },
      { mach: "c__*", do: "allow" },
      { match: "${UNSET}", do: "deny" },
    ]
    expect(await policyOf({ rules: rules.slice(0, 1) })).toMatchObject({ rules: [{ match: ["a__*"], do: "deny" }] })
    expect(await policyOf({ rules: rules.slice(1, 2) })).toMatchObject({ rules: [{ do: "deny" }] })
    expect(await policyOf({ rules: rules.slice(2, 3) })).toMatchObject({ rules: [] })
    expect(await policyOf({ rules: rules.slice(3) })).toMatchObject({ rules: [{ do: "deny" }] })
    expect((await policyOf({ rules })).keys).toEqual([
      "warning policy.rules[3].match",
      "error policy.rules[0].do",
      "error policy.rules[1].mach",
      "error policy.rules[2].mach",
    ])
  })

  it.each([["deny"], [null], [{ rules: {} }]])("that can't be read (%j) denies everything", async policy => {
    expect(await policyOf(policy)).toMatchObject({ rules: [{ do: "deny" }] })
  })

  it("with an unreadable default denies by default", async () => {
    expect(await policyOf({ default: "maybe" })).toMatchObject({ default: "deny", keys: ["error policy.default"] })
  })

  it.each([[0], ["soon"], [1e12]])("with a time to decide of %j keeps to the usual one", async askTimeoutMs => {
    expect(await policyOf({ askTimeoutMs })).toMatchObject({
      askTimeoutMs: 600_000,
      keys: ["error policy.askTimeoutMs"],
    })
  })
})

it("never prints the value of a variable", async () => {
  const env = { SECRET: "hunter2\n", NAME: "hunter2" }
  const entries = [
    { type: "${NAME}", command: "x" },
    { url: "${SECRET}" },
    { url: "http://x", headers: { Authorization: "${SECRET}x" } },
    { command: "x", isolation: "${NAME}" },
    { command: "x", readOnly: "${NAME}" },
    { type: "module", file: "x", args: "${NAME}" },
  ]
  for (const entry of entries) {
    const { problems, servers } = await loadEntry(entry, env)
    expect(problems).not.toEqual([])
    expect(JSON.stringify([problems, servers.map(each => each.disabledReason)])).not.toContain("hunter2")
  }
})
