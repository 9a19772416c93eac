/**
 * What a function of yours gets besides its arguments, when it has a parameter of the type `ToolContext`: how to reach
 * whoever called it, while it works.
 */
import type { JsonObject } from "../../model/json.ts"
import type { LogLevel } from "../../model/mcp.ts"

/** Any library's schema (zod, valibot, arktype …): https://standardschema.dev */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
  }
}
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export interface ToolLog {
  /** A line for the caller's log, at level `info`; or `log(level, data)`. */
  (message: string, data?: unknown): void
  (level: LogLevel, data: unknown): void
  debug(message: unknown, data?: unknown): void
  info(message: unknown, data?: unknown): void
  warn(message: unknown, data?: unknown): void
  error(message: unknown, data?: unknown): void
}

export interface ToolContext {
  /** Aborted when the caller gives the call up. Pass it on to `fetch` and the like. */
  readonly signal: AbortSignal
  /** The id of the request that this call is. */
  readonly requestId: string | number
  /** Who calls, where that is known. */
  readonly caller?: JsonObject
  /** Says how far the work is; costs nothing when nobody wants to know. */
  progress(done: number, total?: number, message?: string): void
  readonly log: ToolLog
  /**
   * Asks the person behind the caller. Gives what was filled in; throws `Declined` when they won't say.
   * `schema` names the fields: a JSON Schema of flat properties, or a Standard Schema.
   */
  ask<T>(message: string, schema: StandardSchema<T>): Promise<T>
  ask(message: string, schema?: JsonObject): Promise<JsonObject>
  /** Has the caller's model write something: the parameters and result of MCP's `sampling/createMessage`. */
  sample(params: JsonObject): Promise<JsonObject>
  /** Calls another tool of the yard (`server__tool` or `server.tool`) and gives its value; throws `ToolError` when it fails. */
  call(tool: string, args?: JsonObject): Promise<unknown>
}

/** A person was asked and did not answer. */
export class Declined extends Error {
  readonly action: "decline" | "cancel"

  constructor(action: "decline" | "cancel") {
    super(action === "decline" ? "the question was declined" : "the question was closed without an answer")
    this.name = "Declined"
    this.action = action
  }
}

/** Another tool failed. */
export class ToolError extends Error {
  readonly server: string
  readonly tool: string
  /** From the table of toolyard's errors, or `tool_error` where the tool itself says that it failed. */
  readonly code: string
  readonly data: unknown

  constructor(server: string, tool: string, code: string, message: string, data?: unknown) {
    super(message)
    this.name = "ToolError"
    this.server = server
    this.tool = tool
    this.code = code
    this.data = data
  }
}
