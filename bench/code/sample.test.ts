import { describe, expect, it } from "vitest"
import { COLUMNS } from "./columns.ts"
import type { Runner } from "./contestant.ts"
import { functionSubject } from "./runners/function.ts"
import { PLAIN_DIALECT } from "./runners/tools.ts"
import { type Subject, takeSample } from "./sample.ts"

const ROWS = Array.from({ length: 8_600 }, (_, id) => ({ active: id % 2 === 0, price: (id * 37) % 1000 }))
const callTool = async (tool: string, args: unknown) => (tool === "rows" ? ROWS : (args as { text: string }).text)

describe("a sample", () => {
  it.each(COLUMNS.map(({ id }) => id))("of %s runs its script, which gives the right value", async column => {
    const { times, runs } = await takeSample(functionSubject(callTool), { column, ms: 0, least: 1 })
    expect(times.length).toBeGreaterThan(0)
    expect(runs).toBeGreaterThanOrEqual(COLUMNS.find(({ id }) => id === column)!.width)
  })

  it("is refused when a script gives a wrong value", async () => {
    const subject = functionSubject(async () => "something else")
    await expect(takeSample(subject, { column: "call1", ms: 0, least: 1 })).rejects.toThrow("wrong value")
  })

  it("writes a script that was never seen before each time when asked to, and closes what it opened", async () => {
    const scripts: string[] = []
    let open = 0
    const subject: Subject = {
      dialect: PLAIN_DIALECT,
      isFresh: true,
      openRunners: async count => {
        open += count
        const runner: Runner = {
          async run(code) {
            scripts.push(code)
            return 1
          },
          close() {
            open -= 1
          },
        }
        return Array.from({ length: count }, () => runner)
      },
    }
    await takeSample(subject, { column: "rate32", ms: 0, least: 1 })
    expect(new Set(scripts).size).toBe(32)
    expect(open).toBe(0)
  })
})
