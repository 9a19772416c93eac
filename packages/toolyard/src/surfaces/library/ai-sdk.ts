/** Tools for the AI SDK (`ai`): a `ToolSet` made without it, so that nobody needs it who does not use it. */
import type { JsonObject } from "../../model/json.ts"
import { toRootSchema } from "./root-schema.ts"
import type { ToolOutput } from "./tool-output.ts"
import type { LibraryTool, LibraryYard, ToolsOptions } from "./types.ts"

/**
 * A JSON Schema as the SDK takes it. Its own mark makes the SDK pass the schema on as it is; without the mark it would
 * be a Standard Schema, to which the SDK adds `additionalProperties: false` everywhere. The arguments are checked
 * by the catalog, so that a model is told what is wrong in the same words everywhere.
 */
export interface AiSdkSchema {
  readonly jsonSchema: JsonObject
  readonly "~standard": {
    readonly version: 1
    readonly vendor: "toolyard"
    readonly validate: (value: unknown) => { readonly value: unknown }
  }
}

export type AiSdkOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | {
      type: "content"
      value: (
        | { type: "text"; text: string }
        | { type: "file"; mediaType: string; data: { type: "data"; data: string } }
      )[]
    }

export interface AiSdkTool {
  type: "dynamic"
  title?: string
  description?: string
  inputSchema: AiSdkSchema
  execute(input: unknown, options?: { abortSignal?: AbortSignal }): Promise<ToolOutput>
  /** What of the output the model is given. */
  toModelOutput(options: { output: ToolOutput }): AiSdkOutput
}

/** The `tools` of `generateText`, `streamText` and agents, as they are now. */
export function aiSdkTools(yard: Pick<LibraryYard, "tools">, options: ToolsOptions = {}): Record<string, AiSdkTool> {
  return Object.fromEntries(yard.tools(options).map(tool => [tool.id, toAiSdkTool(tool)]))
}

function toAiSdkTool({ title, description, inputSchema, execute }: LibraryTool): AiSdkTool {
  return {
    type: "dynamic",
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: toSchema(toRootSchema(inputSchema)),
    execute: (input, options) => execute(input, { signal: options?.abortSignal }),
    toModelOutput: ({ output }) => toModelOutput(output),
  }
}

function toSchema(jsonSchema: JsonObject): AiSdkSchema {
  const schema = {
    [Symbol.for("vercel.ai.schema")]: true,
    _type: undefined,
    validate: undefined,
    jsonSchema,
    "~standard": { version: 1 as const, vendor: "toolyard" as const, validate: (value: unknown) => ({ value }) },
  }
  return schema
}

function toModelOutput({ text, images, isError }: ToolOutput): AiSdkOutput {
  if (isError) return { type: "error-text", value: text }
  if (images.length === 0) return { type: "text", value: text }
  const files = images.map(({ mimeType, data }) => ({
    type: "file" as const,
    mediaType: mimeType,
    data: { type: "data" as const, data },
  }))
  return { type: "content", value: [{ type: "text", text }, ...files] }
}
