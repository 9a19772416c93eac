/** Measures all contestants in slices, in turns, so that a drift of the machine hits all alike. */
import type { Lane, Running, ToolCall } from "./contestants/contestant.ts"
import { cpuMsOf, gatewayPids } from "./proc.ts"

export type Size = "small" | "big"
const SIZES: Size[] = ["small", "big"]
export const BIG_BYTES = 100 * 1024
export const CONCURRENCIES = [1, 8, 32] as const

/** One contestant with one size at one concurrency. */
export interface Figures {
  p50: number
  p90: number
  p99: number
  /** Calls per second. */
  rate: number
  /** The gateway's CPU time, ms. */
  cpuPerCall?: number
}

export interface Plan {
  rounds: number
  sliceMs: number
  warmUpMs: number
}

const PATIENCE_MS = 10_000

/** contestant → `small@32` → one entry per round */
export type Rounds = Map<string, Map<string, Figures[]>>

export const cellOf = (size: Size, concurrency: number): string => `${size}@${concurrency}`

export async function measureAll(
  running: Map<string, Running>,
  plan: Plan,
  progress: (done: string) => void,
): Promise<Rounds> {
  const names = [...running.keys()]
  const rounds: Rounds = new Map(names.map(name => [name, new Map()]))
  for (const name of names) {
    progress(`warming up ${name}`)
    for (const size of SIZES) await slice(running.get(name)!, size, 8, plan.warmUpMs / 2, name)
  }
  let turn = 0
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const size of SIZES) {
      for (const concurrency of CONCURRENCIES) {
        progress(`round ${round} of ${plan.rounds}, ${size} results, concurrency ${concurrency}`)
        for (const name of rotate(names, turn)) {
          const figures = await slice(running.get(name)!, size, concurrency, plan.sliceMs, name)
          const cells = rounds.get(name)!
          cells.set(cellOf(size, concurrency), [...(cells.get(cellOf(size, concurrency)) ?? []), figures])
        }
        turn += 1
      }
    }
  }
  return rounds
}

/** One call of each size, to see that it works at all. */
export async function tryOut(running: Running): Promise<void> {
  const [lane] = await running.openLanes(1)
  for (const size of SIZES) await inTime(checkedCall(lane!, size, "up"), 0)
  lane!.close()
}

function rotate<T>(items: T[], by: number): T[] {
  const at = by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

async function slice(running: Running, size: Size, concurrency: number, ms: number, name: string): Promise<Figures> {
  // Connections are opened anew for each slice: most servers drop those that idle while the others have their turn.
  const lanes = await running.openLanes(concurrency)
  try {
    await inTime(Promise.all(lanes.map((lane, index) => checkedCall(lane, size, `first-${index}`))), 0)
    const pids = running.pid === undefined ? [] : gatewayPids(running.pid)
    const latencies: number[] = []
    let last = 0
    const work = async (lane: Lane): Promise<void> => {
      while (performance.now() < deadline) {
        last += 1
        const from = performance.now()
        await checkedCall(lane, size, `call-${last}`)
        latencies.push(performance.now() - from)
      }
    }
    const cpuBefore = cpuMsOf(pids)
    const begin = performance.now()
    const deadline = begin + ms
    await inTime(Promise.all(lanes.map(work)), ms)
    const seconds = (performance.now() - begin) / 1000
    const cpuAfter = cpuMsOf(pids)
    return toFigures(
      latencies,
      seconds,
      cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
    )
  } catch (error) {
    throw new Error(`${name} failed with ${size} results at concurrency ${concurrency}: ${(error as Error).message}`)
  } finally {
    for (const lane of lanes) lane.close()
  }
}

/** A contestant that stops answering ends the bench with its name, not with silence. */
async function inTime<T>(work: Promise<T>, expectedMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("a call was not answered")), expectedMs + PATIENCE_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** A reply must carry the call's own text, or be as long as was asked for: a fast wrong answer is no answer. */
async function checkedCall(lane: Lane, size: Size, text: string): Promise<void> {
  const tool: ToolCall =
    size === "small" ? { name: "echo", arguments: { text } } : { name: "big", arguments: { bytes: BIG_BYTES } }
  const reply = await lane.call(tool)
  const good = size === "small" ? reply.includes(`"${text}"`) : reply.length > BIG_BYTES
  if (!good) throw new Error(`a wrong reply to ${tool.name}: ${reply.subarray(0, 300)}`)
}

function toFigures(latencies: number[], seconds: number, cpuMs: number | undefined): Figures {
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    rate: sorted.length / seconds,
    ...(cpuMs !== undefined && { cpuPerCall: cpuMs / sorted.length }),
  }
}

export function median(values: number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
