/** A tool's result as text for a shell: text blocks as they are, everything else as JSON. */
import { isObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"

export const NO_OUTPUT = "(no output)"

export function renderResult(result: ToolResult): string {
  const blocks: unknown[] = Array.isArray(result.content) ? result.content : []
  const text = blocks.map(renderBlock).join("\n")
  if (text !== "") return text
  // Some servers put nothing but structured content in.
  return result.structuredContent === undefined ? NO_OUTPUT : JSON.stringify(result.structuredContent, null, 2)
}

function renderBlock(block: unknown): string {
  if (isObject(block) && block.type === "text" && typeof block.text === "string") return block.text
  return JSON.stringify(block)
}
