/**
 * A tool's result as a model is given it: texts joined, everything else as JSON, pictures apart, and never more than a
 * model can take. What had to be left out is kept, and the text says where.
 */
import { capForModel } from "../../code/value/cap.ts"
import { NO_OUTPUT, toText } from "../../code/value/text.ts"
import type { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"
import type { Blobs } from "../../state/types.ts"

export interface ToolOutput {
  /** Never empty: a tool that gave nothing gave `(no output)`. */
  text: string
  /** The pictures, which stand in the text by type and size only. */
  images: { mimeType: string; data: string }[]
  isError: boolean
  /** As it came. */
  result: ToolResult
}

/** What a model is given at most. */
const MAX_TOKENS = 25_000

export async function toOutput(
  result: ToolResult,
  { blobs, maxTokens = MAX_TOKENS }: { blobs: Blobs; maxTokens?: number | undefined },
): Promise<ToolOutput> {
  const whole = textOf(result)
  const { value: text, overflow } = await capForModel(whole, { maxTokens, blobs })
  // What the catalog has shortened already is whole somewhere else.
  const { uri, size } = overflowOf(result) ?? overflow ?? {}
  return {
    text: overflow ? `${text}\n\n[toolyard: shortened; the whole (${size} bytes) is kept at ${uri}]` : whole,
    images: blocksOf(result).flatMap(({ type, mimeType, data }) =>
      type === "image" && typeof mimeType === "string" && typeof data === "string" ? [{ mimeType, data }] : [],
    ),
    isError: result.isError === true,
    result,
  }
}

/** Text blocks joined, resources as JSON, sounds and pictures by type and size, `(no output)` for nothing. */
export function textOf(result: ToolResult): string {
  const { content } = result
  const text = toText(Array.isArray(content) ? { ...result, content: content.map(withoutMedia) } : result)
  return text.trim() === "" ? NO_OUTPUT : text
}

/** A failure of toolyard's own, in words that the model can act on. */
export function failedOutput(error: YardError): ToolOutput {
  const text = `${error.message}\n${error.hint}`
  const result = { content: [{ type: "text", text }], isError: true, _meta: { "toolyard/error": error.toJSON() } }
  return { text, images: [], isError: true, result }
}

function withoutMedia(block: unknown): unknown {
  if (!isObject(block) || (block.type !== "image" && block.type !== "audio")) return block
  if (typeof block.data !== "string") return block
  const bytes = Math.floor((block.data.length * 3) / 4)
  return { type: "text", text: `[${block.type}: ${String(block.mimeType)}, ${bytes} bytes]` }
}

function blocksOf({ content }: ToolResult): JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : []
}

/** The mark that the catalog's cap leaves. */
function overflowOf({ _meta }: ToolResult): JsonObject | undefined {
  const mark = isObject(_meta) ? _meta["toolyard/overflow"] : undefined
  return isObject(mark) ? mark : undefined
}
