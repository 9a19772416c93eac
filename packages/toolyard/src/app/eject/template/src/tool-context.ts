/** What a function gets besides its arguments, when it wants to reach whoever called it. */
import type { ServerContext } from "@modelcontextprotocol/server"

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"
export type JsonObject = Record<string, unknown>

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
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

export interface ToolLog {
  (message: string, data?: unknown): void
  (level: LogLevel, data: unknown): void
  debug(message: unknown, data?: unknown): void
  info(message: unknown, data?: unknown): void
  warn(message: unknown, data?: unknown): void
  error(message: unknown, data?: unknown): void
}

export interface ToolContext {
  /** Aborted when the caller gives the call up. */
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly caller?: JsonObject
  /** Says how far the work is. */
  progress(done: number, total?: number, message?: string): void
  readonly log: ToolLog
  /** Asks the person behind the caller; throws `Declined` when they won't say. */
  ask<T>(message: string, schema: StandardSchema<T>): Promise<T>
  ask(message: string, schema?: JsonObject): Promise<JsonObject>
  /** Has the caller's model write something. */
  sample(params: JsonObject): Promise<JsonObject>
  /** Calls a tool of another server, of which there are none here: it always fails. */
  call(tool: string, args?: JsonObject): Promise<unknown>
}

/** A person was asked and did not answer. */
export class Declined extends Error {
  override readonly name = "Declined"
  readonly action: "decline" | "cancel"

  constructor(action: "decline" | "cancel") {
    super(action === "decline" ? "the question was declined" : "the question was closed without an answer")
    this.action = action
  }
}

/** Another tool failed. */
export class ToolError extends Error {
  override readonly name = "ToolError"
  readonly server: string
  readonly tool: string
  readonly code: string
  readonly data: unknown

  constructor(server: string, tool: string, code: string, message: string, data?: unknown) {
    super(message)
    this.server = server
    this.tool = tool
    this.code = code
    this.data = data
  }
}

const LEVELS = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])

export function createContext({ mcpReq }: ServerContext): ToolContext {
  const { id, signal, _meta: meta } = mcpReq
  const log = (level: LogLevel, data: unknown): void => void mcpReq.log(level, data).catch(() => {})
  const at = (level: LogLevel) => (message: unknown, data?: unknown) =>
    log(level, data === undefined ? message : { message, data })
  const plain = (first: string, data?: unknown): void => {
    if (data !== undefined && LEVELS.has(first)) log(first as LogLevel, data)
    else at("info")(first, data)
  }
  return {
    signal,
    requestId: id,
    progress(progress, total, message) {
      const progressToken = meta?.progressToken
      if (progressToken === undefined || signal.aborted) return
      const params = { progressToken, progress, ...(total !== undefined && { total }), ...(message && { message }) }
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
    },
    log: Object.assign(plain, { debug: at("debug"), info: at("info"), warn: at("warning"), error: at("error") }),
    async ask(message: string, schema?: JsonObject | StandardSchema): Promise<never> {
      const requestedSchema = toJsonSchema(schema) ?? { type: "object", properties: {} }
      const { action, content = {} } = await mcpReq.elicitInput({ message, requestedSchema } as never)
      if (action !== "accept") throw new Declined(action)
      return (isStandard(schema) ? await validate(schema, content, "the answer does not fit") : content) as never
    },
    sample: async params => (await mcpReq.requestSampling(params as never)) as never,
    async call(tool) {
      throw new ToolError("", tool, "unknown_tool", `${tool} is a tool of another server, which is not here`)
    },
  }
}

export function isStandard(schema: unknown): schema is StandardSchema {
  const { "~standard": standard } = (schema ?? {}) as Partial<StandardSchema>
  return typeof standard?.validate === "function"
}

export async function validate<T>(schema: StandardSchema<T>, value: unknown, what: string): Promise<T> {
  const result = await schema["~standard"].validate(value)
  if (!result.issues) return (result as { value: T }).value
  const lines = result.issues.map(({ path = [], message }) => {
    const keys = path.map(part => String((part as { key?: unknown } | null)?.key ?? part))
    return keys.length > 0 ? `${keys.join(".")}: ${message}` : message
  })
  throw new Error(`${what}:\n${lines.join("\n")}`)
}

function toJsonSchema(schema: JsonObject | StandardSchema | undefined): JsonObject | undefined {
  if (!isStandard(schema)) return schema
  const { jsonSchema } = schema["~standard"] as { jsonSchema?: { input?: (options: JsonObject) => JsonObject } }
  const { toJSONSchema } = schema as { toJSONSchema?: () => JsonObject }
  return jsonSchema?.input?.({ target: "draft-2020-12" }) ?? toJSONSchema?.call(schema)
}
