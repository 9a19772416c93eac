/** What `execute` and `resume` give: a run as an agent can use it, never larger than a model can take. */
import type { RunReport } from "../model/run.ts"
import { estimateTokens } from "../model/tokens.ts"
import type { Blobs } from "../state/types.ts"
import { toCallInfo } from "./runs/call-state.ts"
import type { Run } from "./runs/run.ts"
import { capForModel } from "./value/cap.ts"

/** What a model is given at most, of the value and of everything else. */
const MAX_TOKENS = 25_000
const MAX_LOG_TOKENS = 4_000
const MAX_CALLS = 100

export async function toReport(run: Run, blobs: Blobs): Promise<RunReport> {
  const more: string[] = []
  const report: RunReport = { runId: run.id, status: run.status, logs: [], calls: [], usage: run.usage }
  if (run.status === "completed" && run.value !== "") {
    const { value, overflow } = await capForModel(JSON.parse(run.value) as unknown, { maxTokens: MAX_TOKENS, blobs })
    report.value = value
    if (overflow)
      more.push(
        `The value was shortened; the whole of it (${overflow.size} bytes) is at ${overflow.uri}: read it as a resource, or filter it in another script with \`await results.get("${run.id}")\`.`,
      )
  }
  if (run.error) report.error = run.error

  const lines = run.logs.map(({ level, text }) => (level === "warn" || level === "error" ? `${level}: ${text}` : text))
  report.logs = lastWithin(lines, MAX_LOG_TOKENS)
  if (report.logs.length < lines.length)
    more.push(
      `${lines.length - report.logs.length} earlier log lines are kept with the run: \`toolyard runs ${run.id}\`.`,
    )

  const calls = run.listed()
  report.calls = calls.slice(-MAX_CALLS).map(toCallInfo)
  if (calls.length > MAX_CALLS)
    more.push(`${calls.length - MAX_CALLS} earlier calls are kept with the run: \`toolyard runs ${run.id}\`.`)

  if (run.status === "waiting") {
    report.approvals = run.approvals
    more.push(
      `A person must decide. Ask the user, then call resume with { runId: "${run.id}", decision: "approve" | "always" | "deny" }; or they run \`toolyard approvals\`.`,
    )
  }
  if (run.status === "running") more.push(`It still works: call resume with { runId: "${run.id}" } to wait for it.`)
  if (run.savedAs !== undefined) report.script = run.savedAs
  if (more.length > 0) report.more = more.join(" ")
  return report
}

function lastWithin(lines: string[], maxTokens: number): string[] {
  let left = maxTokens
  let from = lines.length
  while (from > 0) {
    left -= estimateTokens(lines[from - 1] as string) + 1
    if (left < 0) break
    from--
  }
  return lines.slice(from)
}

/** The same in a few lines, for clients that read no structured content. */
export function reportText(report: RunReport): string {
  const { runId, status, value, error, logs, calls, approvals, more, script } = report
  const parts: string[] = []
  if (value !== undefined) parts.push(typeof value === "string" ? value : JSON.stringify(value))
  else if (status === "completed") parts.push("(no value)")
  if (error) {
    const place = error.line === undefined ? "" : ` (line ${error.line}, column ${error.column})`
    parts.push(`${error.code}: ${error.message}${place}${error.hint ? `\n${error.hint}` : ""}`)
  }
  if (logs.length > 0) parts.push(`logs:\n${logs.join("\n")}`)
  const failed = calls.filter(call => call.error)
  if (calls.length > 0 && (status !== "completed" || failed.length > 0))
    parts.push(
      `calls:\n${calls.map(({ tool, status: how, error: why }) => `${tool}: ${why ? `${why.code}: ${why.message}` : how}`).join("\n")}`,
    )
  for (const { tool, args, because } of approvals ?? [])
    parts.push(`waits for approval of ${tool} with ${JSON.stringify(args)} (${because})`)
  if (script !== undefined) parts.push(`saved as ${script}`)
  if (more !== undefined) parts.push(more)
  if (status !== "completed") parts.push(`run ${runId}: ${status}`)
  return parts.join("\n\n")
}
