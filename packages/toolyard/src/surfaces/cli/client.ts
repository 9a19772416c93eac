/** What a command can do with a yard, whether a hub holds it or it was opened for this command alone. */

import type { ApiSearch, ApiServer, ApiServerDetails, ApiStats, ApiTool } from "../../model/api.ts"
import type { ReadOnly } from "../../model/caller.ts"
import type { JsonObject } from "../../model/json.ts"
import type { ToolResult } from "../../model/source.ts"
import type { AuditRow } from "../../policy/audit.ts"
import type { CodeClient } from "./code-client.ts"
import type { Context, Where } from "./deps.ts"
import { findHub, type Hub } from "./find-hub.ts"
import { unlessAborted } from "./interrupt.ts"
import { warn } from "./io.ts"

/** How long a command waits for servers to connect. */
export const PATIENCE_MS = 15_000
export const CLIENT_NAME = "cli"

export interface CallRequest {
  tool: string
  args: JsonObject
  timeoutMs?: number
  readOnly?: ReadOnly
  signal: AbortSignal
  onProgress?: (params: JsonObject) => void
}

export interface YardClient {
  /** The hub that is asked; none when the yard was opened here. */
  readonly hub: Hub | undefined
  /** What is wrong in the configuration; a hub has said it in its log. */
  readonly warnings: string[]
  /** Waits, for so long as is sensible, until `server`, or every one, has made its first attempt to connect. */
  settle(server?: string): Promise<void>
  servers(): Promise<ApiServer[]>
  server(name: string): Promise<ApiServerDetails>
  tools(server?: string): Promise<ApiTool[]>
  search(query: string, options: { limit: number; server?: string }): Promise<ApiSearch["results"]>
  call(request: CallRequest): Promise<ToolResult>
  audit(limit: number, server?: string): Promise<AuditRow[]>
  readonly code: CodeClient
  /** What a hub has counted since it started; nothing is counted without one. */
  stats(): Promise<ApiStats | undefined>
  close(): Promise<void>
}

export interface ClientOptions {
  config?: string
  json?: boolean
  /** The one server, or the tool, that the command is about: no other needs to be started. */
  about?: About
  /** The work looks at the signal by itself, since it has something to do before it ends. */
  endsItself?: boolean
}

export interface About {
  server?: string
  tool?: string
  /** Which servers to start, of these; undefined for all. */
  pick?: (names: string[]) => Set<string> | undefined
  /** Something is to be kept, even where there was nothing before. */
  keeps?: boolean
}

export function whereOf(context: Context, options: { config?: string }): Where {
  return { cwd: context.io.cwd, ...(options.config !== undefined && { config: options.config }) }
}

/** Opens the yard, does the work, and leaves nothing behind, however it ends. */
export async function withClient<T>(
  context: Context,
  options: ClientOptions,
  work: (client: YardClient) => Promise<T>,
): Promise<T> {
  const where = whereOf(context, options)
  const { hub } = await findHub(context, where)
  const client = hub
    ? (await import("./remote-client.ts")).createRemoteClient(hub, context)
    : await (await import("./local-client.ts")).openLocalClient(context, where, options.about)
  try {
    if (!options.json) for (const warning of client.warnings) warn(context.io, warning)
    return await (options.endsItself ? work(client) : unlessAborted(work(client), context.signal))
  } finally {
    await client.close()
  }
}
