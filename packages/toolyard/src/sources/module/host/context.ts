/** The `ToolContext` of one call: everything sent for it names the request that it is for. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { LOG_LEVELS, type LogLevel, type RequestId } from "../../../model/mcp.ts"
import { Declined, type StandardSchema, type ToolContext, ToolError, type ToolLog } from "../tool-context.ts"
import { toJsonValue } from "./json-value.ts"
import { isStandardSchema, toJsonSchema, validate } from "./standard-schema.ts"
import type { Strays } from "./strays.ts"
import type { Request, Wire } from "./wire.ts"

/** What every call of one host shares. */
export interface Surroundings {
  readonly wire: Wire
  readonly strays: Strays
  /** The module, whose `zod` may be needed. */
  readonly file: string
  /** The least important message that is still wanted. */
  logLevel: LogLevel
}

export function createContext({ id, params, signal }: Request, around: Surroundings): ToolContext {
  const { wire, file } = around
  const meta = isObject(params._meta) ? params._meta : {}
  const caller = meta["toolyard/caller"]
  const { progressToken } = meta as { progressToken?: RequestId }
  const attributed = (given: JsonObject): JsonObject => {
    const own = isObject(given._meta) ? given._meta : {}
    return { ...given, _meta: { ...own, "toolyard/request": id } }
  }
  const ask = (method: string, given: JsonObject): Promise<JsonObject> => {
    return wire.ask(method, attributed(given), signal).catch((error: unknown) => {
      throw isRpcError(error) ? toError(error) : error
    })
  }

  return {
    signal,
    requestId: id,
    ...(isObject(caller) && { caller }),

    progress(done, total, message) {
      if (progressToken === undefined || signal.aborted) return
      const shown = message === undefined ? undefined : String(message)
      wire.notify("notifications/progress", { progressToken, progress: done, total, message: shown })
    },

    log: createLog((level, data) => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(around.logLevel) || signal.aborted) return
      wire.notify("notifications/message", attributed({ level, data: toJsonValue(data) ?? null }))
    }),

    async ask(message: string, schema?: JsonObject | StandardSchema): Promise<never> {
      const requestedSchema = (schema && toJsonSchema(schema, "input", file)) ?? { type: "object", properties: {} }
      const { action, content } = await ask("elicitation/create", { message, requestedSchema })
      if (action !== "accept") throw new Declined(action === "decline" ? "decline" : "cancel")
      const given = isObject(content) ? content : {}
      return (isStandardSchema(schema) ? await validate(schema, given, "the answer does not fit") : given) as never
    },

    sample: async given => ask("sampling/createMessage", given),

    async call(tool, args = {}) {
      const [, server = "", name = tool] = /^(.+?)(?:__|\.)(.+)$/s.exec(tool) ?? []
      let result: JsonObject
      try {
        const given = toJsonValue(args)
        result = await wire.ask("toolyard/call", attributed({ name: tool, arguments: given }), signal)
      } catch (error) {
        if (!isRpcError(error)) throw error
        throw new ToolError(server, name, codeOf(error) ?? "upstream_error", error.message, error.data)
      }
      if (result.isError !== true) return toValue(result)
      const said = isObject(result._meta) ? result._meta["toolyard/error"] : undefined
      const code = isObject(said) && typeof said.code === "string" ? said.code : "tool_error"
      throw new ToolError(server, name, code, textOf(result) || "the tool failed", result.structuredContent)
    },
  }
}

function createLog(send: (level: LogLevel, data: unknown) => void): ToolLog {
  const at = (level: LogLevel) => {
    return (message: unknown, data?: unknown) => send(level, data === undefined ? message : { message, data })
  }
  const log = (first: string, data?: unknown): void => {
    if (data !== undefined && isLevel(first)) send(first, data)
    else at("info")(first, data)
  }
  return Object.assign(log, { debug: at("debug"), info: at("info"), warn: at("warning"), error: at("error") })
}

const isLevel = (value: string): value is LogLevel => (LOG_LEVELS as readonly string[]).includes(value)

/** A result as a value: the structured content if there is any, else the JSON that its text is, else the text. */
function toValue(result: JsonObject): unknown {
  const { structuredContent, content, _meta } = result
  if (isObject(structuredContent)) {
    const isWrapped = isObject(_meta) && _meta["toolyard/wrapped"] === true
    return isWrapped ? structuredContent.result : structuredContent
  }
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  if (blocks.some(({ type }) => type !== "text")) return blocks.length === 1 ? blocks[0] : blocks
  const text = textOf(result)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textOf({ content }: JsonObject): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  return blocks
    .map(({ text }) => text)
    .filter(text => typeof text === "string")
    .join("\n")
}

interface WireError {
  code: number
  message: string
  data?: unknown
}

function isRpcError(error: unknown): error is WireError {
  return isObject(error) && !(error instanceof Error) && typeof error.code === "number"
}

const codeOf = ({ data }: WireError): string | undefined =>
  isObject(data) && typeof data.code === "string" ? data.code : undefined

function toError(error: WireError): Error {
  const code = codeOf(error)
  return Object.assign(new Error(error.message), code !== undefined && { code })
}
