/** The types of `/api`: what the console, the editors and the command line build on. */

import type { ReadOnly } from "./caller.ts"
import type { ErrorCode } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import type { Era, ToolDefinition } from "./mcp.ts"
import type { ServerState } from "./source.ts"

export interface ApiServer {
  name: string
  type: string
  state: ServerState
  era?: Era
  description?: string
  tools: number
  resources: number
  prompts: number
  /** Why it is not up. */
  reason?: string
  /** ISO time of the next attempt to connect. */
  nextRetryAt?: string
  attempts?: number
  pid?: number
  since?: string
}

export interface ApiServerDetails extends ApiServer {
  /** The last lines it wrote to its log. */
  logs: string[]
  instructions?: string
}

export interface ApiTool {
  id: string
  server: string
  name: string
  description?: string
  definition: ToolDefinition
}

export interface ApiSearch {
  results: { id: string; server: string; name: string; score: number; signature: string }[]
}

export interface ApiCall {
  tool: string
  args?: JsonObject
  /** Shorter than the server's own limit, never longer. */
  timeoutMs?: number
  readOnly?: ReadOnly
  /** The caller's own name, which rules under `policy` may match. */
  client?: string
}

export interface ApiError {
  error: { code: ErrorCode; message: string; hint: string; data?: unknown }
}

export interface ApiStats {
  uptimeSeconds: number
  sessions: number
  memoryBytes: number
  servers: Record<
    string,
    { ok: number; toolErrors: number; refused: number; failed: number; meanMs: number; resultBytes: number }
  >
}

/** What `/api/events` sends, one JSON object an event. */
export type ApiEvent =
  | { type: "changed"; server: string; lists: readonly string[] }
  | { type: "health"; server: string; state: ServerState; reason?: string }
