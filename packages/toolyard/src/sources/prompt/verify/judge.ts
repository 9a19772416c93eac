/** What one trial of a handler shows. The harder the evidence, the harder the verdict: see `Finding`. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { differences } from "../endpoint.ts"
import type { PlannedTool } from "../model.ts"
import { isErrorValue } from "../run/error-value.ts"
import { isObjectSchema } from "../run/relax-schema.ts"
import type { HandlerEnd } from "../run/run-handler.ts"
import type { Behaviour, Exchange } from "./upstream.ts"

export interface Judged {
  severity: "fault" | "doubt" | "note"
  message: string
}

/** Thrown by the language, not by the author: a mistake in the handler. */
const MISTAKES = new Set(["TypeError", "ReferenceError", "InternalError", "RangeError"])
/** The sandbox ended it. */
const ENDED = new Set(["limit", "crash", "Stuck"])

const fault = (message: string): Judged => ({ severity: "fault", message })
const doubt = (message: string): Judged => ({ severity: "doubt", message })
const note = (message: string): Judged => ({
  severity: "note",
  message: `${message}; the documentation shows no answer`,
})

export function judgeAnswer(
  tool: PlannedTool,
  name: string,
  args: JsonObject,
  end: HandlerEnd,
  exchanges: readonly Exchange[],
): Judged[] {
  const found: Judged[] = []
  const isOdd = name === "odd text"
  const weaken = (judged: Judged): Judged => (isOdd && judged.severity === "fault" ? doubt(judged.message) : judged)
  if (end.how === "error") found.push(...judgeThrown(tool, end, exchanges).map(weaken))
  else if (end.value === undefined) found.push(fault("it gave no value: it must return what the tool is for"))
  else if (isErrorValue(end.value) && isProven(exchanges) && !isOdd) {
    found.push(fault(`it reported an error for a good answer: ${brief(end.value)}`))
  } else if (tool.outputSchema && isObjectSchema(tool.outputSchema) && !isObject(end.value)) {
    const message = `it gave ${brief(end.value)}, though the tool's outputSchema says an object`
    found.push(tool.needsNetwork && !isProven(exchanges) ? note(message) : fault(message))
  }
  // Who refuses the arguments sends nothing, and is right not to.
  const hasRefused =
    end.how === "error" && exchanges.length === 0 && found.every(({ severity }) => severity !== "fault")
  if (tool.needsNetwork && !hasRefused) found.push(...judgeRequests(tool, args, exchanges).map(weaken))
  return found
}

function judgeThrown(tool: PlannedTool, end: HandlerEnd & { how: "error" }, exchanges: readonly Exchange[]): Judged[] {
  const said = `it threw ${describe(end)}`
  if (ENDED.has(end.name))
    return [fault(end.name === "Stuck" ? "it never ended: it waits for something that can't come" : end.message)]
  if (end.name === "ReferenceError") return [fault(said)]
  // The arguments are made up, and a tool may well refuse them.
  if (!tool.needsNetwork) return [MISTAKES.has(end.name) ? fault(said) : doubt(said)]
  if (exchanges.length === 0) return [MISTAKES.has(end.name) ? fault(said) : doubt(`${said} for made-up arguments`)]
  return [isProven(exchanges) ? fault(said) : note(said)]
}

function judgeRequests(tool: PlannedTool, args: JsonObject, exchanges: readonly Exchange[]): Judged[] {
  const found: Judged[] = []
  const { endpoint } = tool
  const planned = endpoint && `${endpoint.method} ${endpoint.url}`
  if (exchanges.length === 0) return [fault(`it sent no request${planned ? `; ${planned} was planned` : ""}`)]
  for (const { response, url } of exchanges) {
    if ("error" in response) found.push(fault(`it asked for ${url}: ${response.error}`))
  }
  if (endpoint) {
    const each = exchanges.map(sent => ({ sent, lacks: differences(endpoint, args, sent) }))
    const [nearest] = each.toSorted((a, b) => a.lacks.length - b.lacks.length)
    if (nearest && nearest.lacks.length > 0) {
      found.push(
        fault(`no request is ${planned}; of ${nearest.sent.method} ${nearest.sent.url}, ${nearest.lacks.join("; ")}`),
      )
    }
  }
  for (const { headers, body, method } of exchanges) {
    const wanted = body === undefined ? undefined : contentTypeOf(body)
    const type = headers["content-type"] ?? ""
    if (wanted && !wanted.test(type))
      found.push(fault(`its ${method} body is sent as ${type || "no type"}: set the header content-type`))
  }
  return found
}

/** A failure of the upstream must come out as one. */
export function judgeFailure(
  behaviour: Behaviour,
  code: string,
  end: HandlerEnd,
  exchanges: readonly Exchange[],
): Judged[] {
  if (exchanges.length === 0) return []
  const what = {
    answers: "",
    404: "the upstream answered 404",
    500: "the upstream answered 500",
    "not-json": "the upstream answered 200 with an HTML page",
    timeout: "the upstream did not answer in time",
  }[behaviour]
  if (end.how === "error") {
    if (ENDED.has(end.name)) return [fault(`${what}, and it did not end: ${end.message}`)]
    return MISTAKES.has(end.name)
      ? [
          fault(
            `${what}, and it broke with ${describe(end)}; check \`response.ok\` and throw an Error that says what was answered`,
          ),
        ]
      : []
  }
  if (isErrorValue(end.value)) return []
  // Not to be there is an answer too, where the handler means it to be one.
  if (behaviour === "404" && (end.value === null || /\b404\b/.test(code))) return []
  // Who asked for text got text.
  if (behaviour === "not-json" && JSON.stringify(end.value ?? null).includes("Down for maintenance")) return []
  return [
    fault(`${what}, and it gave ${brief(end.value)} as if all were well; throw an Error that says what was answered`),
  ]
}

function isProven(exchanges: readonly Exchange[]): boolean {
  return exchanges.length > 0 && exchanges.every(({ from }) => from === "documentation")
}

function contentTypeOf(body: string): RegExp | undefined {
  try {
    const value: unknown = JSON.parse(body)
    if (isObject(value) || Array.isArray(value)) return /[/+]json/i
  } catch {}
  return undefined
}

function describe({ name, message, line }: HandlerEnd & { how: "error" }): string {
  return `${name ? `${name}: ` : ""}${message}${line === undefined ? "" : ` (line ${line})`}`
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
