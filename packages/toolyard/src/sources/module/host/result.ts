/** From what a function gives to the result of a `tools/call`. */
import { isObject, type JsonObject, withRaw } from "../../../model/json.ts"
import { bytesBlock, isBlock, textBlock } from "./blocks.ts"
import type { Collected } from "./collect.ts"
import { asBytes, NotJson, toJsonValue } from "./json-value.ts"

/** What the hub still reads in one line, with some room for what is around it. */
const MAX_RESULT_BYTES = 100 * 1024 * 1024
const RESULT_KEYS = new Set(["content", "isError", "structuredContent", "_meta"])

/** What the tool has promised of its result. */
export interface Promised {
  hasSchema: boolean
  wrapped: boolean
}

export function toResult({ value, mediaType, text, failed }: Collected, { hasSchema, wrapped }: Promised): JsonObject {
  if (failed) return { isError: true, content: [textBlock(String(value))] }
  if (isResult(value, hasSchema)) return { ...(toJsonValue(value) as JsonObject), content: value.content.map(toBlock) }
  if (!hasSchema && isBlock(value)) return { content: [toBlock(value)] }
  if (!hasSchema && Array.isArray(value) && value.length > 0 && value.every(isBlock))
    return { content: value.map(toBlock) }
  if (value === undefined) return { content: [], ...(wrapped ? wrap(null) : hasSchema && { structuredContent: {} }) }
  const bytes = asBytes(value)
  const json = toJsonValue(value)
  if (json === undefined) throw new NotJson(`the tool gave a ${typeof value}, which is no JSON`)
  const block = bytes
    ? bytesBlock(bytes, mediaType)
    : textBlock(text ?? (typeof json === "string" ? json : JSON.stringify(json)))
  if (wrapped) return { content: [block], ...wrap(json) }
  return { content: [block], ...(isObject(json) && { structuredContent: json }) }
}

const wrap = (result: unknown): JsonObject => ({
  structuredContent: { result },
  _meta: { "toolyard/wrapped": true },
})

/** A whole result as MCP has it. Where a shape was promised, an object with `content` may just as well be of that. */
export function isResult(value: unknown, hasSchema: boolean): value is JsonObject & { content: JsonObject[] } {
  if (!isObject(value) || !Array.isArray(value.content) || !value.content.every(isBlock)) return false
  if (!Object.keys(value).every(key => RESULT_KEYS.has(key))) return false
  return !hasSchema || isObject(value.structuredContent) || value.isError === true
}

/** Bytes in a block are written as base64, everything else as JSON. */
const toBlock = (block: JsonObject): JsonObject => toJsonValue(block) as JsonObject

/** The same with its text, so that it is printed once; or why it can't be sent. */
export function print(result: JsonObject): JsonObject {
  let text: string
  try {
    text = JSON.stringify(result)
  } catch (error) {
    throw new NotJson(`the result cannot be written as JSON: ${(error as Error).message}`)
  }
  // A character takes at most three bytes.
  if (text.length > MAX_RESULT_BYTES / 3) {
    const bytes = Buffer.byteLength(text)
    if (bytes > MAX_RESULT_BYTES)
      throw new NotJson(
        `the result has ${bytes} bytes; the limit is ${MAX_RESULT_BYTES}. Give less, or write it to a file`,
      )
  }
  return withRaw(result, text)
}
