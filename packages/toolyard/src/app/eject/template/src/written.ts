/** Tools, prompts and resources that are written out: what each gives, with `{{name}}` filled in. */
import {
  type CallToolResult,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from "@modelcontextprotocol/server"
import { fill, toText, type Values } from "./template.ts"
import { expandAll } from "./text.ts"

/** One of `text`, `content`, `structured`, or a whole `result`. */
export interface WrittenTool {
  text?: string
  content?: Values[]
  structured?: Values
  result?: Values
  defaults?: Values
}

export interface WrittenPrompt {
  description?: string
  messages: Values[]
  arguments: { name: string; required?: boolean; default?: string; enum?: string[] }[]
}

/** One of `text` or `json`. */
export interface WrittenTemplate {
  uriTemplate: string
  mimeType?: string
  text?: string
  json?: unknown
}

export function give(written: WrittenTool, args: Values): CallToolResult {
  const { text, content, structured, result, defaults } = expandAll(written)
  const values = { ...defaults, ...args }
  if (text !== undefined) return { content: [{ type: "text", text: toText(fill(text, values)) }] }
  if (content !== undefined) {
    const blocks = fill(content, values) as Values[]
    return {
      content: blocks.map(block => (block.type === "text" ? { ...block, text: toText(block.text) } : block)) as never,
    }
  }
  if (structured === undefined) return result as never
  const structuredContent = fill(structured, values) as Values
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
}

export function getPrompt(prompts: Map<string, WrittenPrompt>, name: string, args: Values): GetPromptResult {
  const written = prompts.get(name)
  if (!written) throw invalid(`there is no prompt ${JSON.stringify(name)}`)
  const { messages, description, arguments: known } = expandAll(written)
  const stranger = Object.keys(args).find(key => !known.some(argument => argument.name === key))
  if (stranger !== undefined) throw invalid(`${name} has no argument ${JSON.stringify(stranger)}`)
  const values = known.map(({ name: key, required, default: preset = "", enum: only }) => {
    const value = Object.hasOwn(args, key) && args[key] !== "" ? toText(args[key]) : undefined
    if (value === undefined && required) throw invalid(`the argument ${JSON.stringify(key)} of ${name} is missing`)
    if (value !== undefined && only && !only.includes(value))
      throw invalid(`the argument ${JSON.stringify(key)} of ${name} must be one of ${only.join(", ")}`)
    return [key, value ?? preset]
  })
  const filled = fill(messages, Object.fromEntries(values))
  return { ...(description !== undefined && { description }), messages: filled as never }
}

export async function read(
  uri: string,
  contents: Map<string, Values>,
  templates: readonly WrittenTemplate[],
): Promise<ReadResourceResult> {
  const known = contents.get(uri)
  if (known) return expandAll(known) as never
  for (const written of templates) {
    const values = new UriTemplate(written.uriTemplate).match(uri)
    if (!values) continue
    const { mimeType, text, json } = expandAll(written)
    const filled = text === undefined ? JSON.stringify(fill(json, values)) : toText(fill(text, values))
    return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), text: filled }] }
  }
  throw new ResourceNotFoundError(uri)
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
