/**
 * Latency, throughput, CPU and memory of toolyard as a gateway, beside its npm peers and beside no gateway at all.
 *
 *   npm run bench gateway -- [--quick] [--only NAME,…] [--rounds N] [--slice MS] [--json FILE]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Contestant, Running } from "./contestants/contestant.ts"
import { CONTESTANTS } from "./contestants/index.ts"
import { measureAll, type Plan, tryOut } from "./measure.ts"
import { gatewayPids, rssMbOf } from "./proc.ts"
import { openProcesses, type Processes } from "./processes.ts"
import { judge, type Summary, summarize } from "./summary.ts"
import { toTables } from "./table.ts"

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string" },
    slice: { type: "string" },
    json: { type: "string" },
  },
})

const folder = mkdtempSync(join(tmpdir(), "bench-gateway-"))
const processes = openProcesses()
process.on("exit", () => {
  processes.kill()
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

try {
  await run(chosen(options.only), toPlan(), processes)
  await processes.close()
  // A lane that a contestant keeps half open must not keep the bench alive.
  process.exit()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

function toPlan(): Plan {
  const plan = options.quick ? { rounds: 2, sliceMs: 200, warmUpMs: 500 } : { rounds: 5, sliceMs: 400, warmUpMs: 1600 }
  if (options.rounds) plan.rounds = Number(options.rounds)
  if (options.slice) plan.sliceMs = Number(options.slice)
  if (!(plan.rounds >= 1 && plan.sliceMs >= 1)) throw new Error("--rounds and --slice take a number of 1 or more")
  return plan
}

/** `--only toolyard` means both of its lines: a part of a name is enough. */
function chosen(only: string | undefined): Contestant[] {
  if (only === undefined) return CONTESTANTS
  const parts = only.split(",").map(part => part.trim())
  for (const part of parts) {
    if (CONTESTANTS.some(({ name }) => name.includes(part))) continue
    throw new Error(`No contestant is called "${part}". There are: ${CONTESTANTS.map(({ name }) => name).join(", ")}.`)
  }
  return CONTESTANTS.filter(({ name }) => parts.some(part => name.includes(part)))
}

async function run(contestants: Contestant[], plan: Plan, processes: Processes): Promise<void> {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    loadAtStart: loadavg()[0] ?? 0,
  }
  console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}, load ${machine.loadAtStart.toFixed(2)}`)
  if (machine.loadAtStart > machine.cores / 4)
    console.log("The machine is busy: take the figures with a grain of salt.")

  const running = new Map<string, Running>()
  const rssIdle = new Map<string, number | undefined>()
  for (const contestant of contestants) {
    const absent = contestant.absent?.()
    if (absent) {
      console.log(`Skipped ${contestant.name}: ${absent}`)
      continue
    }
    const one = await startOne(contestant, processes)
    running.set(contestant.name, one)
    rssIdle.set(contestant.name, rssOf(one))
  }
  if (running.size === 0) throw new Error("Nothing is left to measure")

  const rounds = await measureAll(running, plan, showProgress)
  showProgress("")
  const summaries: Summary[] = contestants
    .filter(({ name }) => running.has(name))
    .map(contestant => ({
      ...summarize(contestant, rounds),
      rssIdleMb: rssIdle.get(contestant.name),
      rssAfterMb: rssOf(running.get(contestant.name)!),
    }))
  console.log(`\n${toTables(summaries)}`)
  if (options.json) {
    writeFileSync(options.json, `${JSON.stringify({ machine, plan, summaries, goals: judge(summaries) }, null, 2)}\n`)
  }
}

async function startOne(contestant: Contestant, processes: Processes): Promise<Running> {
  showProgress(`starting ${contestant.name}`)
  const own = join(folder, contestant.name.replaceAll(/\W+/g, "-"))
  mkdirSync(own)
  try {
    const running = await contestant.start({ processes, folder: own })
    await tryOut(running)
    return running
  } catch (error) {
    throw new Error(`${contestant.name} could not be started: ${(error as Error).message}`)
  }
}

function rssOf({ pid }: Running): number | undefined {
  return pid === undefined ? undefined : rssMbOf(gatewayPids(pid))
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
