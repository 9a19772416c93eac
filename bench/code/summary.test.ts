import { describe, expect, it } from "vitest"
import type { Contestant, Sample } from "./contestant.ts"
import { judge, type Rounds, type Summary, summarize } from "./summary.ts"

const contestant = (name: string): Contestant => ({
  name,
  role: "peer",
  engine: "v8",
  how: "",
  start: () => Promise.reject(new Error("not here")),
})
const took = (...times: number[]): Sample => ({ times, runs: times.length, ms: times.reduce((a, b) => a + b, 0) })

function summary(
  name: string,
  role: Summary["role"],
  engine: Summary["engine"],
  values: Record<string, number>,
): Summary {
  const figures = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }]))
  return { name, role, engine, how: "", figures }
}

describe("the summary of a contestant", () => {
  it("takes the median over the rounds of each round's own p50 and p10", () => {
    const rounds: Rounds = new Map([["a", new Map([["trivial", [took(1, 2, 3), took(10, 20, 30), took(4, 5, 6)]]])]])
    expect(summarize(contestant("a"), rounds).figures).toEqual({ trivial: { value: 5, p10: 4 } })
  })

  it("counts a rate in runs per second of wall time, however many lanes there were", () => {
    const rounds: Rounds = new Map([["a", new Map([["rate32", [{ times: [500, 500, 500], runs: 3, ms: 500 }]]])]])
    expect(summarize(contestant("a"), rounds).figures.rate32).toEqual({ value: 6 })
  })

  it("says what a further call costs", () => {
    const rounds: Rounds = new Map([
      [
        "a",
        new Map([
          ["trivial", [took(2)]],
          ["call100", [took(52)]],
        ]),
      ],
    ])
    expect(summarize(contestant("a"), rounds).perCall).toBe(0.5)
  })
})

describe("the goals", () => {
  it("compare with the fastest peer, whichever that is in a column, and never with a baseline", () => {
    const goals = judge([
      summary("floor", "baseline", "v8", { trivial: 0.1 }),
      summary("slow", "peer", "v8", { trivial: 4 }),
      summary("fast", "peer", "quickjs", { trivial: 2 }),
      summary("ours", "toolyard", "quickjs", { trivial: 1 }),
    ])
    expect(goals).toEqual([
      {
        contestant: "ours",
        column: "return 1",
        against: "fast",
        value: 1,
        theirs: 2,
        times: 2,
        want: 1,
        reached: true,
      },
    ])
  })

  it("compare scripts that compute with other interpreters only", () => {
    const [goal] = judge([
      summary("jit", "peer", "v8", { cpu: 1 }),
      summary("interpreter", "peer", "quickjs", { cpu: 80 }),
      summary("ours", "toolyard", "quickjs", { cpu: 80 }),
    ])
    expect(goal).toMatchObject({ against: "interpreter", times: 1, reached: true })
  })

  it("want twice the best rate, and a tenth of executor's time from ten calls on", () => {
    const goals = judge([
      summary("executor", "peer", "quickjs", { call1: 50, call10: 99, rate32: 100 }),
      summary("other", "peer", "v8", { rate32: 300, call10: 12 }),
      summary("ours", "toolyard", "quickjs", { call1: 10, call10: 10, rate32: 500 }),
    ])
    expect(goals.map(({ column, against, want, reached }) => [column, against, want, reached])).toEqual([
      ["1 call", "executor", 1, true],
      ["10 calls", "other", 1, true],
      ["10 calls", "executor", 10, false],
      ["return 1 @32", "other", 2, false],
    ])
  })
})
