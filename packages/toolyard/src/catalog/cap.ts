/** A result too large to pass on is kept whole as a blob; what goes on is a valid, shortened view that says where. */
import { isObject, type JsonObject, rawOf, toJsonText } from "../model/json.ts"
import type { ToolResult } from "../model/source.ts"
import type { Blobs } from "../state/types.ts"

export const MAX_RESULT_BYTES = 5_000_000
/** How much text the shortened view keeps. */
const VIEW_CHARS = 50_000

/** In bytes of UTF-8: of its text where that is known, otherwise by a walk that stops as soon as the limit is passed. */
export function resultSize(result: ToolResult, limit: number): number {
  const raw = rawOf(result)
  return raw === undefined ? walk(result, limit) : Buffer.byteLength(raw)
}

function walk(value: unknown, limit: number): number {
  let size = 0
  const stack: unknown[] = [value]
  while (stack.length > 0 && size <= limit) {
    const next = stack.pop()
    if (typeof next === "string") size += Buffer.byteLength(next) + 2
    else if (Array.isArray(next)) {
      // One by one: an array may have more items than a call can have arguments.
      for (const item of next) stack.push(item)
    } else if (isObject(next)) {
      for (const key in next) {
        size += key.length + 4
        stack.push(next[key])
      }
    } else size += 5
  }
  return size
}

export async function capResult(result: ToolResult, blobs: Blobs): Promise<ToolResult> {
  const { cid, size } = await blobs.put(toJsonText(result), { mediaType: "application/json" })
  const uri = `cid://${cid}`
  const kept: JsonObject[] = []
  let room = VIEW_CHARS
  for (const block of Array.isArray(result.content) ? result.content : []) {
    if (room <= 0) break
    if (!isObject(block)) continue
    if (block.type === "text" && typeof block.text === "string" && block.text.length > room) {
      kept.push({ ...block, text: cut(block.text, room) })
      room = 0
    } else {
      const cost = walk(block, room)
      if (cost > room) continue
      kept.push(block)
      room -= cost
    }
  }
  const { content: _content, structuredContent, ...rest } = result
  return {
    ...rest,
    content: [
      ...kept,
      {
        type: "text",
        text: `[toolyard: this result has ${size} bytes, more than is passed on at once. The above is its beginning; the whole is kept as JSON at ${uri} and can be read with resources/read.]`,
      },
      { type: "resource_link", uri, name: "whole result", mimeType: "application/json", size },
    ],
    ...(isObject(structuredContent) && walk(structuredContent, VIEW_CHARS) <= VIEW_CHARS && { structuredContent }),
    _meta: { ...(isObject(result._meta) && result._meta), "toolyard/overflow": { uri, size } },
  }
}

/** Never between the halves of a surrogate pair. */
function cut(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}
