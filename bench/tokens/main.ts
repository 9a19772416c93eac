/**
 * What a yard costs an agent in tokens: tools called directly, in parallel, found by search, and by code.
 *
 *   npm run bench tokens -- [--quick] [--data DIR] [--json FILE]
 *
 * Tools, tasks and searches are recorded ones; arguments and results are made up, the same in every arm.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { assignNames } from "../../packages/toolyard/src/catalog/naming.ts"
import { toTable } from "../code/table.ts"
import { openProcesses } from "../gateway/processes.ts"
import { type Account, meanOf } from "./account.ts"
import { openCatalogServers } from "./catalog-server.ts"
import { type Hub, startHub } from "./hub.ts"
import type { Tool } from "./plausible.ts"
import { ARMS, type Arm, definitionTokens, type Offers, type PathOf, type Replay, replay } from "./replay.ts"
import { readYards, type Task, type Yard } from "./yards.ts"

const MAX_DEFINITIONS = 2_600
/** Every so many-th script fails its check first. */
const CLUMSY = 5

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, data: { type: "string" }, json: { type: "string" } },
})
const dataDir = options.data ?? join(import.meta.dirname, "../../../shared/data")
if (!existsSync(dataDir)) {
  console.error(`No data at ${dataDir}: pass its folder with --data.`)
  process.exit(66)
}
const step = options.quick ? 12 : 3

const folder = mkdtempSync(join(tmpdir(), "bench-tokens-"))
const processes = openProcesses()
const catalogs = await openCatalogServers()
process.on("exit", () => {
  processes.kill()
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130))

interface Result {
  title: string
  tasks: number
  definitions: { direct: number; code?: number; auto: number }
  arms: Partial<Record<Arm, Account>>
  problems: string[]
}

const ASSUMPTIONS = `Tools are recorded ones, and so are the tasks and searches of the two largest yards and of "a task's own tools";
those of the two others are written for this bench. Arguments and results are made up, the same in every arm. Each tool
of a task is called once. Calls that only read, by their names, go together in "parallel direct" and in "search, no
code". A script returns what its last stage gave, and the other results stay inside: that is in favour of code mode.
One script in ${CLUMSY} is refused by the check first, a signature cut short is searched for, and direct calls never fail:
that is against it.
`

