import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { openState } from "./open.ts"
import { describeState } from "./state.contract.ts"
import type { State } from "./types.ts"

async function inMemory() {
  const problems: string[] = []
  const state = await openState(undefined, problem => problems.push(problem))
  return { state, problems, end: () => state.close() }
}

async function inFiles() {
  const dir = await mkdtemp(join(tmpdir(), "toolyard-state-"))
  const problems: string[] = []
  const state = await openState(dir, problem => problems.push(problem))
  return {
    state,
    problems,
    async end() {
      await state.close()
      await rm(dir, { recursive: true })
    },
  }
}

describeState("memory", inMemory)
describeState("SQLite and files", inFiles)

it("is of the kind that was asked for", async () => {
  for (const [open, kind] of [
    [inMemory, "memory"],
    [inFiles, "sqlite"],
  ] as const) {
    const subject = await open()
    expect(subject.state.kind).toBe(kind)
    expect(subject.problems).toEqual([])
    await subject.end()
  }
})

it("answers alike in memory and in SQLite, whatever is done in whatever order", async () => {
  const key = fc.constantFrom("a", "a/b", "a/c", "\u{1F600}", "\uFFFD", "")
  const value = fc.jsonValue({ maxDepth: 2 })
  const step = fc.oneof(
    fc.record({ do: fc.constant("set" as const), key, value: fc.option(value, { nil: undefined }) }),
    fc.record({ do: fc.constant("update" as const), key, value: fc.option(value, { nil: undefined }) }),
    fc.record({ do: fc.constant("delete" as const), key }),
    fc.record({ do: fc.constant("entries" as const), prefix: key, limit: fc.nat(3) }),
    fc.record({ do: fc.constant("append" as const), rows: fc.array(fc.dictionary(key, value), { maxLength: 3 }) }),
    fc.record({
      do: fc.constant("tail" as const),
      limit: fc.nat(5),
      filter: fc.dictionary(key, fc.constantFrom("", 0, null)),
    }),
    fc.record({ do: fc.constant("trim" as const), maxRows: fc.nat(4) }),
  )
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

  async function act({ store }: State, ns: string, step: Step): Promise<unknown> {
    if (step.do === "set") return store.set(ns, step.key, step.value)
    if (step.do === "update") {
      return store.update<unknown>(ns, step.key, now =>
        step.value === undefined ? undefined : { now, is: step.value },
      )
    }
    if (step.do === "delete") return store.delete(ns, step.key)
    if (step.do === "entries") return store.entries(ns, step)
    if (step.do === "append") return store.append(ns, step.rows)
    if (step.do === "tail") return (await store.tail(ns, step)).map(({ data }) => data)
    return store.trim(ns, step)
  }

  const [memory, files] = [await inMemory(), await inFiles()]
  let round = 0
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
        const ns = `round ${round++}`
        for (const step of [...steps, { do: "entries", prefix: "", limit: 99 } as const]) {
          const [expected, actual] = [await act(memory.state, ns, step), await act(files.state, ns, step)]
          expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
        }
      }),
      { numRuns: 100 },
    )
  } finally {
    await memory.end()
    await files.end()
  }
})
