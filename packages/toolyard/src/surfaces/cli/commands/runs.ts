/** `toolyard runs [ID]` */
import { YardError } from "../../../model/errors.ts"
import type { RunCallDetails, RunDetails, RunReport, RunStatus } from "../../../model/run.ts"
import { withClient, type YardClient } from "../client.ts"
import type { Context } from "../deps.ts"
import type { Io } from "../io.ts"
import type { Paint } from "../paint.ts"
import { describeApproval, printLog, printReport, printRunError, printValue, watchRun } from "../run-report.ts"
import { columns, count, harmless, indent, localTime, milliseconds, oneLine } from "../text.ts"

export interface RunsOptions {
  limit: number
  replay?: boolean
  cancel?: boolean
  /** True for as long as it takes. */
  wait?: true | number
  config?: string
  json?: boolean
}

const NONE = { pick: () => new Set<string>() }

export async function runs(context: Context, options: RunsOptions, id: string | undefined): Promise<number> {
  const { replay, cancel, wait } = options
  const deeds = [replay, cancel, wait !== undefined].filter(Boolean).length
  if (deeds > 1) throw new YardError("usage", "--replay, --cancel and --wait exclude each other")
  if (deeds === 1 && id === undefined) throw new YardError("usage", "which run?", { hint: "See `toolyard runs`." })
  if (id === undefined) return list(context, options)
  if (deeds === 0) return show(context, options, id)
  // Only a run that goes on needs the servers.
  const about = wait === undefined ? NONE : {}
  const report = await withClient(context, { ...options, about }, client => change(context, options, id, client))
  return printReport(context.io, report, { json: options.json === true })
}

async function change(
  { io, signal }: Context,
  { replay, cancel, wait, json }: RunsOptions,
  id: string,
  { code, settle }: YardClient,
): Promise<RunReport> {
  if (replay) return code.replay(id, signal)
  if (cancel) return code.resume(id, { cancel: true, signal })
  await settle()
  const options = { signal, ...(!json && { watch: watchRun(io) }), ...(wait !== true && { waitMs: wait as number }) }
  let report = await code.resume(id, options)
  while (wait === true && report.status === "running") report = await code.resume(id, options)
  return report
}

async function list(context: Context, options: RunsOptions): Promise<number> {
  const { io } = context
  const found = await withClient(context, { ...options, about: NONE }, ({ code }) =>
    code.runs({ limit: options.limit }),
  )
  if (options.json) io.out(JSON.stringify({ runs: found }))
  else if (found.length === 0) io.err("There are no runs yet. `toolyard run -e CODE` makes one.")
  const { dim } = io.paint
  const rows = found.map(({ runId, status, startedAt, title, calls, error }) => [
    { text: runId },
    { text: status, paint: paintOf(status, io.paint) },
    { text: localTime(Date.parse(startedAt)), paint: dim },
    { text: count(calls, "call") },
    { text: oneLine(error ? `${title}  (${error.code})` : title), paint: dim },
  ])
  if (!options.json) for (const line of columns(rows, io.width)) io.out(line)
  return 0
}

async function show(context: Context, options: RunsOptions, id: string): Promise<number> {
  const { io } = context
  const run = await withClient(context, { ...options, about: NONE }, ({ code }) => code.run(id))
  if (options.json) io.out(JSON.stringify(run))
  else printDetails(io, run)
  return 0
}

export function printDetails(io: Io, run: RunDetails): void {
  const { bold, dim } = io.paint
  const { runId, status, startedAt, usage, script, code, input, calls, logs, value, error, approvals = [] } = run
  const took = run.endedAt === undefined ? "" : `, took ${milliseconds(usage.ms)} (${milliseconds(usage.cpuMs)} of CPU)`
  io.out(`${bold(runId)}  ${paintOf(status, io.paint)(status)}`)
  io.out(dim(`started ${localTime(Date.parse(startedAt))}${took}`))
  section(io, script === undefined ? "code" : `script ${script}`, [harmless(code).trimEnd()])
  if (input !== undefined) section(io, "input", [JSON.stringify(input, null, 2)])
  section(io, "calls", toTimeline(io, calls, Date.parse(startedAt)))
  if (logs.length > 0) {
    io.out(bold("logs"))
    for (const { text } of logs) printLog(io, { level: "log", text: indent(text) })
  }
  section(io, "waits for approval", approvals.map(describeApproval))
  if (value !== undefined) {
    io.out(bold("value"))
    printValue(io, value)
  }
  if (error) printRunError(io, error)
}

function section(io: Io, title: string, lines: string[]): void {
  if (lines.length === 0) return
  io.out(io.paint.bold(title))
  for (const line of lines) io.out(indent(line))
}

/** When each call began, counted from the start of the run, and how it went. */
function toTimeline(io: Io, calls: RunCallDetails[], start: number): string[] {
  const { dim, green, red, yellow } = io.paint
  const rows = calls.map(({ id, tool, status, ms, args, error, startedAt }) => [
    { text: String(id), paint: dim },
    { text: `+${Date.parse(startedAt) - start} ms`, paint: dim },
    { text: tool },
    { text: status, paint: status === "ok" ? green : status === "error" ? red : yellow },
    { text: ms === undefined ? "" : milliseconds(ms) },
    { text: oneLine(error ? `${error.code}: ${error.message}` : JSON.stringify(args)), paint: dim },
  ])
  return columns(rows, io.width === undefined ? undefined : io.width - 2)
}

function paintOf(status: RunStatus, { green, red, yellow, cyan }: Paint): (text: string) => string {
  return { completed: green, failed: red, cancelled: red, waiting: yellow, running: cyan }[status]
}