try {
  console.log(ASSUMPTIONS)
  const results: Result[] = []
  for (const yard of readYards(dataDir)) {
    const result = await measure({ ...yard, tasks: thin(yard.tasks) })
    results.push(result)
    console.log(`${print(result)}\n`)
  }
  console.log(`Goals\n${judge(results).join("\n")}`)
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  catalogs.close()
  await processes.close()
  process.exit()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

/** The written sets are short; of the long one, an even share. */
function thin(tasks: Task[]): Task[] {
  return tasks.length < 20 ? tasks : tasks.filter((_, at) => at % step === 0)
}

async function measure({ title, servers, tasks }: Yard): Promise<Result> {
  const replays: Replay[] = []
  const definitions: Result["definitions"][] = []
  const run = async (servers: Map<string, Tool[]>, tasks: [number, Task][]): Promise<void> => {
    const hub = await startHub(processes, folder, toAddresses(servers))
    const offers = await readOffers(hub)
    definitions.push({
      direct: definitionTokens(offers.direct),
      ...(offers.code && { code: definitionTokens(offers.code) }),
      auto: definitionTokens(offers.auto),
    })
    const pathOf = toPathOf(servers)
    for (const [at, task] of tasks) replays.push(await replay(task, hub, offers, pathOf, at % CLUMSY === CLUMSY - 1))
    await hub.stop()
  }
  const numbered = [...tasks.entries()]
  if (servers.size > 0) await run(servers, numbered)
  else for (const [at, task] of numbered) await run(ownServers(task), [[at, task]])

  const mean = (of: (one: Result["definitions"]) => number | undefined): number | undefined => {
    const known = definitions.map(of).filter(value => value !== undefined)
    return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
  }
  const code = mean(one => one.code)
  const arms: Result["arms"] = {}
  for (const arm of ARMS) {
    const accounts = replays.map(({ accounts }) => accounts[arm]).filter(account => account !== undefined)
    if (accounts.length === replays.length) arms[arm] = meanOf(accounts)
  }
  return {
    title,
    tasks: tasks.length,
    definitions: {
      direct: mean(one => one.direct)!,
      ...(code !== undefined && { code }),
      auto: mean(one => one.auto)!,
    },
    arms,
    problems: replays.flatMap(({ problems }) => problems),
  }
}

function toAddresses(servers: Map<string, Tool[]>): Map<string, string> {
  return new Map([...servers].map(([name, tools]) => [name, catalogs.add(tools)]))
}

async function readOffers(hub: Hub): Promise<Offers> {
  const [direct, code, auto] = [await hub.list("/mcp/all"), await hub.list("/mcp/code"), await hub.list("/mcp")]
  if (!direct || !auto) throw new Error("The hub does not serve /mcp/all and /mcp")
  return { direct, auto, ...(code?.some(({ name }) => name === "execute") && { code }) }
}

function toPathOf(servers: Map<string, Tool[]>): PathOf {
  const paths = new Map<Tool, string>()
  const serverNames = assignNames(servers.keys())
  for (const [at, tools] of [...servers.values()].entries()) {
    const toolNames = assignNames(tools.map(({ name }) => name))
    for (const [index, tool] of tools.entries()) paths.set(tool, `tools.${serverNames[at]}.${toolNames[index]}`)
  }
  return ({ tool }) => paths.get(tool)!
}

function ownServers({ tools }: Task): Map<string, Tool[]> {
  const servers = new Map<string, Tool[]>()
  for (const { server, tool } of tools) servers.set(server, [...new Set([...(servers.get(server) ?? []), tool])])
  return servers
}

function print({ title, tasks, definitions, arms, problems }: Result): string {
  const { direct, code, auto } = definitions
  const { direct: base } = arms
  const rows = ARMS.map(arm => {
    const account = arms[arm]
    if (!account || !base) return [arm, "–", "–", "–", "–", "–", "–"]
    const saved = (of: (account: Account) => number): string => `${(100 * (1 - of(account) / of(base))).toFixed(0)}%`
    const { total, cost, peak, turns } = account
    return [arm, ...[total, cost, peak].map(round), turns.toFixed(1), saved(a => a.total), saved(a => a.cost)]
  })
  return [
    `${title}, ${tasks} tasks. Definitions: direct ${round(direct)}, code mode ${code === undefined ? "–" : round(code)}, auto ${round(auto)} tokens.`,
    toTable(["mean of a task", "Σ(in + out)", "cache-weighted", "peak", "turns", "saved", "weighted"], rows),
    ...(code === undefined ? ["The hub serves no code mode: what needs it is left out."] : []),
    ...(problems.length > 0 ? [`${problems.length} calls did not go well, the first: ${problems[0]}`] : []),
  ].join("\n")
}

function round(value: number): string {
  return Math.round(value).toLocaleString("en")
}

function judge(results: Result[]): string[] {
  const [small, large] = [results[0]!, results.at(-1)!]
  const verdict = (reached: boolean | undefined, text: string): string =>
    `${reached === undefined ? "OPEN" : reached ? "PASS" : "FAIL"}  ${text}`
  const { code } = large.definitions
  const { auto, "parallel direct": parallel } = small.arms
  // Where there is no code mode to choose, a choice proves nothing.
  const chosen = code === undefined ? undefined : { definitions: small.definitions, auto: auto!, parallel: parallel! }
  return [
    verdict(
      code === undefined ? undefined : code < MAX_DEFINITIONS,
      `${large.title}: ${code === undefined ? "–" : round(code)} tokens of definitions in code mode, want < ${round(MAX_DEFINITIONS)}`,
    ),
    verdict(
      chosen && chosen.definitions.auto <= chosen.definitions.direct,
      `${small.title}: auto offers ${round(small.definitions.auto)} tokens, direct ${round(small.definitions.direct)}, want no more`,
    ),
    verdict(
      chosen && chosen.auto.total <= chosen.parallel.total && chosen.auto.cost <= chosen.parallel.cost,
      `${small.title}: a task with auto costs no more than direct`,
    ),
  ]
}
