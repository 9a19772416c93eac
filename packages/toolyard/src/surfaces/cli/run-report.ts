/** A run in a shell: its output as it comes, its value or its error at the end, and the exit code that says which. */
import { ERRORS, type ErrorCode } from "../../model/errors.ts"
import type { Approval, RunError, RunEvent, RunReport } from "../../model/run.ts"
import type { Io } from "./io.ts"
import { harmless, indent } from "./text.ts"

/** Prints what the script logs, and shows what it is doing. */
export function watchRun(io: Io): (event: RunEvent) => void {
  return event => {
    if (event.type === "log") printLog(io, event)
    else if (event.type === "call" && event.call.status === "running") io.progress(`calling ${event.call.tool} …`)
    else io.progress("")
  }
}

export function printLog(io: Io, { level, text }: { level: string; text: string }): void {
  if (level === "warn" || level === "error") io.err(io.errIsTerminal ? harmless(text) : text)
  else io.out(forOut(io, text))
}

/** A string as it is, everything else as JSON; nothing for nothing. */
export function printValue(io: Io, value: unknown): void {
  if (value !== undefined) io.out(forOut(io, typeof value === "string" ? value : JSON.stringify(value, null, 2)))
}

/** Whoever pipes the output wants it untouched; a terminal would obey what a script put into it. */
const forOut = (io: Io, text: string): string => (io.outIsTerminal ? harmless(text) : text)

export interface ReportOptions {
  json?: boolean
  /** Leave the value out. */
  quiet?: boolean
  /** What the script is called where its lines are named. */
  name?: string
}

/** Prints how it ended, without what was printed while it ran, and gives the exit code. */
export function printReport(io: Io, report: RunReport, options: ReportOptions): number {
  io.progress("")
  if (options.json) io.out(JSON.stringify(report))
  else {
    if (report.status === "completed" && !options.quiet) printValue(io, report.value)
    if (report.error) printRunError(io, report.error, options.name)
    if (report.status === "waiting") printWaiting(io, report)
    if (report.script !== undefined) io.err(io.paintErr.dim(`saved as ${report.script}`))
    if (report.more !== undefined && report.status !== "waiting") io.err(io.paintErr.dim(harmless(report.more)))
  }
  return exitOf(report)
}

export function printRunError(io: Io, error: RunError, name?: string): void {
  const { red, dim } = io.paintErr
  io.err(`${red("error:")} ${harmless(error.message)}`)
  if (error.stack) io.err(dim(harmless(name === undefined ? error.stack : renamed(error.stack, name))))
  // Of what a script itself throws there is nothing more to say.
  if (error.hint && error.code !== "script_error") io.err(`${dim("hint:")} ${harmless(error.hint)}`)
}

const renamed = (stack: string, name: string): string => stack.replace(/\bscript\.ts(?=:\d+:\d+$)/gm, () => name)

function printWaiting(io: Io, { runId, approvals = [] }: RunReport): void {
  io.err(`Run ${runId} waits for approval:`)
  for (const approval of approvals) io.err(indent(describeApproval(approval)))
  io.err(`Decide with \`toolyard approvals approve ${runId}\` or \`toolyard approvals deny ${runId}\`.`)
}

/** What a person has to know to decide. */
export function describeApproval({ tool, args, because, done, caller }: Approval): string {
  const before = done.map(step => `${step.tool}${step.status === "ok" ? "" : ` (${step.status})`}`)
  return harmless(
    [
      `${tool} ${JSON.stringify(args, null, 2)}`,
      `asked by ${caller}, because ${because}`,
      ...(before.length > 0 ? [`already done: ${before.join(", ")}`] : []),
    ].join("\n"),
  )
}

export function exitOf({ status, error }: Pick<RunReport, "status" | "error">): number {
  if (status === "waiting") return ERRORS.approval_required.exit
  if (status === "cancelled") return ERRORS.cancelled.exit
  if (status !== "failed") return 0
  const code = error?.code ?? "internal"
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].exit : 1
}
