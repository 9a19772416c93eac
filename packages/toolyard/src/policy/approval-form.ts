/** A question to a person as text and as a form, and what their answer means. */
import type { Call } from "../model/call.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import type { Approval } from "../model/run.ts"
import { type Outcome, oneLine, UNSEEN } from "./approval-question.ts"

const MAX_TEXT = 3_000
const MAX_STRING = 400
const MAX_DONE = 10
/** Shorter than the shortest time after which clients give up a call they hear nothing of. */
const REMIND_MS = 15_000
const MAX_REASON = 1_000

/** Whether the caller's client can show a form; one that names kinds of questions must name this one. */
export function canAsk({ capabilities: { elicitation } }: Call): boolean {
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(elicitation.form))
}

/**
 * Puts the question to the caller's own user. Undefined when that decided nothing and the question stays open: the
 * client failed or left, or, for a run, the form was put away. At a direct call nobody else may ever look, so there
 * a form that was put away is a denial, and says so.
 */
export async function askCaller(question: Approval, call: Call, signal: AbortSignal): Promise<Outcome | undefined> {
  const by = `the user of ${oneLine(call.caller.client ?? call.caller.surface)}`
  let answer: JsonObject
  try {
    answer = await call.ask("elicitation/create", toForm(question), signal)
  } catch {
    return undefined
  }
  const content = isObject(answer.content) ? answer.content : {}
  const said = typeof content.reason === "string" ? content.reason.trim().slice(0, MAX_REASON).toWellFormed() : ""
  const reason = said === "" ? {} : { reason: said }
  if (answer.action === "decline") return { outcome: "deny", by, ...reason }
  if (answer.action === "accept") {
    const { decision } = content
    if (decision === "approve" || decision === "always" || decision === "deny")
      return { outcome: decision, by, ...reason }
  }
  if (question.runId !== undefined) return undefined
  const how = answer.action === "accept" ? "the form was sent without a decision" : "the question was dismissed"
  return { outcome: "deny", by, reason: how }
}

/** Without `mode`, which clients of before 2025-11-25 don't know: a form is what its absence means. */
function toForm(question: Approval): JsonObject {
  const again = question.runId === undefined ? "until this client or the hub has ended" : "in this run"
  return {
    message: describeQuestion(question),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          enum: ["approve", "always", "deny"],
          enumNames: ["Approve this call", `Approve, and don't ask about this tool again ${again}`, "Deny"],
        },
        reason: { type: "string", title: "Reason", description: "What the agent is told, if you deny." },
      },
      required: ["decision"],
    },
  }
}

/** Tool, arguments and what was done before, of a length that fits a screen. */
export function describeQuestion({ id, runId, tool, args, because, done, caller }: Approval): string {
  const who = runId === undefined ? `${caller} wants to call` : `Run ${runId} of ${caller} wants to call`
  const lines = [`${who} ${tool} (${because}).`, "", "Arguments:", describeArgs(args, id)]
  if (runId !== undefined) lines.push("", ...describeDone(done))
  return lines.join("\n")
}

function describeArgs(args: JsonObject, id: string): string {
  // Each string by itself, so that a long one can't hide what comes after it.
  const short = (_key: string, value: unknown): unknown =>
    typeof value === "string" && value.length > MAX_STRING
      ? `${value.slice(0, MAX_STRING)}… (${value.length - MAX_STRING} more characters)`
      : value
  const text = JSON.stringify(args, short, 2).replaceAll(UNSEEN, toEscape)
  if (text.length <= MAX_TEXT) return text
  const rest = `… (${text.length - MAX_TEXT} more characters; \`toolyard approvals\` shows ${id} whole)`
  return `${text.slice(0, MAX_TEXT).toWellFormed()}\n${rest}`
}

function describeDone(done: Approval["done"]): string[] {
  if (done.length === 0) return ["The run has called nothing before."]
  const earlier = done.length - MAX_DONE
  return [
    "So far the run has called:",
    ...(earlier > 0 ? [`- … ${earlier} earlier calls`] : []),
    ...done.slice(-MAX_DONE).map(({ tool, status }) => `- ${tool}: ${status}`),
  ]
}

/** Says where to decide: once for those who read logs, and again and again for clients that would give up. */
export function remind({ id, tool }: Approval, call: Call): NodeJS.Timeout | undefined {
  const message = `waiting for approval of ${tool}: \`toolyard approvals approve ${id}\``
  call.notify("notifications/message", { level: "notice", logger: "toolyard", data: message })
  if (!call.wantsProgress) return undefined
  let steps = 0
  // Progress must grow, also into what the server reports of its work later: these steps are small.
  const report = (): void => call.progress({ progress: steps++ / 1000, message })
  report()
  return setInterval(report, REMIND_MS)
}

function toEscape(text: string): string {
  return [...text].map(character => `\\u{${character.codePointAt(0)?.toString(16)}}`).join("")
}
