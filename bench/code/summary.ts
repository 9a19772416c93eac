/** From the rounds' samples to one figure per contestant and column, and to the verdict on the goals. */
import { median } from "../gateway/measure.ts"
import { COLUMNS, type Column } from "./columns.ts"
import type { Contestant, Sample } from "./contestant.ts"

/** contestant → column → one sample per round */
export type Rounds = Map<string, Map<string, Sample[]>>

export interface Figure {
  /** Of a latency the p50, of a rate the runs per second: the median over the rounds. */
  value: number
  /** Of a latency only: what it is when nothing else disturbs. */
  p10?: number
}

export interface Summary extends Pick<Contestant, "name" | "role" | "engine" | "how"> {
  figures: Record<string, Figure>
  /** What each further call costs, ms: from the columns with no call and with 100 calls one after the other. */
  perCall?: number
}

export interface Goal {
  contestant: string
  column: string
  against: string
  value: number
  theirs: number
  /** How many times better than the other; at least `want`. */
  times: number
  want: number
  reached: boolean
}

export function summarize(contestant: Contestant, rounds: Rounds): Summary {
  const { name, role, engine, how } = contestant
  const figures: Record<string, Figure> = {}
  for (const column of COLUMNS) {
    const samples = rounds.get(name)?.get(column.id)
    if (samples && samples.length > 0) figures[column.id] = toFigure(column, samples)
  }
  const { trivial, call100 } = figures
  return {
    name,
    role,
    engine,
    how,
    figures,
    ...(trivial && call100 && { perCall: (call100.value - trivial.value) / 100 }),
  }
}

function toFigure({ pace }: Column, samples: Sample[]): Figure {
  if (pace === "stream") return { value: median(samples.map(({ runs, ms }) => (runs / ms) * 1000)) }
  const quantile = (share: number): number => median(samples.map(({ times }) => quantileOf(times, share)))
  return { value: quantile(0.5), p10: quantile(0.1) }
}

function quantileOf(times: number[], share: number): number {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Above one: `mine` is better by so many times. */
export function timesBetter({ unit }: Column, mine: number, theirs: number): number {
  return unit === "/s" ? mine / theirs : theirs / mine
}

/** An interpreter can't match a compiler where the script itself computes: there only QuickJS is compared. */
const COMPUTED = ["mb", "cpu"]
/** A run with many calls is what `executor` is slowest at. */
const MANY_CALLS = ["call10", "call100", "parallel100"]

export function bestPeer(column: Column, summaries: Summary[]): Summary | undefined {
  return summaries
    .filter(({ role, engine }) => role === "peer" && (engine === "quickjs" || !COMPUTED.includes(column.id)))
    .filter(({ figures }) => figures[column.id])
    .sort((a, b) => timesBetter(column, b.figures[column.id]!.value, a.figures[column.id]!.value) - 1)[0]
}

/** Every goal for every way toolyard was called. */
export function judge(summaries: Summary[]): Goal[] {
  const executor = summaries.find(({ name }) => name === "executor")
  const ours = summaries.filter(({ role }) => role === "toolyard")
  return ours.flatMap(our =>
    COLUMNS.flatMap(column => {
      const goals = [compare(our, bestPeer(column, summaries), column, column.unit === "/s" ? 2 : 1)]
      if (MANY_CALLS.includes(column.id)) goals.push(compare(our, executor, column, 10))
      return goals.filter(goal => goal !== undefined)
    }),
  )
}

function compare(our: Summary, other: Summary | undefined, column: Column, want: number): Goal | undefined {
  const value = our.figures[column.id]?.value
  const theirs = other?.figures[column.id]?.value
  if (!other || value === undefined || theirs === undefined) return undefined
  const times = timesBetter(column, value, theirs)
  const names = { contestant: our.name, column: column.title, against: other.name }
  return { ...names, value, theirs, times, want, reached: times >= want }
}
