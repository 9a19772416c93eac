/** A tool's result as plain text: its texts as they are, everything else as JSON, each on lines of its own. */
import { isObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"

export const NO_OUTPUT = "(no output)"

export function toText({ content, structuredContent }: ToolResult): string {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  const text = blocks.map(blockText).join("\n")
  if (text !== "") return text
  // Some servers put nothing but structured content in.
  return structuredContent === undefined ? NO_OUTPUT : JSON.stringify(structuredContent)
}

function blockText(block: unknown): string {
  return isObject(block) && block.type === "text" && typeof block.text === "string" ? block.text : JSON.stringify(block)
}
