/** The library as programs see it: what a yard can do, what it is asked with, and what it gives. */
import type { ResumeOptions } from "../../code/code-mode.ts"
import type { ApiSearch, ApiServer } from "../../model/api.ts"
import type { ReadOnly } from "../../model/caller.ts"
import type { JsonObject } from "../../model/json.ts"
import type { PromptDefinition, ResourceDefinition, TemplateDefinition } from "../../model/mcp.ts"
import type { Approval, Decision, RunDetails, RunReport, RunRequest } from "../../model/run.ts"
import type { OfferList, PromptResult, ReadResult, SourceHealth, ToolResult, Unsubscribe } from "../../model/source.ts"
import type { ToolOutput } from "./tool-output.ts"

/** A tool that fits a search, with its signature in TypeScript. */
export type FoundTool = ApiSearch["results"][number]

/** Answers a question that a server puts while it works, with the result that MCP wants for it. */
export type AskHandler = (params: JsonObject, options: { signal: AbortSignal }) => JsonObject | Promise<JsonObject>

/** What the program can answer; servers are told that it can do exactly what stands here. */
export interface AskHandlers {
  /** `elicitation/create`, also the question of a `policy` rule that says `ask`. */
  elicitation?: AskHandler
  /** `sampling/createMessage`. */
  sampling?: AskHandler
  /** `roots/list`. */
  roots?: AskHandler
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Shorter than the server's own limit, never longer. */
  timeoutMs?: number
  /** Refuses tools that change things; `"strict"` also those that say nothing about it. */
  readOnly?: ReadOnly
  /** `{ progress, total?, message? }`, as often as the server tells it. */
  onProgress?: (progress: JsonObject) => void
  /** In place of what the yard was opened with. */
  onAsk?: AskHandlers
}

/** Which tools an agent gets, and how they are called. */
export interface ToolsOptions extends Omit<CallOptions, "onProgress"> {
  /** Only those of these servers. */
  servers?: readonly string[]
  /** Globs on ids (`server__tool`): only these. */
  include?: string | readonly string[]
  /** Globs on ids: not these. */
  exclude?: string | readonly string[]
  /** How much of a result's text a model is given at most, in tokens; 25,000 where nothing is said. */
  maxTokens?: number
}

/** A tool for an agent loop of one's own. Printed as JSON it is its definition. */
export interface LibraryTool {
  /** `server__tool`: at most 64 characters of `A-Z a-z 0-9 _ -`, as every model takes them. */
  id: string
  server: string
  /** What its server calls it. */
  name: string
  title?: string
  description?: string
  /** Exactly as the server sent it. */
  inputSchema: JsonObject
  outputSchema?: JsonObject
  annotations?: JsonObject
  /** Calls the tool. Whatever goes wrong is an output that the model can act on; rejects only when the signal fires. */
  execute(input?: unknown, options?: CallOptions): Promise<ToolOutput>
}

export interface RunOptions extends Pick<CallOptions, "signal" | "onAsk">, Omit<RunRequest, "code" | "script"> {}

export interface ResumeRunOptions extends ResumeOptions, Pick<CallOptions, "signal" | "onAsk"> {}

export interface YardEvents {
  /** What a server offers changed, or may have. */
  changed: (event: { server: string; lists: readonly OfferList[] }) => void
  health: (event: { server: string } & SourceHealth) => void
  /** A person must decide about a call: see `decide`. */
  asked: (approval: Approval) => void
}

export interface LibraryYard extends AsyncDisposable {
  /**
   * What may be called, in the order of the configuration. A tool keeps its place once it was listed: those that arrive
   * later stand at the end.
   */
  tools(options?: ToolsOptions): LibraryTool[]
  /** The tools that fit best, the best first. */
  search(query: string, options?: { limit?: number; server?: string; offset?: number }): FoundTool[]
  /**
   * Calls a tool, by `server__tool` or `server.tool`, and gives its value as scripts get it: structured content, else
   * JSON, else text. Throws `ToolError` when the tool failed and `YardError` when it could not be called.
   */
  call<Value = unknown>(tool: string, args?: JsonObject, options?: CallOptions): Promise<Value>
  /** The same, but the MCP result as it came, `isError` and all. */
  callRaw(tool: string, args?: JsonObject, options?: CallOptions): Promise<ToolResult>
  /** Runs TypeScript in the sandbox. A script that fails is a report with `error`, not a rejection. */
  run(script: string | { code: string } | { script: string }, options?: RunOptions): Promise<RunReport>
  /** Waits for a run, decides what it waits for, or ends it. */
  resume(runId: string, options?: ResumeRunOptions): Promise<RunReport>
  /** All that is kept of a run: its code, every call, every line that it logged. */
  runDetails(runId: string): Promise<RunDetails>
  /** What waits for a person. */
  approvals(): Promise<Approval[]>
  /** By the approval's id, or by a run's for all that it waits for. */
  decide(id: string, decision: Decision, reason?: string): Promise<Approval[]>
  servers(): ApiServer[]
  resources(): (ResourceDefinition | TemplateDefinition)[]
  /** A resource of any server, or content by its `cid://…`. */
  read(uri: string, options?: CallOptions): Promise<ReadResult>
  /** Named `server__prompt`. */
  prompts(): PromptDefinition[]
  prompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<PromptResult>
  /** The declarations (`.d.ts`) of everything, of one server, or of one tool. */
  types(about?: { server?: string; tool?: string }): string
  on<E extends keyof YardEvents>(event: E, listener: YardEvents[E]): Unsubscribe
  /** Ends every call and every process. Calling it again does no harm. */
  close(): Promise<void>
}
