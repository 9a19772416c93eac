import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createMemoryStore } from "../../state/memory.ts"
import { openState } from "../../state/open.ts"
import type { Store } from "../../state/types.ts"
import { createLearning, type Learning, SHAPES } from "./learning.ts"

let store: Store
let problems: string[]
beforeEach(() => {
  store = createMemoryStore()
  problems = []
})
afterEach(() => store.close())

async function open(): Promise<Learning> {
  const learning = createLearning(store, problem => problems.push(problem))
  await learning.load()
  return learning
}
const TEXT = { type: "object", properties: { a: { type: "string" } } }

describe("N4 learning", () => {
  it("knows nothing of a tool that was never called", async () => {
    expect((await open()).schemaOf("s__t")).toBeUndefined()
  })

  it("gives the shape and the number of calls at once", async () => {
    const learning = await open()
    learning.observe("s__t", "h", () => ({ a: "x" }))
    learning.observe("s__t", "h", () => ({ a: "y" }))
    expect(learning.schemaOf("s__t")).toEqual({ schema: TEXT, calls: 2 })
    await learning.close()
  })

  it("lasts over a restart, and counts on", async () => {
    const dir = await mkdtemp(join(tmpdir(), "toolyard-learning-"))
    try {
      for (const calls of [1, 2]) {
        const state = await openState(dir, problem => problems.push(problem))
        const learning = createLearning(state.store, problem => problems.push(problem))
        await learning.load()
        learning.observe("s__t", "h", () => ({ a: "x" }))
        await learning.close()
        expect(learning.schemaOf("s__t")).toEqual({ schema: TEXT, calls })
        await state.close()
      }
      expect(problems).toEqual([])
    } finally {
      await rm(dir, { recursive: true })
    }
  })

  it("tells of a change when a shape changed, and not when it was only confirmed", async () => {
    const learning = await open()
    const changes: string[] = []
    const stop = learning.onChange(toolId => changes.push(toolId))
    for (let i = 0; i < 50; i++) learning.observe("s__t", "h", () => ({ a: String(i) }))
    expect(changes).toEqual(["s__t"])
    expect(learning.version).toBe(1)
    learning.observe("s__u", "h", () => [1])
    stop()
    learning.observe("s__u", "h", () => ["x"])
    expect(changes).toEqual(["s__t", "s__u"])
    expect(learning.version).toBe(3)
    await learning.close()
  })

  it("looks only now and then at a tool whose results are always alike, but counts every call", async () => {
    const learning = await open()
    let looks = 0
    const read = () => {
      looks++
      return { a: "x" }
    }
    for (let i = 0; i < 340; i++) learning.observe("s__t", "h", read)
    expect(learning.schemaOf("s__t")?.calls).toBe(340)
    // The first one, twenty like it, and then the 32nd, the 48th … the 336th.
    expect(looks).toBe(1 + 20 + 20)
    await learning.close()
  })

  it("merges what two hubs see, both ways", async () => {
    const [one, two] = [await open(), await open()]
    const news: string[] = []
    one.onChange(toolId => news.push(toolId))
    one.observe("s__t", "h", () => ({ a: 1 }))
    two.observe("s__t", "h", () => ({ b: 1 }))
    await one.flush()
    await two.flush()
    one.observe("s__t", "h", () => ({ a: 2 }))
    await one.flush()
    const both = { schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } } }
    expect(one.schemaOf("s__t")).toEqual({ ...both, calls: 3 })
    expect(two.schemaOf("s__t")).toEqual({ ...both, calls: 2 })
    expect(news).toEqual(["s__t", "s__t"])
    expect((await open()).schemaOf("s__t")).toEqual({ ...both, calls: 3 })
  })

  it("forgets what it learned under another definition", async () => {
    const learning = await open()
    learning.observe("s__t", "old", () => ({ a: "x" }))
    await learning.flush()
    learning.observe("s__t", "new", () => [1])
    await learning.flush()
    const schema = { type: "array", items: { type: "number" } }
    expect(learning.schemaOf("s__t")).toEqual({ schema, calls: 1 })
    expect((await open()).schemaOf("s__t")).toEqual({ schema, calls: 1 })
  })

  it("forgets when told that the definition changed, or declares its results now", async () => {
    const learning = await open()
    for (const tool of ["same", "changed", "declared"]) learning.observe(tool, "h", () => ({ a: "x" }))
    await learning.flush()
    learning.confirm("same", "h")
    learning.confirm("changed", "other")
    learning.confirm("declared", undefined)
    learning.confirm("unknown", "h")
    await learning.flush()
    expect((await store.entries(SHAPES)).map(({ key }) => key)).toEqual(["same"])
    expect(learning.schemaOf("changed")).toBeUndefined()
  })

  it("keeps no value in the store", async () => {
    const learning = await open()
    learning.observe("s__t", "h", () => ({ name: "Ann Smith", mails: { "ann@example.com": 4711 }, key: "hunter2" }))
    await learning.close()
    expect(JSON.stringify(await store.entries(SHAPES))).not.toMatch(/Ann|example|4711|hunter2/)
  })

  it("takes nothing over that is not what it stored", async () => {
    await store.set(SHAPES, "none", null)
    await store.set(SHAPES, "half", { hash: "h", calls: 1 })
    await store.set(SHAPES, "data", { hash: "h", calls: 1, shape: { keys: { "ann@example.com": {} } } })
    await store.set(SHAPES, "odd", { hash: "h", calls: 1, shape: { scalars: ["string", "date"], more: 1 } })
    const learning = await open()
    expect(["none", "half", "data"].map(tool => learning.schemaOf(tool))).toEqual([undefined, undefined, undefined])
    expect(learning.schemaOf("odd")).toEqual({ schema: { type: "string" }, calls: 1 })
  })

  it("reports what can't be stored, and goes on", async () => {
    const learning = await open()
    await store.close()
    learning.observe("s__t", "h", () => ({ a: "x" }))
    await learning.flush()
    expect(problems).toEqual([expect.stringContaining("s__t")])
    expect(learning.schemaOf("s__t")).toEqual({ schema: TEXT, calls: 1 })
  })

  it("keeps nothing that comes after the end", async () => {
    const learning = await open()
    await learning.close()
    learning.observe("s__t", "h", () => ({ a: "x" }))
    expect(learning.schemaOf("s__t")).toBeUndefined()
  })
})
