/**
 * The official conformance suite, directly against the fixture and through the hub: no check that passes directly
 * may fail through the hub, for either kind of client and every kind of upstream.
 *
 *   node compare.mjs [--direct] [--pair CLIENT:UPSTREAM] [--scenario NAME]
 *   node compare.mjs --pair 2026-07-28:stdio-legacy --scenario caching
 */
import { parseArgs } from "node:util"
import { compareFindings, countOf, exceptionsFor } from "./checks.ts"
import { EXCEPTIONS } from "./exceptions.mjs"
import { openProcesses } from "./processes.mjs"
import { requirementsOf, runSuite, serveFixture, serveHub } from "./suite.mjs"

const CLIENTS = ["2025-11-25", "2026-07-28"]
const UPSTREAMS = ["stdio-legacy", "stdio-modern", "http-legacy", "http-modern"]
/** Some scenarios give a server half a second to answer, so there are never more runs at once than this. */
const AT_ONCE = 2

const { values: options } = parseArgs({
  options: { direct: { type: "boolean" }, pair: { type: "string" }, scenario: { type: "string" } },
})

function choosePairs() {
  if (options.direct) return []
  const all = CLIENTS.flatMap(client => UPSTREAMS.map(upstream => ({ client, upstream })))
  const chosen = all.filter(({ client, upstream }) => !options.pair || options.pair === `${client}:${upstream}`)
  if (chosen.length > 0) return chosen
  throw new Error(
    `There is no pair ${options.pair}; say one of\n  ${all.map(p => `${p.client}:${p.upstream}`).join("\n  ")}`,
  )
}

function chooseClients(pairs) {
  const named = options.pair ? pairs.map(pair => pair.client) : CLIENTS
  const runs = revision => {
    const { scored, unscored } = requirementsOf(revision)
    return !options.scenario || [...scored, ...unscored].includes(options.scenario)
  }
  const clients = named.filter(runs)
  if (clients.length > 0) return clients
  throw new Error(`No scenario ${options.scenario} for ${named.join(" or ")}`)
}

/** `map`, with at most `AT_ONCE` under way; the results in order. */
async function mapSome(items, work) {
  const results = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

async function runDirect(processes, client) {
  const fixture = await serveFixture(processes)
  const findings = await runSuite(processes, { url: fixture.url, revision: client, scenario: options.scenario })
  await fixture.stop()
  const { scored } = requirementsOf(client)
  const failures = [...findings].flatMap(([scenario, checks]) =>
    checks
      .filter(check => check.status === "FAILURE")
      .map(check => ({ scenario, check: `${check.id} (${check.name})`, message: check.errorMessage ?? "" })),
  )
  return {
    client,
    findings,
    scored: failures.filter(failure => scored.includes(failure.scenario)),
    unscored: failures.filter(failure => !scored.includes(failure.scenario)),
  }
}

async function runPair(processes, { client, upstream }, direct) {
  try {
    const hub = await serveHub(processes, upstream)
    const findings = await runSuite(processes, { url: hub.url, revision: client, scenario: options.scenario })
    await hub.stop()
    return { findings, ...compareFindings(direct, findings, exceptionsFor(EXCEPTIONS, client, upstream)) }
  } catch (error) {
    // A hub that does not come up loses everything that passes directly.
    return { ...compareFindings(direct, new Map(), []), findings: new Map(), broken: error.message }
  }
}

const firstLine = message => message.split("\n")[0].slice(0, 300)

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => String(row[column]).length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
}

function printDirect(runs) {
  printTable([
    ["directly", "passed", "failed", "failed, not scored"],
    ...runs.map(run => [run.client, countOf(run.findings, "SUCCESS"), run.scored.length, run.unscored.length]),
  ])
  for (const run of runs) {
    for (const one of run.scored)
      console.log(`  FAILED ${run.client} ${one.scenario}: ${one.check}: ${firstLine(one.message)}`)
  }
}

function printPairs(runs) {
  console.log("")
  printTable([
    ["client", "upstream", "passed directly", "through the hub", "differences", "exceptions"],
    ...runs.map(({ pair, direct, result }) => [
      pair.client,
      pair.upstream,
      countOf(direct, "SUCCESS"),
      countOf(result.findings, "SUCCESS"),
      result.differences.length,
      result.excused.length,
    ]),
  ])
  for (const { pair, result } of runs) {
    const label = `${pair.client}:${pair.upstream}`
    if (result.broken) {
      console.log(`\n${label}: ${result.broken}`)
      continue
    }
    for (const one of result.differences) {
      console.log(`\n${label} ${one.scenario}: ${one.check}\n  ${one.direct} -> ${one.hub} ${firstLine(one.message)}`)
    }
    for (const { difference, reason } of result.excused) {
      console.log(`\n${label} ${difference.scenario}: ${difference.check}\n  excepted: ${reason}`)
    }
    for (const one of result.stale) {
      console.log(`\n${label} ${one.scenario} ${one.check ?? ""}\n  this exception is no longer needed: remove it`)
    }
  }
}

async function compare(processes) {
  const pairs = choosePairs()
  const clients = chooseClients(pairs)
  const direct = await mapSome(clients, client => runDirect(processes, client))
  printDirect(direct)
  const runs = await mapSome(
    pairs.filter(pair => clients.includes(pair.client)),
    async pair => {
      const { findings } = direct.find(run => run.client === pair.client)
      return { pair, direct: findings, result: await runPair(processes, pair, findings) }
    },
  )
  if (runs.length > 0) printPairs(runs)
  const sum = numbers => numbers.reduce((total, number) => total + number, 0)
  const passed =
    runs.length > 0 ? sum(runs.map(run => run.result.equal)) : sum(direct.map(run => countOf(run.findings, "SUCCESS")))
  const failed =
    sum(direct.map(run => run.scored.length)) +
    sum(runs.map(run => run.result.differences.length + run.result.stale.length))
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

const processes = openProcesses()
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
]) {
  process.once(signal, () => void processes.close().then(() => process.exit(code)))
}
try {
  process.exitCode = await compare(processes)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  await processes.close()
}
