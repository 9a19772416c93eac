/** What a source is, and what surrounds one call to it. The catalog knows servers through this interface only. */
import type { Call } from "./call.ts"
import type { JsonObject } from "./json.ts"
import type {
  Era,
  Implementation,
  LogLevel,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from "./mcp.ts"

/** All that a server offers, as raw JSON: unknown keys survive. */
export interface Offer {
  tools: ToolDefinition[]
  resources: ResourceDefinition[]
  templates: TemplateDefinition[]
  prompts: PromptDefinition[]
  /** What the server said of itself when it was connected. */
  info?: Implementation
  instructions?: string
  capabilities: JsonObject
}

/** A result as raw JSON: `content`, `isError`, `structuredContent` and whatever else the server sent. */
export type ToolResult = JsonObject
export type ReadResult = JsonObject
export type PromptResult = JsonObject
export type Completion = JsonObject

export type ServerState = "connecting" | "up" | "down" | "needs-login" | "disabled"

export interface SourceHealth {
  state: ServerState
  era?: Era
  /** Why it is not up; or, while it is, what is wrong all the same. */
  reason?: string
  /** Epoch ms of the next attempt to connect. */
  nextRetryAt?: number
  attempts?: number
  pid?: number
  /** Epoch ms since when it has been in this state. */
  since: number
}

/** The lists of an offer that clients are told about one by one; `resources` includes the templates. */
export type OfferList = "tools" | "resources" | "prompts"

export interface SourceEvents {
  /** These lists changed, or the server says so. */
  changed: (lists: readonly OfferList[]) => void
  /** The health changed. */
  health: (health: SourceHealth) => void
  /** A resource that someone subscribed to changed. */
  updated: (uri: string, params: JsonObject) => void
  /** A notification that belongs to no call. `session` when it came from that session's own child. */
  notification: (method: string, params: JsonObject | undefined, session: string | undefined) => void
}

export type Unsubscribe = () => void

/** What a source may use of the yard around it. */
export interface YardAccess {
  /** The project's folder. */
  readonly root: string
  /** Where what can be made again may be kept; none where nothing may be written. */
  readonly cacheFolder?: string | undefined
  /** Calls any tool of the yard for the one who made `call`: the same rules and limits, and its end ends this one. */
  call(call: Call, tool: string, args: JsonObject): Promise<ToolResult>
  /** Keeps content, and gives its id. */
  putBlob(bytes: Uint8Array, mediaType: string): Promise<string>
  /** Content under its id, where the yard has it. */
  blob(cid: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>
}

export interface SourceContext {
  readonly yard: YardAccess
  /** A line for the server's log (`toolyard logs SERVER`). */
  readonly log: (line: string) => void
  /** Nothing is spawned or reached before this: a hub answers first and connects then. */
  readonly start: Promise<void>
  /** Keeps small facts between starts (the era verdict, the last offer). */
  readonly cache: SourceCache
}

export interface SourceCache {
  get(key: string): JsonObject | undefined
  set(key: string, value: JsonObject): void
}

export interface Source {
  readonly type: string
  /** Starts connecting, spawning or loading. Resolves when the first attempt ended, well or not; the server is then up or down. */
  open(context: SourceContext): Promise<void>
  /** The offer as last known; a source that has never been up may give a cached one, or none. */
  list(): Offer | undefined
  health(): SourceHealth
  call(tool: string, args: JsonObject, call: Call): Promise<ToolResult>
  read?(uri: string, call: Call): Promise<ReadResult>
  prompt?(name: string, args: JsonObject, call: Call): Promise<PromptResult>
  complete?(params: JsonObject, call: Call): Promise<Completion>
  subscribe?(uri: string): Promise<void>
  unsubscribe?(uri: string): Promise<void>
  /** The most verbose level that any client of this server wants. */
  setLogLevel?(level: LogLevel): Promise<void>
  /** Something a client says by itself, for what is kept for its session alone. */
  tell?(session: string, method: string, params: JsonObject | undefined): void
  /** A client session ended: whatever was kept for it alone is let go. */
  endSession?(session: string): Promise<void>
  /** Tries to connect now instead of at the next retry. */
  reconnect?(): void
  /** The last lines the server wrote to its log. */
  logs?(): string[]
  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe
  /** Leaves no process, socket, timer or file behind. */
  close(): Promise<void>
}
