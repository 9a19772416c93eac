/** What a handler gave or threw, as the result of a `tools/call`: a failure says what to do about it. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { WRAPPED } from "../../../model/mcp.ts"
import type { ToolResult } from "../../../model/source.ts"
import { isErrorValue } from "./error-value.ts"
import type { RelaxedOutput } from "./relax-schema.ts"
import type { HandlerEnd } from "./run-handler.ts"

/** What happened on the way. */
export interface Trail {
  /** What a refused fetch said. */
  refusals: string[]
  /** The last answer of an upstream that was a failure. */
  failure?: { method: string; url: string; status: number; body: string }
}

const MAX_BODY = 2000

/** `output` is what was promised of the result, if anything. */
export function toToolResult(tool: string, end: HandlerEnd, trail: Trail, output?: RelaxedOutput): ToolResult {
  if (end.how === "error") return failed([describe(tool, end), ...about(trail, end.message)])
  const { value } = end
  if (value === undefined) {
    return failed([
      `${tool} gave no value.`,
      "Say in the prompt what it should return, and generate it again.",
      ...about(trail, ""),
    ])
  }
  if (isErrorValue(value)) {
    if (isObject(value) && value.isError === true && isContent(value.content)) return value
    return failed([textOf(value), ...about(trail, textOf(value))])
  }
  if (output?.wrapped)
    return { content: [textBlock(textOf(value))], structuredContent: { result: value }, _meta: { [WRAPPED]: true } }
  if (isObject(value) && isContent(value.content) && Object.keys(value).every(key => RESULT_KEYS.has(key))) return value
  if (output && !isObject(value)) {
    const advice = "Say in the prompt what it should return, or edit its plan or its handler."
    return failed([`${tool} was to give an object, and gave ${cut(textOf(value))}`, advice, ...about(trail, "")])
  }
  return { content: [textBlock(textOf(value))], ...(isObject(value) && { structuredContent: value }) }
}

const RESULT_KEYS = new Set(["content", "structuredContent", "isError", "_meta"])

function describe(tool: string, { name, message, code, line }: HandlerEnd & { how: "error" }): string {
  if (code === "limit_time")
    return `${tool} was ended: ${message}. Ask for less, or say in the prompt how to ask for less at once.`
  if (name === "limit" || name === "crash") return `${tool} was ended: ${message}.`
  if (name === "Stuck")
    return `${tool} never ended: its handler waits for something that can't come. Generate it again, or edit it.`
  const place = line === undefined ? "" : ` (line ${line} of its handler)`
  const isMistake = name === "TypeError" || name === "ReferenceError" || name === "RangeError"
  // Another prompt does not help against what an upstream says, but it does against a handler that expected something else.
  const advice = isMistake
    ? " The answer was not what its handler expects: say in the prompt what it looks like, or edit the handler."
    : ""
  return `${message || name || "it failed and did not say why"}${isMistake ? place : ""}.${advice}`.replace(
    /([.!?])\.(?= |$)/,
    "$1",
  )
}

/** What the handler may have kept to itself. */
function about({ refusals, failure }: Trail, said: string): string[] {
  const lines = refusals.filter(refusal => !said.includes(refusal))
  if (!failure) return lines
  const { method, url, status, body } = failure
  const shown = cut(body)
  if (said.includes(String(status)) && (shown.trim() === "" || said.includes(shown.trim().slice(0, 40)))) return lines
  return [...lines, `${method} ${url} answered ${status}${shown.trim() === "" ? "" : `: ${shown}`}`]
}

function cut(text: string): string {
  return text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text
}

function failed(lines: string[]): ToolResult {
  return { isError: true, content: [textBlock(lines.join("\n"))] }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function textBlock(text: string): JsonObject {
  return { type: "text", text }
}

function isContent(content: unknown): boolean {
  return Array.isArray(content) && content.every(block => isObject(block) && typeof block.type === "string")
}
