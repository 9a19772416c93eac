/**
 * A tool's result as a script sees it: a value, not an envelope.
 *
 * - Structured content, where there is any, is the value; but for what a server of ours had to wrap in an object, since
 *   the protocol wants one.
 * - Else each block of content is a part: text that is a JSON object or array counts as that, other text as a string
 *   (a lone number or `true` too: `007` or a long id must stay what it is), and everything else, such as an image or a
 *   resource, as the object that came.
 * - No part is `null`, one part is the value, several texts are one text joined by line breaks, and any other several
 *   parts (all JSON: how some servers send lists; or not all text) are an array.
 * - A result that was too large and lost its end is `{ overflow: { uri, size }, text }`, with what is left of the text.
 */
import { isObject, type JsonObject } from "../../model/json.ts"
import { WRAPPED } from "../../model/mcp.ts"
import type { ToolResult } from "../../model/source.ts"
import { toText } from "./text.ts"

/** What a script's `ToolError` is made of; whoever called the tool adds which one it was. */
export interface ToolFailure {
  code: "tool_error"
  message: string
  data?: unknown
}

interface Part {
  kind: "json" | "text" | "other"
  value: unknown
  /** As it came; empty for what is not text. */
  text: string
}

export function toValue(result: ToolResult): unknown {
  if (result.isError === true) return { error: toFailure(result) }
  if (result.structuredContent !== undefined) return unwrapped(result)
  const overflow = overflowOf(result)
  if (overflow) return { overflow, text: toText(result) }
  const parts = partsOf(result)
  if (parts.length <= 1) return parts.length === 0 ? null : parts[0]!.value
  return isText(parts) ? parts.map(part => part.text).join("\n") : parts.map(part => part.value)
}

function unwrapped({ structuredContent, _meta }: ToolResult): unknown {
  const isWrapped = isObject(_meta) && _meta[WRAPPED] === true && isObject(structuredContent)
  return isWrapped ? structuredContent.result : structuredContent
}

/** The same as JSON text. A text that is JSON already is not printed again. */
export function toValueText(result: ToolResult): string {
  if (result.isError !== true && result.structuredContent === undefined && !overflowOf(result)) {
    const parts = partsOf(result)
    if (parts.length > 0 && parts.every(part => part.kind === "json")) {
      return parts.length === 1 ? parts[0]!.text : `[${parts.map(part => part.text).join(",")}]`
    }
  }
  return JSON.stringify(toValue(result))
}

function toFailure(result: ToolResult): ToolFailure {
  const text = isEmpty(result) ? "the tool failed and did not say why" : toText(result)
  const { structuredContent: data } = result
  return { code: "tool_error", message: text, ...(data !== undefined && { data }) }
}

function isEmpty({ content, structuredContent }: ToolResult): boolean {
  return structuredContent === undefined && (!Array.isArray(content) || content.length === 0)
}

function partsOf({ content }: ToolResult): Part[] {
  return Array.isArray(content) ? content.map(toPart) : []
}

function toPart(block: unknown): Part {
  if (!isObject(block) || block.type !== "text" || typeof block.text !== "string")
    return { kind: "other", value: block, text: "" }
  const { text } = block
  if (/^\s*[[{]/.test(text)) {
    try {
      return { kind: "json", value: JSON.parse(text), text }
    } catch {
      // It only began like JSON.
    }
  }
  return { kind: "text", value: text, text }
}

/** Nothing but text, and not all of it JSON. */
function isText(parts: Part[]): boolean {
  return parts.some(({ kind }) => kind === "text") && parts.every(({ kind }) => kind !== "other")
}

/** The mark that the catalog's cap leaves. */
function overflowOf({ _meta }: ToolResult): JsonObject | undefined {
  const mark = isObject(_meta) ? _meta["toolyard/overflow"] : undefined
  return isObject(mark) ? mark : undefined
}
