/** What a JSON-RPC message must look like before anything else is asked of it. */
import { YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { RequestId } from "../../model/mcp.ts"
import type { LegacySession } from "./legacy-session.ts"

/** An empty array is no batch but a broken message, and is answered as one. */
export function isBatch(body: unknown, session: LegacySession): body is unknown[] {
  return Array.isArray(body) && body.length > 0 && session.hasBatches
}

/** One JSON-RPC message in shape: the version, and a method, or an answer with an id. */
export function checkShape(body: unknown): YardError | undefined {
  if (!isObject(body)) return new YardError("invalid_request", "the message is not an object")
  if (body.jsonrpc !== "2.0") return new YardError("invalid_request", '`jsonrpc` must be "2.0"')
  const { id, method, params } = body
  if (id !== undefined && typeof id !== "string" && !(typeof id === "number" && Number.isFinite(id))) {
    return new YardError("invalid_request", "`id` must be a string or a number")
  }
  if (method === undefined) {
    const isAnswer = id !== undefined && (body.result !== undefined || body.error !== undefined)
    return isAnswer ? undefined : new YardError("invalid_request", "`method` is missing")
  }
  if (typeof method !== "string") return new YardError("invalid_request", "`method` must be a string")
  if (params !== undefined && !isObject(params))
    return new YardError(id === undefined ? "invalid_request" : "invalid_params", "`params` must be an object")
  return undefined
}

export function echoId(body: unknown): RequestId | null {
  const id = isObject(body) ? body.id : undefined
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null
}
