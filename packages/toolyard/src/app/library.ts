/** `import … from "toolyard"`: the yard for programs. Importing it does nothing; the rest is loaded when one is opened. */
import { randomUUID } from "node:crypto"
import type * as z from "zod"
import type { CONFIG_FILE } from "../config/schema.ts"
import type { ReadOnly } from "../model/caller.ts"
import type { ServerConfig } from "../model/config.ts"
import { YardError } from "../model/errors.ts"
import { ToolError } from "../sources/module/tool-context.ts"
import type { AskHandlers, LibraryYard } from "../surfaces/library/types.ts"

export type { ApiServer } from "../model/api.ts"
export type { ReadOnly } from "../model/caller.ts"
export type { ServerConfig } from "../model/config.ts"
export { type ErrorCode, YardError } from "../model/errors.ts"
export type { JsonObject } from "../model/json.ts"
export type { PromptDefinition, ResourceDefinition, TemplateDefinition } from "../model/mcp.ts"
export type { Approval, Decision, RunDetails, RunReport, RunRequest, RunStatus } from "../model/run.ts"
export type { PromptResult, ReadResult, ServerState, SourceHealth, ToolResult, Unsubscribe } from "../model/source.ts"
export { Declined, type ToolContext, ToolError, type ToolLog } from "../sources/module/tool-context.ts"
export { type AiSdkTool, aiSdkTools } from "../surfaces/library/ai-sdk.ts"
export {
  type AnthropicContent,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  type AnthropicToolUse,
  anthropicTools,
} from "../surfaces/library/anthropic.ts"
export {
  type OpenAiChatCall,
  type OpenAiChatTool,
  type OpenAiChatTools,
  type OpenAiResponsesCall,
  type OpenAiResponsesTool,
  type OpenAiResponsesTools,
  openAiTools,
} from "../surfaces/library/openai.ts"
export { type ToolOutput, textOf } from "../surfaces/library/tool-output.ts"
export type {
  AskHandler,
  AskHandlers,
  CallOptions,
  FoundTool,
  LibraryTool,
  LibraryYard,
  ResumeRunOptions,
  RunOptions,
  ToolsOptions,
  YardEvents,
} from "../surfaces/library/types.ts"

/** What may stand in `toolyard.json`. */
export type ConfigInput = z.input<typeof CONFIG_FILE>

export interface OpenYardOptions {
  /** A file, or what would stand in it. Without it the files are found as the command line finds them. */
  config?: string | ConfigInput
  /** Where to look for files, and what relative paths start from. */
  cwd?: string
  /** Starts these servers, and no others but those that their tools call. */
  only?: readonly string[] | ((server: ServerConfig) => boolean)
  /** Whether runs, caches and the like are kept in `.toolyard`. True where a file is, false where there is none. */
  keep?: boolean
  /** Whether edits of the files are followed; they are not where nothing is said. */
  watch?: boolean
  /** How long to wait for slow servers, in milliseconds (10,000), or 0; their tools come when they come. */
  connectTimeoutMs?: number
  /** The program's name, which rules under `policy` may match. */
  client?: string
  /** Holds for every call. */
  readOnly?: ReadOnly
  /** Answers what servers, and rules that say `ask`, want to know. */
  onAsk?: AskHandlers
  /** Told what is wrong with the configuration, which servers are down, and the like. Nothing is ever printed. */
  onWarning?: (message: string) => void
  /** Closes the yard when it fires. */
  signal?: AbortSignal
}

const CONNECT_MS = 10_000

/** Opens a yard. Servers that are down don't keep it from opening: see `servers()` and `onWarning`. */
export async function openYard(options: OpenYardOptions = {}): Promise<LibraryYard> {
  const { config, cwd, only, watch, signal, onWarning = () => {} } = options
  signal?.throwIfAborted()
  const [compose, { findFiles }, { unreadableFiles }, { createLibraryYard }, { toApiServer }] = await Promise.all([
    import("./compose.ts"),
    import("../config/files.ts"),
    import("../config/load.ts"),
    import("../surfaces/library/yard.ts"),
    import("../surfaces/http/views.ts"),
  ])
  const place = cwd === undefined ? {} : { cwd }
  const file = typeof config === "string" ? { file: config } : {}
  const content = typeof config === "object" ? { content: config } : {}
  const isFile = findFiles({ ...place, ...file, ...content }).project !== undefined
  const inner = await compose.openYard({
    ...place,
    ...content,
    ...(typeof config === "string" && { config }),
    ...(only && { only: typeof only === "function" ? only : ({ name }: ServerConfig) => only.includes(name) }),
    keep: options.keep ?? isFile,
    watch: watch ?? false,
    log: { info() {}, warn: onWarning, error: onWarning },
  })
  const yard = createLibraryYard({
    catalog: inner.catalog,
    code: inner.code,
    approvals: inner.approvals,
    blobs: inner.state.blobs,
    caller: {
      surface: "library",
      principal: "local",
      session: randomUUID(),
      ...(options.client !== undefined && { client: options.client }),
      ...(options.readOnly !== undefined && { readOnly: options.readOnly }),
    },
    onAsk: options.onAsk,
    toToolError: (server, tool, { code, message, data }) => new ToolError(server, tool, code, message, data),
    showServer: toApiServer,
    close() {
      signal?.removeEventListener("abort", leave)
      return inner.close()
    },
  })
  const leave = (): void => void yard.close()
  try {
    const unusable = inner.config.problems.find(({ file }) => unreadableFiles(inner.config).includes(file))
    // One bad entry is a warning; a file of which nothing can be used is not what anybody meant.
    if (unusable && typeof config !== "object") throw new YardError("config_invalid", compose.describeProblem(unusable))
    await within(inner.connected, options.connectTimeoutMs ?? CONNECT_MS, signal)
  } catch (error) {
    await yard.close()
    throw error
  }
  signal?.addEventListener("abort", leave, { once: true })
  return yard
}

/** Resolves when the work is done or the time is up; rejects when the signal fires. */
function within(work: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const leave = (): void => reject(signal?.reason)
  work.then(resolve, reject)
  if (signal?.aborted) leave()
  signal?.addEventListener("abort", leave, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", leave)
  })
}
