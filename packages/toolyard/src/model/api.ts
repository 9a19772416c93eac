/** The types of `/api`: what the console, the editors and the command line build on. */

import type { ReadOnly } from "./caller.ts"
import type { ErrorCode } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import type { Era, ToolDefinition } from "./mcp.ts"
import type { Decision, RunRequest, RunStatus } from "./run.ts"
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
  /** Why it is not up; or, while it is, what is wrong all the same. */
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
  /** Of the newest thousand runs that are kept. */
  runs: Record<RunStatus, number>
}

/** The body of `POST /api/runs`. */
export interface ApiRun extends RunRequest {
  /** Answer after so long even if the run still works. */
  waitMs?: number
  /** The caller's own name, which rules under `policy` may match. */
  client?: string
}

/** The body of `POST /api/runs/{id}/resume`. */
export interface ApiResume {
  decision?: Decision
  reason?: string
  cancel?: boolean
  waitMs?: number
  client?: string
}

/** The body of `POST /api/approvals/{id}`. */
export interface ApiDecision {
  decision: Decision
  reason?: string
  /** Who decides, in words that the script and the record are given. */
  by?: string
}

/** The body of `PUT /api/scripts/{name}`: exactly one of `code` and `runId`. */
export interface ApiScript {
  code?: string
  runId?: string
  description?: string
}

/** What `POST /tools/{id}` answers, with status 422, when the tool itself failed. */
export interface ApiToolError {
  error: { code: "tool_error"; message: string; data?: unknown }
}

/** What `/api/events` sends, one JSON object an event. */
export type ApiEvent =
  | { type: "changed"; server: string; lists: readonly string[] }
  | { type: "health"; server: string; state: ServerState; reason?: string }
