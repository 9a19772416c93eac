import { describe, expect, it } from "vitest"
import type { Figures, Rounds } from "./measure.ts"
import { judge, type Summary, summarize } from "./summary.ts"

const figures = (p50: number, rate: number, cpuPerCall?: number): Figures => ({
  p50,
  p90: p50,
  p99: p50,
  rate,
  ...(cpuPerCall !== undefined && { cpuPerCall }),
})

function summary(name: string, role: Summary["role"], added: number, rate: number, cpu: number, bigP50 = 1): Summary {
  const size = { p50: added, p90: added, p99: added, added, rate: { 32: rate }, cpu: { 32: cpu } }
  return { name, role, small: size, big: { ...size, p50: bigP50 } }
}

describe("the summary", () => {
  it("takes medians over the rounds, and what is added from the same round's direct stdio", () => {
    const cells = (small: Figures[]): Map<string, Figures[]> =>
      new Map(["small@1", "small@8", "small@32", "big@1", "big@8", "big@32"].map(cell => [cell, small]))
    const rounds: Rounds = new Map([
      ["direct stdio", cells([figures(1, 10), figures(5, 10), figures(1, 10)])],
      ["hub", cells([figures(2, 100, 0.1), figures(6.5, 300, 0.3), figures(9, 200, 0.2)])],
    ])
    const { small } = summarize({ name: "hub", role: "peer" }, rounds)
    expect(small.p50).toBe(6.5)
    expect(small.added).toBe(1.5)
    expect(small.rate[32]).toBe(200)
    expect(small.cpu[32]).toBe(0.2)
  })
})

describe("the verdict", () => {
  it("compares with whichever peer is best in that measure", () => {
    const goals = judge([
      summary("toolyard", "toolyard", 0.25, 1250, 0.1),
      summary("quick", "peer", 0.5, 900, 0.4),
      summary("busy", "peer", 0.9, 1000, 0.2),
    ])
    expect(goals.map(({ bestPeer, reached }) => [bestPeer, reached])).toEqual([
      ["quick", true],
      ["busy", true],
      ["busy", true],
      ["quick", true],
      ["busy", true],
    ])
  })

  it("fails each goal that is missed by a little", () => {
    const goals = judge([
      summary("toolyard", "toolyard", 0.51, 1240, 0.11, 1.01),
      summary("peer", "peer", 1, 1000, 0.2),
    ])
    expect(goals.map(({ reached }) => reached)).toEqual([false, false, false, false, true])
  })

  it("judges nothing without a peer", () => {
    expect(judge([summary("toolyard", "toolyard", 0.2, 1000, 0.1)])).toEqual([])
  })
})
