/** From the rounds' figures to one line per contestant, and to the verdict on the goals. */
import type { Contestant } from "./contestants/contestant.ts"
import { CONCURRENCIES, cellOf, type Figures, median, type Rounds, type Size } from "./measure.ts"

export interface SizeSummary {
  p50: number
  p90: number
  p99: number
  /** p50 over that of direct stdio in the same round. */
  added?: number
  /** Calls per second by concurrency. */
  rate: Record<string, number>
  /** The gateway's CPU time per call, ms, by concurrency. */
  cpu: Record<string, number | undefined>
}

export interface Summary {
  name: string
  role: Contestant["role"]
  small: SizeSummary
  big: SizeSummary
  rssIdleMb?: number
  rssAfterMb?: number
}

export interface Goal {
  name: string
  contestant: string
  value: number
  bestPeer: string
  peerValue: number
  ratio: number
  /** What the ratio must be. */
  want: string
  reached: boolean
}

const BASE = "direct stdio"

export function summarize(contestant: Pick<Contestant, "name" | "role">, rounds: Rounds): Summary {
  const { name, role } = contestant
  return { name, role, small: summarizeSize(name, "small", rounds), big: summarizeSize(name, "big", rounds) }
}

function summarizeSize(name: string, size: Size, rounds: Rounds): SizeSummary {
  const figuresAt = (who: string, concurrency: number): Figures[] =>
    rounds.get(who)?.get(cellOf(size, concurrency)) ?? []
  const alone = figuresAt(name, 1)
  const base = figuresAt(BASE, 1)
  const perConcurrency = <T>(toValue: (figures: Figures[]) => T): Record<string, T> =>
    Object.fromEntries(CONCURRENCIES.map(concurrency => [concurrency, toValue(figuresAt(name, concurrency))]))
  return {
    p50: median(alone.map(figures => figures.p50)),
    p90: median(alone.map(figures => figures.p90)),
    p99: median(alone.map(figures => figures.p99)),
    ...(base.length > 0 && { added: median(alone.map((figures, round) => figures.p50 - base[round]!.p50)) }),
    rate: perConcurrency(all => median(all.map(figures => figures.rate))),
    cpu: perConcurrency(all => medianIfKnown(all.map(figures => figures.cpuPerCall))),
  }
}

function medianIfKnown(values: (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined)
  return known.length === 0 ? undefined : median(known)
}

interface Measure {
  name: string
  of: (summary: Summary) => number | undefined
  /** `most`: the ratio may be at most this; `least`: it must be at least this. */
  most?: number
  least?: number
}

const GOALS: Measure[] = [
  { name: "p50 added over direct stdio, ms", of: ({ small }) => small.added, most: 0.5 },
  { name: "gateway CPU per call at 32, ms", of: ({ small }) => small.cpu[32], most: 0.5 },
  { name: "calls/s at 32", of: ({ small }) => small.rate[32], least: 1.25 },
  { name: "100 KB: p50, ms", of: ({ big }) => big.p50, most: 1 },
  { name: "100 KB: calls/s at 32", of: ({ big }) => big.rate[32], least: 1 },
]

/** Every goal for every way toolyard was called, against whichever peer is best in that measure. */
export function judge(summaries: Summary[]): Goal[] {
  const goals: Goal[] = []
  for (const measure of GOALS) {
    const best = bestPeerFor(measure, summaries)
    if (!best) continue
    for (const summary of summaries) {
      const value = measure.of(summary)
      if (summary.role !== "toolyard" || value === undefined) continue
      const ratio = value / best.value
      goals.push({
        name: measure.name,
        contestant: summary.name,
        value,
        bestPeer: best.name,
        peerValue: best.value,
        ratio,
        want: wantOf(measure),
        reached: measure.most === undefined ? ratio >= (measure.least ?? 0) : ratio <= measure.most,
      })
    }
  }
  return goals
}

/** What toolyard has to reach, in absolute terms; for a run without it. */
export function targets(summaries: Summary[]): { name: string; want: string; limit: number; bestPeer: string }[] {
  return GOALS.flatMap(measure => {
    const best = bestPeerFor(measure, summaries)
    if (!best) return []
    const limit = best.value * (measure.most ?? measure.least ?? 1)
    return [{ name: measure.name, want: wantOf(measure), limit, bestPeer: best.name }]
  })
}

const wantOf = ({ most, least }: Measure): string => (most === undefined ? `≥ ${least}` : `≤ ${most}`)

function bestPeerFor(measure: Measure, summaries: Summary[]): { name: string; value: number } | undefined {
  const peers = summaries.flatMap(summary => {
    const value = summary.role === "peer" ? measure.of(summary) : undefined
    return value === undefined ? [] : [{ name: summary.name, value }]
  })
  const better = measure.most === undefined ? 1 : -1
  return peers.sort((a, b) => better * (b.value - a.value))[0]
}
