/**
 * What the results of tools look like, learned from those that were seen and kept in the state, where hubs that share
 * it merge what they know. Most calls only count: a shape that has stood for a while is looked at now and then.
 */
import { Emitter } from "../../model/emitter.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Unsubscribe } from "../../model/source.ts"
import type { Report, Store } from "../../state/types.ts"
import { fromStored, type Kept } from "./kept.ts"
import { merge, observe, type Shape } from "./shape.ts"
import { toSchema } from "./to-schema.ts"

export interface Learning {
  /** Reads what was learned before. */
  load(): Promise<void>
  /**
   * A tool that declares no result gave one, which is read only when it is looked at. `hash` stands for the definition:
   * what was learned under another one is forgotten.
   */
  observe(toolId: string, hash: string, read: () => unknown): void
  /** The tool is defined like this now; without a hash it declares its results itself. Forgets what no longer holds. */
  confirm(toolId: string, hash: string | undefined): void
  schemaOf(toolId: string): { schema: JsonObject; calls: number } | undefined
  /** Grows with every shape that changed. */
  readonly version: number
  /** Told the tool whose shape changed; counting on is no change. */
  onChange(listener: (toolId: string) => void): Unsubscribe
  flush(): Promise<void>
  /** Writes what is not yet written; what is observed afterwards is not kept. */
  close(): Promise<void>
}

interface Known {
  hash: string
  shape: Shape
  /** Made when first asked for. */
  schema?: JsonObject
  /** As stored, by all hubs. */
  calls: number
  /** Not yet stored. */
  newCalls: number
  /** How often in a row nothing new was seen. */
  unchanged: number
}

export const SHAPES = "shapes"
const SURE_AFTER = 20
const THEN_EVERY = 16
const WRITE_EVERY_MS = 1000
/** What nobody calls any more goes. */
const TTL_MS = 90 * 24 * 3600 * 1000

export function createLearning(store: Store, report: Report): Learning {
  const known = new Map<string, Known>()
  const unwritten = new Set<string>()
  const events = new Emitter<{ changed: (toolId: string) => void }>()
  let version = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let closed = false

  function changed(toolId: string): void {
    version++
    events.emit("changed", toolId)
  }

  function schedule(toolId: string): void {
    unwritten.add(toolId)
    timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref()
  }

  function setShape(toolId: string, one: Known, shape: Shape): boolean {
    if (shape === one.shape) return false
    one.shape = shape
    delete one.schema
    changed(toolId)
    return true
  }

  async function write(toolId: string): Promise<void> {
    const mine = known.get(toolId)
    try {
      if (!mine) return void (await store.delete(SHAPES, toolId))
      const { newCalls } = mine
      const stored = await store.update<Kept>(
        SHAPES,
        toolId,
        current => {
          const theirs = fromStored(current)
          // Another definition is older than the one that was seen here.
          if (theirs?.hash !== mine.hash) return { hash: mine.hash, shape: mine.shape, calls: newCalls }
          return { hash: mine.hash, shape: merge(mine.shape, theirs.shape), calls: theirs.calls + newCalls }
        },
        { ttlMs: TTL_MS },
      )
      if (!stored) return
      mine.newCalls -= newCalls
      mine.calls = stored.calls
      // More may have been seen meanwhile, here; and what others saw is news.
      if (known.get(toolId) === mine) setShape(toolId, mine, merge(mine.shape, stored.shape))
    } catch (error) {
      report(`what was learned of ${toolId} could not be kept: ${error instanceof Error ? error.message : error}`)
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const tools = [...unwritten]
    unwritten.clear()
    writing = writing.then(async () => {
      for (const toolId of tools) await write(toolId)
    })
    return writing
  }

  return {
    async load() {
      for (const { key, value } of await store.entries(SHAPES)) {
        const kept = fromStored(value)
        // What was seen since the start is newer.
        if (!kept || known.has(key)) continue
        known.set(key, { ...kept, newCalls: 0, unchanged: 0 })
        changed(key)
      }
    },

    observe(toolId, hash, read) {
      if (closed) return
      let one = known.get(toolId)
      if (one?.hash !== hash) {
        one = { hash, shape: {}, calls: 0, newCalls: 0, unchanged: 0 }
        known.set(toolId, one)
      }
      one.newCalls++
      if (one.unchanged >= SURE_AFTER && (one.calls + one.newCalls) % THEN_EVERY !== 0) return
      one.unchanged = setShape(toolId, one, observe(one.shape, read())) ? 0 : one.unchanged + 1
      schedule(toolId)
    },

    confirm(toolId, hash) {
      const one = known.get(toolId)
      if (!one || one.hash === hash) return
      known.delete(toolId)
      changed(toolId)
      schedule(toolId)
    },

    schemaOf(toolId) {
      const one = known.get(toolId)
      if (!one) return undefined
      one.schema ??= toSchema(one.shape)
      return { schema: one.schema, calls: one.calls + one.newCalls }
    },

    get version() {
      return version
    },
    onChange: listener => events.on("changed", listener),
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}
