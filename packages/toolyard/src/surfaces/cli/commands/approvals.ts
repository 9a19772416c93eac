/** `toolyard approvals [approve ID | deny ID]` */
import { toYardError, YardError } from "../../../model/errors.ts"
import { nearest } from "../../../model/nearest.ts"
import type { Approval, Decision, RunReport } from "../../../model/run.ts"
import { withClient, type YardClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { describeApproval, printReport, watchRun } from "../run-report.ts"
import { indent, localTime } from "../text.ts"

export interface ApprovalsOptions {
  always?: boolean
  reason?: string
  config?: string
  json?: boolean
}

interface Decided {
  approvals: Approval[]
  /** How the run went on, where it went on here. */
  report?: RunReport
}

export async function approvals(
  context: Context,
  options: ApprovalsOptions,
  action: string | undefined,
  id: string | undefined,
): Promise<number> {
  const { io } = context
  if (action === undefined) return list(context, options)
  const decision = toDecision(action, options)
  if (id === undefined) throw new YardError("usage", `${action} what?`, { hint: "See `toolyard approvals`." })
  const { approvals: decided, report } = await withClient(context, options, client =>
    decide(context, options, client, { id, decision }),
  )
  if (options.json) {
    io.out(JSON.stringify({ approvals: decided, ...(report && { report }) }))
    return 0
  }
  for (const { tool, runId } of decided)
    io.err(`${decision === "deny" ? "Denied" : "Approved"} ${tool}${runId === undefined ? "" : ` of run ${runId}`}.`)
  return report ? printReport(io, report, {}) : 0
}

function toDecision(action: string, { always, reason }: ApprovalsOptions): Decision {
  if (action !== "approve" && action !== "deny") {
    const near = nearest(action, ["approve", "deny"])
    throw new YardError("usage", `there is no "${action}"${near ? `; did you mean "${near}"?` : ""}`, {
      hint: "Write `toolyard approvals approve ID` or `toolyard approvals deny ID`.",
    })
  }
  if (action === "deny" && always) throw new YardError("usage", "--always belongs to approve")
  if (action === "approve" && reason !== undefined) throw new YardError("usage", "--reason belongs to deny")
  return action === "deny" ? "deny" : always ? "always" : "approve"
}

async function list(context: Context, options: ApprovalsOptions): Promise<number> {
  const { io } = context
  const about = { pick: () => new Set<string>() }
  const waiting = await withClient(context, { ...options, about }, ({ code }) => code.approvals())
  if (options.json) io.out(JSON.stringify({ approvals: waiting }))
  else if (waiting.length === 0) io.err("Nothing waits for a decision.")
  else
    for (const approval of waiting) {
      const { id, runId, expiresAt } = approval
      io.out(`${io.paint.bold(id)}${runId === undefined ? "" : io.paint.dim(`  run ${runId}`)}`)
      io.out(indent(describeApproval(approval)))
      io.out(io.paint.dim(`  until ${localTime(Date.parse(expiresAt))}`))
    }
  return 0
}

/** A hub takes its runs up again by itself; without one it is done here, since nobody else would. */
async function decide(
  { io, signal }: Context,
  { reason, json }: ApprovalsOptions,
  client: YardClient,
  { id, decision }: { id: string; decision: Decision },
): Promise<Decided> {
  const { code } = client
  if (client.hub) return { approvals: await code.decide(id, decision, reason) }
  const waiting = (await code.approvals()).filter(approval => approval.id === id || approval.runId === id)
  if (waiting.some(({ runId }) => runId !== undefined)) await client.settle()
  const decided = await code.decide(id, decision, reason)
  const runId = decided.find(approval => approval.runId !== undefined)?.runId
  if (runId === undefined) return { approvals: decided }
  const options = { signal, ...(!json && { watch: watchRun(io) }) }
  try {
    let report = await code.resume(runId, options)
    while (report.status === "running") report = await code.resume(runId, options)
    return { approvals: decided, report }
  } catch (error) {
    // Another command holds it, and goes on by itself.
    if (toYardError(error).code === "unknown_run") return { approvals: decided }
    throw error
  }
}
