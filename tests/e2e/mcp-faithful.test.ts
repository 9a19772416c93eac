/** What a server says is what a client hears: real catalogs and odd definitions, through the hub, compared as text. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { ERAS } from "./mcp-clients.ts"
import { type Json, openStage, type Stage } from "./mcp-stage.ts"
import { ask, listed } from "./mcp-wire.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Recorded `tools/list` answers of public servers; they stand beside the repository, and may be absent. */
const RECORDED = path("../../../shared/data/catalogs/")
const recorded = existsSync(RECORDED) ? readdirSync(RECORDED).filter(name => name.endsWith(".json")) : []
/** On one line, as it goes through a pipe; otherwise every byte as it stands in the file. */
const ODD = readFileSync(path("./mcp-odd-definitions.json"), "utf8").replace(/\s*\n\s*/g, "")

const catalogs = new Map<string, string>(
  recorded.map(file => [
    file.replace(/\.json$/, "").slice(0, 40),
    JSON.stringify((JSON.parse(readFileSync(RECORDED + file, "utf8")) as { tools: Json[] }).tools),
  ]),
)
const servers = [...catalogs, ["odd-legacy", ODD], ["odd-modern", ODD]] as [string, string][]

/** JSON text with nothing but the white space gone: key order and every value count. */
const normal = (value: unknown): string => JSON.stringify(value)

let stage: Stage
let hub: Hub

beforeAll(async () => {
  stage = await openStage()
  const entries = servers.map(([name, tools], index) => {
    const era = name === "odd-modern" || (name !== "odd-legacy" && index % 2 === 1) ? "modern" : "legacy"
    return [name, stage.entry({ era, tools, on: { "tools/call": params => result(params) } })] as const
  })
  hub = await startHub({ mcpServers: Object.fromEntries(entries) })
  await hub.waitUp()
})
afterAll(async () => {
  await stopAll()
  await stage.close()
})

/** Results that do not survive being parsed and printed again. */
const RESULTS: Record<string, string> = {
  numbers:
    '{"content":[],"structuredContent":{"big":9007199254740993,"one":1.0,"exponent":1E5,"zero":-0,"tiny":1e-400}}',
  keys: '{"content":[],"structuredContent":{"__proto__":{"polluted":true},"a":1,"a":2,"10":0,"9":0}}',
  escapes: '{"content":[{"type":"text","text":"\\u00e9\\/\\ud83d \\u2028 \\ud83d\\ude00"}]}',
  spaces: '{ "content" : [ { "type":"text", "text":"x" } ] , "isError" : false }',
  blocks:
    '{"content":[{"type":"hologram","of":{"x":[null]}},{"type":"text","text":"t","annotations":{"k":1}}],"own":1}',
}
const result = ({ arguments: args }: Json): string => RESULTS[(args as { which: string }).which] as string

describe("tools/list", () => {
  it.skipIf(recorded.length > 0)("has no recorded catalogs to compare here: data/catalogs is absent", () => {
    expect(existsSync(RECORDED)).toBe(false)
  })

  it.each(ERAS)("N8 gives a %s client at /mcp/{server} exactly what each server sent", async era => {
    for (const [name, tools] of servers) {
      const { answer } = await ask(`${hub.url}/mcp/${name}`, era, "tools/list")
      expect(normal(answer.result?.tools) === normal(JSON.parse(tools)), name).toBe(true)
    }
  })

  it.each(ERAS)("N8 gives a %s client at /mcp/all the same but for the names", async era => {
    const { answer } = await ask(`${hub.url}/mcp/all`, era, "tools/list")
    const given = listed(answer)
    const sent = servers.flatMap(([server, tools]) => (JSON.parse(tools) as Json[]).map(tool => ({ server, tool })))
    expect(given).toHaveLength(sent.length)
    for (const [index, { server, tool }] of sent.entries()) {
      const one = given[index] as Json
      const prefix = `${server.replace(/[^\w-]/g, "_")}__`
      expect(one.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(String(one.name).startsWith(prefix.slice(0, 57)), String(one.name)).toBe(true)
      expect(normal({ ...one, name: tool.name }) === normal(tool), `${server} ${String(tool.name)}`).toBe(true)
    }
    expect(new Set(given.map(tool => tool.name)).size).toBe(given.length)
  })
})

describe("tools/call", () => {
  const servers = ["odd-legacy", "odd-modern"] as const
  const cases = Object.keys(RESULTS).flatMap(which => servers.map(server => [which, server] as const))

  it.each(cases)("C5 passes a result with odd %s through %s byte for byte", async (which, server) => {
    const raw = RESULTS[which] as string
    const params = { name: "plain", arguments: { which } }
    const legacy = await ask(`${hub.url}/mcp/${server}`, "legacy", "tools/call", params)
    expect(legacy.text).toBe(`{"jsonrpc":"2.0","id":1,"result":${raw}}`)
    const modern = await ask(`${hub.url}/mcp/${server}`, "modern", "tools/call", params)
    expect(modern.text).toContain(raw.slice(1))
    expect(modern.answer.result).toMatchObject({ resultType: "complete" })
  })

  it("C5 keeps the bytes of an answer whose members stand in another order", async () => {
    const raw = RESULTS.numbers as string
    const entry = stage.entry({
      tools: '[{"name":"t","inputSchema":{"type":"object"}}]',
      on: { "tools/call": (_params, puppet, { id }) => puppet.send(`{"result":${raw},"jsonrpc":"2.0","id":${id}}`) },
    })
    const other = await startHub({ mcpServers: { turned: entry } })
    await other.waitUp()
    const { text } = await ask(`${other.url}/mcp/turned`, "legacy", "tools/call", { name: "t" })
    expect(text).toBe(`{"jsonrpc":"2.0","id":1,"result":${raw}}`)
  })
})
