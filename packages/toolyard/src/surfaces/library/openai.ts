/** Tools for OpenAI, in the shape of Chat Completions and in that of Responses. */
import { YardError } from "../../model/errors.ts"
import { type RootSchema, toRootSchema } from "./root-schema.ts"
import { failedOutput, type ToolOutput } from "./tool-output.ts"
import type { CallOptions, LibraryTool, LibraryYard, ToolsOptions } from "./types.ts"
import { unknownTool } from "./unknown-tool.ts"

interface Runnable {
  /** See `LibraryTool.execute`; left out when the tool is printed as JSON. */
  execute: LibraryTool["execute"]
}

export interface OpenAiChatTool extends Runnable {
  type: "function"
  function: { name: string; description?: string; parameters: RootSchema }
}

export interface OpenAiResponsesTool extends Runnable {
  type: "function"
  name: string
  description?: string
  parameters: RootSchema
  /** Servers write schemas that strict mode does not take. */
  strict: false
}

/** A call as Chat Completions sends it; other kinds of calls than `function` are answered with an error. */
export interface OpenAiChatCall {
  id: string
  type: string
  function?: { name: string; arguments: string }
}

export interface OpenAiResponsesCall {
  type: "function_call"
  call_id: string
  name: string
  arguments: string
}

export interface OpenAiChatTools extends Array<OpenAiChatTool> {
  /** Runs what the model asked for; rejects only when the signal fires. A name that is not here is an error. */
  handle(call: OpenAiChatCall, options?: CallOptions): Promise<{ role: "tool"; tool_call_id: string; content: string }>
}

export interface OpenAiResponsesTools extends Array<OpenAiResponsesTool> {
  handle(
    call: OpenAiResponsesCall,
    options?: CallOptions,
  ): Promise<{ type: "function_call_output"; call_id: string; output: string }>
}

type Yard = Pick<LibraryYard, "tools">

export function openAiTools(yard: Yard, options?: ToolsOptions & { api?: "chat" }): OpenAiChatTools
export function openAiTools(yard: Yard, options: ToolsOptions & { api: "responses" }): OpenAiResponsesTools
export function openAiTools(
  yard: Yard,
  { api, ...options }: ToolsOptions & { api?: "chat" | "responses" } = {},
): OpenAiChatTools | OpenAiResponsesTools {
  const known = yard.tools(options)
  const answer = async (name: string, args: string, own?: CallOptions): Promise<string> => {
    const tool = known.find(({ id }) => id === name)
    return toText(tool ? await executeText(tool, args, own) : failedOutput(unknownTool(name)))
  }
  if (api === "responses") {
    const tools = known.map((tool): OpenAiResponsesTool => {
      return { type: "function", ...describe(tool), strict: false, execute: tool.execute }
    })
    return Object.assign(tools, {
      handle: async ({ call_id, name, arguments: args }: OpenAiResponsesCall, own?: CallOptions) => {
        return { type: "function_call_output" as const, call_id, output: await answer(name, args, own) }
      },
    })
  }
  const tools = known.map((tool): OpenAiChatTool => {
    return { type: "function", function: describe(tool), execute: tool.execute }
  })
  return Object.assign(tools, {
    handle: async ({ id, type, function: asked }: OpenAiChatCall, own?: CallOptions) => {
      const content = await answer(asked?.name ?? type, asked?.arguments ?? "", own)
      return { role: "tool" as const, tool_call_id: id, content }
    },
  })
}

function describe({ id, description, inputSchema }: LibraryTool): OpenAiChatTool["function"] {
  return { name: id, ...(description !== undefined && { description }), parameters: toRootSchema(inputSchema) }
}

/** The arguments are JSON as the model wrote it, which need not be JSON. */
async function executeText(tool: LibraryTool, args: string, options?: CallOptions): Promise<ToolOutput> {
  let input: unknown
  try {
    input = args.trim() === "" ? {} : JSON.parse(args)
  } catch (cause) {
    const problem = `the arguments of ${tool.id} are not JSON: ${(cause as Error).message}`
    return failedOutput(new YardError("invalid_arguments", problem, { cause }))
  }
  return tool.execute(input, options)
}

/** These APIs have no mark for an error but the text. */
function toText({ text, isError }: ToolOutput): string {
  return isError ? `Error: ${text}` : text
}
