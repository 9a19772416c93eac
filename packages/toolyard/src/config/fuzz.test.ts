import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { YardConfig } from "../model/config.ts"
import { loadConfig } from "./load.ts"
import { ENTRIES } from "./schema.ts"

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "config-"))
  file = join(folder, "toolyard.json")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = (content: string | Uint8Array): Promise<YardConfig> => {
  writeFileSync(file, content)
  return loadConfig({ file, env: { A: "1" } })
}

function expectSound(config: YardConfig): void {
  expect(config.root).toBe(folder)
  expect(["auto", "code", "direct"]).toContain(config.surface)
  expect(["allow", "ask", "deny"]).toContain(config.policy.default)
  for (const { enabled, disabledReason, hash, entry, timeoutMs, rename, tools } of config.servers) {
    expect(hash).toMatch(/^[0-9a-f]{16}$/)
    expect(typeof entry.type).toBe("string")
    expect(timeoutMs).toBeGreaterThan(0)
    expect(enabled).toBe(disabledReason === undefined)
    expect(Object.getPrototypeOf(rename)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(tools)).toBe(Object.prototype)
  }
  for (const { severity, line, column, message } of config.problems) {
    expect(["error", "warning"]).toContain(severity)
    expect(message).toBeTruthy()
    if (line !== undefined) expect([line >= 1, (column ?? 0) >= 1]).toEqual([true, true])
  }
  // Whatever was in the file, the outcome can be printed.
  JSON.stringify(config)
}

const known = [...new Set(Object.values(ENTRIES).flatMap(schema => Object.keys(schema.shape)))]
const word = fc.oneof(
  fc.constantFrom("x", "stdio", "http", "./x", "http://127.0.0.1/", "${A}", "${B}", "${B:-${A}}", "strict", "allow"),
  fc.string({ unit: "binary" }),
)
const anything = fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word), fc.dictionary(word, word), fc.jsonValue())
const entry = fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), anything)
const configFile = fc.record(
  {
    mcpServers: fc.oneof(fc.dictionary(fc.oneof(fc.string({ unit: "binary" }), word), entry), anything),
    policy: fc.oneof(anything, fc.record({ default: anything, rules: fc.array(fc.dictionary(word, anything)) })),
    surface: anything,
    sandbox: anything,
    llm: anything,
  },
  { requiredKeys: [] },
)

describe("whatever a file holds, loading gives a configuration", () => {
  it("for any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async text => expectSound(await load(text))),
      { numRuns: 500 },
    )
  })

  it("for any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async bytes => expectSound(await load(bytes))),
      { numRuns: 300 },
    )
  })

  it("for any JSON value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async text => expectSound(await load(text))),
      { numRuns: 300 },
    )
  })

  it("for anything that looks like a configuration", async () => {
    await fc.assert(
      fc.asyncProperty(configFile, async value => expectSound(await load(JSON.stringify(value)))),
      { numRuns: 800 },
    )
  })

  it("for a configuration cut off anywhere", async () => {
    const whole = '{ // c\n"mcpServers": { "a": { "command": "x\\u0041", "args": [1, -2e3, true], /* d */ } }, }'
    for (let end = 0; end <= whole.length; end++) expectSound(await load(whole.slice(0, end)))
  })

  it.each([
    ["brackets", "[".repeat(100_000)],
    ["closed brackets", "[".repeat(100_000) + "]".repeat(100_000)],
    ["braces", '{"a":'.repeat(100_000)],
    ["brackets inside an entry", `{"mcpServers":{"s":{"command":${"[".repeat(100_000)}`],
  ])("for 100,000 %s", async (_, text) => {
    const config = await load(text)
    expectSound(config)
    expect(config.problems[0]?.message).toBe("it is nested more than 100 levels deep")
  })

  it("for 20,000 servers, every one of them malformed", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => [`s${index}`, { command: index, typ: 1 }])
    const config = await load(JSON.stringify({ mcpServers: Object.fromEntries(names) }, null, 1))
    expect(config.servers).toHaveLength(20_000)
    expect(config.problems).toHaveLength(40_000)
  })

  it("for megabytes of one value, of errors, and for more than is sensible", async () => {
    const long = "x".repeat(5_000_000)
    expect((await load(JSON.stringify({ mcpServers: { s: { command: long } } }))).servers[0]?.enabled).toBe(true)
    expect((await load("x ".repeat(1_000_000))).problems).toHaveLength(5)
    expect((await load(" ".repeat(17_000_000))).problems[0]?.message).toBe("the file is larger than 16 MB")
  })

  it("for lone surrogates, in names and in values", async () => {
    const config = await load('{ "mcpServers": { "a": { "command": "\\ud800" }, "\\udfff": { "command": "x" } } }')
    expectSound(config)
    expect(config.servers.map(each => each.enabled)).toEqual([true, false])
  })

  it("for __proto__ and constructor keys, which change nothing", async () => {
    const evil =
      '{ "__proto__": { "enabled": false, "polluted": true }, "command": "x", "rename": { "constructor": "y" } }'
    const text = `{ "__proto__": { "surface": "code" }, "mcpServers": { "__proto__": ${evil}, "a": ${evil} } }`
    const config = await load(text)
    expectSound(config)
    expect(config).toMatchObject({ surface: "auto", servers: [{ name: "a", enabled: true }] })
    expect(config.problems.filter(({ message }) => message === "a key `__proto__` is ignored")).toHaveLength(3)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
