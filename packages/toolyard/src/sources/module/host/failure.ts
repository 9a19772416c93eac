/** What an author's function throws, as a result that a model can read and an author can find. */
import { ERRORS } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { isBlock, textBlock } from "./blocks.ts"
import { NotJson, toJsonValue } from "./json-value.ts"
import type { Places } from "./places.ts"
import { InvalidValue } from "./standard-schema.ts"

const MOST_CAUSES = 5

export function toErrorResult(error: unknown, places: Places): JsonObject {
  const { content, code } = isObject(error) ? error : {}
  if (Array.isArray(content) && content.length > 0 && content.every(isBlock))
    return { isError: true, content: toJsonValue(content) }
  const isOurs = error instanceof NotJson || error instanceof InvalidValue
  const where = isOurs ? undefined : places.of(error)
  const lines = [messageOf(error), ...(where ? [`    at ${where}`] : []), ...causesOf(error, places)]
  const isKnown = typeof code === "string" && Object.hasOwn(ERRORS, code)
  return {
    isError: true,
    content: [textBlock(lines.join("\n"))],
    ...(isKnown && { _meta: { "toolyard/error": { code, message: lines[0] } } }),
  }
}

function causesOf(error: unknown, places: Places): string[] {
  const lines: string[] = []
  let at = error
  for (let i = 0; i < MOST_CAUSES && isObject(at) && at.cause !== undefined; i++) {
    at = at.cause
    const where = places.of(at)
    lines.push(`caused by: ${messageOf(at)}${where ? ` (at ${where})` : ""}`)
  }
  return lines
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const each = error.errors.map(messageOf).join("\n")
    return error.message ? `${error.message}\n${each}` : each
  }
  if (isObject(error) && typeof error.message === "string") return error.message || String(error.name ?? "Error")
  if (typeof error === "string") return error || "the tool threw an empty text"
  try {
    return `the tool threw ${JSON.stringify(error) ?? String(error)}`
  } catch {
    return "the tool threw something that is no error"
  }
}
