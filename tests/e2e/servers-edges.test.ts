/** What functions of one's own may be given and may give, at the edges. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stopAll } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { modern } from "./mcp-wire.ts"
import { type OwnYard, openOwnYard } from "./own-yard.ts"

const FILES = {
  "servers/edge.ts": `
export const nothing = (): string => "called"
export const same = (value: unknown): unknown => value
export const large = (bytes: number): string => "x".repeat(bytes)
export const deep = (levels: number): unknown => {
  let value: unknown = null
  for (let i = 0; i < levels; i++) value = { value }
  return value
}
export const cyclic = (): unknown => { const a: Record<string, unknown> = {}; a.a = a; return a }
export const list = (items: (string | null)[]): number => items.length
export const lone = (): string => "a\\ud800b"
let calls = 0
export const counted = async (n: number): Promise<{ n: number; order: number }> => {
  await new Promise(resolve => setTimeout(resolve, Math.random() * 5))
  return { n, order: ++calls }
}
export const odd = { "__proto__": 1 }
export const constructor = (toString: string): string => toString
`,
}

let yard: OwnYard
beforeAll(async () => {
  yard = await openOwnYard(FILES)
  await yard.hub.waitUp("edge")
}, 60_000)
afterAll(async () => {
  await closeClients()
  await stopAll()
})

describe("a call of a function", { timeout: 60_000 }, () => {
  it.each(ERAS)("V12 takes no arguments at all, {} and nothing else (%s)", async era => {
    const client = await connect(`${yard.hub.url}/mcp/edge`, era)
    expect(textOf(await client.callTool({ name: "nothing" }))).toBe("called")
    expect(textOf(await client.callTool({ name: "nothing", arguments: {} }))).toBe("called")
    expect((await client.callTool({ name: "nothing", arguments: { extra: 1 } })).isError).toBe(true)
    const { answer } = await modern(`${yard.hub.url}/mcp/edge`, "tools/call", {
      name: "nothing",
      arguments: [] as never,
    })
    expect(answer.error).toMatchObject({ code: -32602 })
  })

  it("V12 passes Unicode, nulls, arrays and nested values on as they are", async () => {
    const values: unknown[] = [
      "日本語 😀 \u0000 \u202e \u2028",
      null,
      [],
      [null, [[]], {}],
      { a: { b: { c: [1, -0.5, 1e21, true, null, ""] } }, "": "empty key", "a.b": 1, __proto: 2 },
      Number.MAX_SAFE_INTEGER,
    ]
    for (const value of values) {
      const result = await yard.call("edge", "same", { value })
      expect(result.isError).not.toBe(true)
      const text = textOf(result)
      expect(typeof value === "string" ? text : JSON.parse(text || "null")).toEqual(value)
    }
    expect(textOf(await yard.call("edge", "list", { items: [null, "a", null] }))).toBe("3")
    expect(textOf(await yard.call("edge", "lone"))).toMatch(/^a.b$/)
    expect(textOf(await yard.call("edge", "constructor", { toString: "own" }))).toBe("own")
  })

  it("V12 keeps a very large output whole", async () => {
    const bytes = 6_000_000
    const result = await yard.call("edge", "large", { bytes })
    const uri = JSON.stringify(result).match(/cid:\/\/[a-z0-9]+/)?.[0] as string
    const client = await connect(`${yard.hub.url}/mcp/edge`, "legacy")
    const [content] = (await client.readResource({ uri })).contents as unknown as Json[]
    expect(JSON.stringify(content).length).toBeGreaterThan(bytes)
  })

  it("V12 fails plainly for what no JSON can hold, and goes on", async () => {
    for (const [tool, args] of [
      ["deep", { levels: 100_000 }],
      ["cyclic", {}],
    ] as const) {
      const result = await yard.call("edge", tool, args)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/deep|contains itself/)
    }
    expect((await yard.call("edge", "deep", { levels: 500 })).isError).not.toBe(true)
    expect(textOf(await yard.call("edge", "nothing"))).toBe("called")
  })

  it("V12 has its own answer among two hundred at once", async () => {
    const client = await connect(`${yard.hub.url}/mcp/edge`, "modern")
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    const results = await Promise.all(numbers.map(n => client.callTool({ name: "counted", arguments: { n } })))
    expect(results.map(({ structuredContent }) => (structuredContent as Json).n)).toEqual(numbers)
    expect(new Set(results.map(({ structuredContent }) => (structuredContent as Json).order)).size).toBe(200)
  })
})
