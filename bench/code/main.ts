/**
 * What a script costs in code mode, by the calls it makes and the data it handles, beside npm peers and beside no
 * sandbox at all.
 *
 *   npm run bench code -- [--quick] [--only NAME,…] [--columns ID,…] [--rounds N] [--slice MS] [--json FILE]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { openProcesses } from "../gateway/processes.ts"
import { COLUMNS, type Column } from "./columns.ts"
import type { Contestant, Job, Running, Sample } from "./contestant.ts"
import { CONTESTANTS } from "./contestants/index.ts"
import { print } from "./print.ts"
import { judge, type Rounds, summarize } from "./summary.ts"

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    columns: { type: "string" },
    rounds: { type: "string" },
    slice: { type: "string" },
    json: { type: "string" },
  },
})
const plan = options.quick ? { rounds: 2, sliceMs: 60, least: 1 } : { rounds: 7, sliceMs: 400, least: 3 }
if (options.rounds) plan.rounds = Number(options.rounds)
if (options.slice) plan.sliceMs = Number(options.slice)

/** A slice that takes longer than this by itself means that something hangs. */
const PATIENCE_MS = 120_000

const folder = mkdtempSync(join(tmpdir(), "bench-code-"))
const processes = openProcesses()
process.on("exit", () => {
  processes.kill()
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

try {
  if (!(plan.rounds >= 1 && plan.sliceMs >= 1)) throw new Error("--rounds and --slice take a number of 1 or more")
  await run(
    chosen(CONTESTANTS, options.only, ({ name }) => name),
    chosen(COLUMNS, options.columns, ({ id }) => id),
  )
  await processes.close()
  process.exit()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

/** `--only toolyard` means both of its lines: a part of a name is enough. */
function chosen<T>(all: T[], wanted: string | undefined, nameOf: (item: T) => string): T[] {
  if (wanted === undefined) return all
  const parts = wanted.split(",").map(part => part.trim())
  for (const part of parts) {
    if (all.some(item => nameOf(item).includes(part))) continue
    throw new Error(`Nothing is called "${part}". There are: ${all.map(nameOf).join(" | ")}.`)
  }
  return all.filter(item => parts.some(part => nameOf(item).includes(part)))
}

async function run(contestants: Contestant[], columns: Column[]): Promise<void> {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: availableParallelism() }
  const load = loadavg()[0] ?? 0
  console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}, load ${load.toFixed(2)}`)
  if (load > machine.cores / 4) console.log("The machine is busy: take the figures with a grain of salt.")

  const running = new Map<string, Running>()
  for (const contestant of contestants) {
    const one = await startOne(contestant, columns)
    if (typeof one !== "string") running.set(contestant.name, one)
    else console.log(`Skipped ${contestant.name}: ${one}`)
  }
  if (running.size === 0) throw new Error("Nothing is left to measure")

  const rounds = await measureAll(running, columns)
  showProgress("")
  const summaries = contestants.filter(({ name }) => running.has(name)).map(one => summarize(one, rounds))
  console.log(`\n${print(summaries)}`)
  if (options.json) {
    const report = { machine: { ...machine, load }, plan, summaries, goals: judge(summaries) }
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
  }
}

/** Starts it and warms it up with each column, or says why it can't take part. */
async function startOne(contestant: Contestant, columns: Column[]): Promise<Running | string> {
  const absent = contestant.absent?.()
  if (absent) return absent
  if (contestant.isSlow && options.quick && !options.only) return "it takes too long for a quick bench"
  showProgress(`starting ${contestant.name}`)
  const own = join(folder, contestant.name.replaceAll(/\W+/g, "-"))
  mkdirSync(own)
  try {
    const running = await inTime(contestant.start({ processes, folder: own }))
    const warmUp = contestant.isSlow ? columns.slice(0, 2) : columns
    for (const { id } of warmUp) await inTime(running.measure({ column: id, ms: plan.sliceMs, least: 1 }))
    return running
  } catch (error) {
    return `it could not be started or does not work: ${(error as Error).message}`
  }
}

/** In turns, so that a drift of the machine hits all alike. */
async function measureAll(running: Map<string, Running>, columns: Column[]): Promise<Rounds> {
  const names = [...running.keys()]
  const rounds: Rounds = new Map(names.map(name => [name, new Map<string, Sample[]>()]))
  let turn = 0
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const { id, title } of columns) {
      const job: Job = { column: id, ms: plan.sliceMs, least: plan.least }
      for (const name of rotate(names, turn)) {
        showProgress(`round ${round} of ${plan.rounds}, ${title}, ${name}`)
        const sample = await inTime(running.get(name)!.measure(job)).catch((error: Error) => {
          throw new Error(`${name} failed at ${title}: ${error.message}`)
        })
        const cells = rounds.get(name)!
        cells.set(id, [...(cells.get(id) ?? []), sample])
      }
      turn += 1
    }
  }
  return rounds
}

function rotate<T>(items: T[], by: number): T[] {
  const at = by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

/** A contestant that stops answering ends the bench with its name, not with silence. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing in ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
