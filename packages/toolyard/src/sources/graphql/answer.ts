/** The answer of a GraphQL server as the result of a tool. */
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"
import { type Answer, answerResult, jsonResult, parsed, type ResultDeps } from "../openapi/wire/result.ts"

const MAX_ERRORS = 10

/** Errors may come with data, and with any status. */
export async function toGraphQlResult(field: string, answer: Answer, deps: ResultDeps): Promise<ToolResult> {
  const body = answer.isCut ? undefined : parsed(answer.bytes.toString())?.json
  if (!isObject(body) || (!("data" in body) && !Array.isArray(body.errors))) {
    const result = await answerResult("POST", answer, deps)
    return { ...result, isError: true }
  }
  const errors = Array.isArray(body.errors) ? body.errors : []
  const value = isObject(body.data) ? (body.data[field] ?? null) : null
  const said = errors.slice(0, MAX_ERRORS).map(toLine).join("\n")
  if (errors.length > 0 && value === null) return { isError: true, content: [{ type: "text", text: said }] }
  const result = jsonResult(JSON.stringify(value), value, false)
  if (errors.length === 0) return result
  const note = { type: "text", text: `(Not all of it could be had:\n${said})` }
  return { ...result, content: [...(result.content as JsonObject[]), note] }
}

function toLine(error: unknown): string {
  if (!isObject(error)) return String(error)
  const path = Array.isArray(error.path) && error.path.length > 0 ? ` (at ${error.path.join(".")})` : ""
  const code =
    isObject(error.extensions) && typeof error.extensions.code === "string" ? `${error.extensions.code}: ` : ""
  return `${code}${String(error.message ?? "unknown error")}${path}`
}
