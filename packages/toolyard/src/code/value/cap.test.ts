import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateTokens } from "../../model/tokens.ts"
import { createMemoryBlobs } from "../../state/blobs-memory.ts"
import { capForModel } from "./cap.ts"

const blobs = createMemoryBlobs()
const cap = (value: unknown, maxTokens = 1000) => capForModel(value, { maxTokens, blobs })
const tokensOf = (value: unknown) => estimateTokens(JSON.stringify(value))
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ")

describe("N3 a value for a model", () => {
  it.each([[{ a: [1, "two", null] }], [null], [undefined], ["text"], [0], [[]]])("passes %j as it is", async value => {
    expect(await cap(value)).toEqual({ value })
  })

  it("keeps the whole of what is too large, byte for byte", async () => {
    const value = { items: Array.from({ length: 2000 }, (_, id) => ({ id, name: `ž${id}` })) }
    const { overflow } = await cap(value)
    expect(overflow?.uri).toBe(`cid://${overflow?.cid}`)
    const blob = await blobs.get(overflow!.cid)
    expect(blob).toMatchObject({ mediaType: "application/json", size: overflow!.size })
    expect(Buffer.from(blob!.bytes).toString()).toBe(JSON.stringify(value))
  })

  it("cuts a long text and says how much is missing", async () => {
    const text = words(5000)
    const value = (await cap(text)).value as string
    const [, kept = "", left] = value.match(/^(.*)… \((\d+) more characters\)$/s) ?? []
    expect(text.startsWith(kept)).toBe(true)
    expect(kept.length + Number(left)).toBe(text.length)
    expect(tokensOf(value)).toBeGreaterThan(800)
  })

  it("shows whole items of a long list, as many as fit, and how many more there are", async () => {
    const items = Array.from({ length: 5000 }, (_, id) => ({ id, name: `item ${id}` }))
    const value = (await cap(items)).value as unknown[]
    const shown = value.slice(0, -1)
    expect(shown).toEqual(items.slice(0, shown.length))
    expect(value.at(-1)).toBe(`… ${5000 - shown.length} more items`)
    expect(tokensOf(value)).toBeGreaterThan(800)
  })

  it("shares the room fairly: what is small stays whole, the large parts are cut alike", async () => {
    const value = { id: 7, title: "short", first: words(3000), second: words(5000), tags: ["a", "b"] }
    const view = (await cap(value)).value as typeof value
    expect(view).toMatchObject({ id: 7, title: "short", tags: ["a", "b"] })
    expect(view.first).toMatch(/more characters\)$/)
    expect(Math.abs(tokensOf(view.first) - tokensOf(view.second))).toBeLessThan(60)
    expect(tokensOf(view)).toBeGreaterThan(800)
  })

  it("shows the keys of an object that is too wide, and how many more there are", async () => {
    const value = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, i]))
    const view = (await cap(value)).value as Record<string, unknown>
    const keys = Object.keys(view)
    expect(view["…"]).toBe(`${3000 - (keys.length - 1)} more keys`)
    expect(keys[0]).toBe("key0")
  })

  it("does not take the place of a key of the same name", async () => {
    const value = {
      "…": 1,
      long: words(5000),
      ...Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, i])),
    }
    const view = (await cap(value)).value as Record<string, unknown>
    expect(view["…"]).toBe(1)
    expect(view["……"]).toMatch(/more keys$/)
  })

  it("ends what is nested without end, and refuses what can't even be printed", async () => {
    const nest = (depth: number) => JSON.parse(`${'{"a":['.repeat(depth)}"${"x ".repeat(3000)}"${"]}".repeat(depth)}`)
    const { value } = await cap(nest(200))
    expect(JSON.stringify(value)).toContain("… (object of 1 key)")
    await expect(cap(nest(100_000))).rejects.toMatchObject({ code: "limit_result" })
  })

  it("never cuts a character in two", async () => {
    for (let i = 0; i < 8; i++) {
      const value = (await cap(`${"a".repeat(i)}${"😀".repeat(5000)}`, 100)).value as string
      expect(value.isWellFormed()).toBe(true)
    }
  })

  it("always fits, is the same each time, and gives a marked part of the value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 30, max: 200 }), async (made, maxTokens) => {
        // As it comes out of JSON, which has no -0.
        const seed: unknown = JSON.parse(JSON.stringify(made))
        const value = { seed, list: Array.from({ length: 30 }, () => seed), text: words(100), pad: words(200) }
        const { value: view, overflow } = await cap(value, maxTokens)
        expect(overflow).toBeDefined()
        expect(tokensOf(view)).toBeLessThanOrEqual(maxTokens)
        expect(JSON.stringify(view)).toContain("…")
        expect(JSON.parse(JSON.stringify(view))).toEqual(view)
        expect((await cap(value, maxTokens)).value).toEqual(view)
      }),
      { numRuns: 200 },
    )
  })

  it("gives a mark alone where there is room for nothing else", async () => {
    expect((await cap([words(10), words(10)], 5)).value).toBe("… (2 items)")
    expect((await cap({ a: words(20) }, 5)).value).toBe("… (object of 1 key)")
    expect((await cap(words(20), 5)).value).toMatch(/^… \(\d+ characters\)$/)
  })
})
