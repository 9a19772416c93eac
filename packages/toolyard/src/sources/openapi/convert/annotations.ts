/** What the method of a request says about its effect. */
import type { JsonObject } from "../../../model/json.ts"

const READING = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"])

export function toAnnotations(method: string): JsonObject {
  if (READING.has(method)) return { readOnlyHint: true, openWorldHint: true }
  return {
    readOnlyHint: false,
    ...(method === "DELETE" ? { destructiveHint: true } : {}),
    ...(method === "PUT" || method === "DELETE" ? { idempotentHint: true } : {}),
    openWorldHint: true,
  }
}
