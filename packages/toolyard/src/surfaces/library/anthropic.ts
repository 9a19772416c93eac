/** Tools for the Anthropic Messages API. */
import { type RootSchema, toRootSchema } from "./root-schema.ts"
import { failedOutput, type ToolOutput } from "./tool-output.ts"
import type { CallOptions, LibraryTool, LibraryYard, ToolsOptions } from "./types.ts"
import { unknownTool } from "./unknown-tool.ts"

/** Printed as JSON it is what the API takes: functions are left out. */
export interface AnthropicTool {
  name: string
  description?: string
  input_schema: RootSchema
  /** See `LibraryTool.execute`. */
  execute: LibraryTool["execute"]
  /** With `parse`, what the tool runner of `@anthropic-ai/sdk` calls; throws when the tool failed. */
  run(input: unknown, context?: { signal?: AbortSignal | null | undefined }): Promise<string | AnthropicContent[]>
  parse(input: unknown): unknown
}

export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: AnthropicImageType; data: string } }

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const
export type AnthropicImageType = (typeof IMAGE_TYPES)[number]

export interface AnthropicToolUse {
  type: "tool_use"
  id: string
  name: string
  input: unknown
}

export interface AnthropicToolResult {
  type: "tool_result"
  tool_use_id: string
  content: string | AnthropicContent[]
  is_error?: boolean
}

/** The `tools` of a request, as they are now. */
export interface AnthropicTools extends Array<AnthropicTool> {
  /** Runs what the model asked for; rejects only when the signal fires. A name that is not here is an error result. */
  handle(use: AnthropicToolUse, options?: CallOptions): Promise<AnthropicToolResult>
}

export function anthropicTools(yard: Pick<LibraryYard, "tools">, options: ToolsOptions = {}): AnthropicTools {
  const tools = yard.tools(options).map(toAnthropicTool)
  const handle: AnthropicTools["handle"] = async ({ id, name, input }, own) => {
    const tool = tools.find(known => known.name === name)
    const output = tool ? await tool.execute(input, own) : failedOutput(unknownTool(name))
    const answer = { type: "tool_result", tool_use_id: id, content: toContent(output) } as const
    return output.isError ? { ...answer, is_error: true } : answer
  }
  return Object.assign(tools, { handle })
}

function toAnthropicTool({ id, description, inputSchema, execute }: LibraryTool): AnthropicTool {
  return {
    name: id,
    ...(description !== undefined && { description }),
    input_schema: toRootSchema(inputSchema),
    execute,
    async run(input, context) {
      const output = await execute(input, { signal: context?.signal ?? undefined })
      if (output.isError) throw new Error(output.text)
      return toContent(output)
    },
    parse: input => input,
  }
}

/** The API takes nothing but text in an error. */
function toContent({ text, images, isError }: ToolOutput): string | AnthropicContent[] {
  const shown = images.filter((image): image is { mimeType: AnthropicImageType; data: string } =>
    (IMAGE_TYPES as readonly string[]).includes(image.mimeType),
  )
  if (isError || shown.length === 0) return text
  const blocks = shown.map(({ mimeType, data }) => ({
    type: "image" as const,
    source: { type: "base64" as const, media_type: mimeType, data },
  }))
  return [{ type: "text", text }, ...blocks]
}
