/** A run that somebody sits in front of: they are asked what must be decided, and it ends when they leave. */
import type { Decision, RunReport, RunRequest } from "../../model/run.ts"
import type { CodeClient, FollowOptions } from "./code-client.ts"
import type { Io } from "./io.ts"
import { describeApproval, watchRun } from "./run-report.ts"
import { indent } from "./text.ts"

/** Puts a line to the person and gives what they type. */
export type Prompt = (question: string, signal: AbortSignal) => Promise<string>

export interface Seat {
  io: Io
  code: CodeClient
  signal: AbortSignal
  /** None where nobody can be asked: the run is then left waiting. */
  prompt?: Prompt
  /** Whether to print what the script logs. */
  shows: boolean
}

/** How long the hub is given to end a run that nobody wants any more. */
const CANCEL_MS = 5_000

export async function followRun(seat: Seat, request: RunRequest): Promise<RunReport> {
  const { code, signal } = seat
  const options: FollowOptions = { signal, ...(seat.shows && { watch: watchRun(seat.io) }) }
  let report = await code.execute(request, options)
  try {
    for (;;) {
      signal.throwIfAborted()
      const asks = report.status === "waiting" && seat.prompt && report.approvals?.length
      if (!asks && report.status !== "running") return wholeValue(code, report)
      const decision = asks ? { decision: await decideAll(seat, seat.prompt as Prompt, report) } : {}
      report = await code.resume(report.runId, { ...options, ...decision })
    }
  } catch (error) {
    // Until the report was there, leaving ended it; from then on it must be said.
    if (signal.aborted) await cancel(code, report.runId)
    throw error
  }
}

/** A report is cut to what a model can take; a shell can take everything. */
async function wholeValue(code: CodeClient, report: RunReport): Promise<RunReport> {
  if (report.status !== "completed" || report.more === undefined) return report
  const { more: _, ...rest } = report
  return { ...rest, value: (await code.run(report.runId)).value }
}

async function cancel(code: CodeClient, runId: string): Promise<void> {
  await code.resume(runId, { cancel: true, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {})
}

/** All but the last are decided one by one; the last decision takes the run up again. */
async function decideAll({ io, code, signal }: Seat, prompt: Prompt, report: RunReport): Promise<Decision> {
  const { approvals = [] } = report
  let decision: Decision = "deny"
  for (const [index, approval] of approvals.entries()) {
    io.err(`${io.paintErr.yellow("The script wants to call")}\n${indent(describeApproval(approval))}`)
    decision = await askDecision(prompt, signal)
    if (index < approvals.length - 1) await code.decide(approval.id, decision)
  }
  return decision
}

const ANSWERS: Record<string, Decision> = { y: "approve", yes: "approve", a: "always", always: "always" }
const REFUSALS = new Set(["n", "no"])

export async function askDecision(prompt: Prompt, signal: AbortSignal): Promise<Decision> {
  for (;;) {
    const answer = (await prompt("Approve? [y]es, [n]o, [a]lways in this run: ", signal)).trim().toLowerCase()
    const decision = Object.hasOwn(ANSWERS, answer) ? ANSWERS[answer] : undefined
    if (decision) return decision
    if (REFUSALS.has(answer)) return "deny"
  }
}

/** Asks on the terminal, where there is one on both sides. */
export function terminalPrompt(io: Io): Prompt | undefined {
  if (!io.stdin.isTTY || !io.errIsTerminal) return undefined
  return async (question, signal) => {
    const { createInterface } = await import("node:readline/promises")
    const lines = createInterface({ input: io.stdin, output: process.stderr })
    // In this mode of the terminal Ctrl-C is a key and not a signal.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    // Nobody is there any more who could answer.
    const left = new Promise<string>(resolve => lines.once("close", () => resolve("n")))
    try {
      return await Promise.race([lines.question(question, { signal }), left])
    } finally {
      lines.close()
    }
  }
}
