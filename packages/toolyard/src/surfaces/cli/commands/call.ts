/** `toolyard call SERVER.TOOL` */
import { toYardError, YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject, toJsonText } from "../../../model/json.ts"
import type { ToolResult } from "../../../model/source.ts"
import { parseArgs, splitPair, typedPairs } from "../call-args.ts"
import { withClient, type YardClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { unlessAborted } from "../interrupt.ts"
import type { Io } from "../io.ts"
import { readStdin } from "../read-stdin.ts"
import { renderResult } from "../render-result.ts"
import { harmless, oneLine } from "../text.ts"
import { serversOf, whyUnknown } from "../tool-name.ts"

export interface CallOptions {
  arg?: string[]
  timeout?: number
  readOnly?: boolean
  config?: string
  json?: boolean
}

export async function call(context: Context, options: CallOptions, tool: string, written?: string): Promise<number> {
  const { io, signal } = context
  const pairs = (options.arg ?? []).map(pair => splitPair("--arg", pair))
  const given = parseArgs(
    written === "-" ? await unlessAborted(readStdin(io, "the arguments"), signal) : (written ?? ""),
  )
  const result = await withClient(context, { ...options, about: { tool } }, async client => {
    const request = async (): Promise<ToolResult> =>
      client.call({
        tool,
        args: { ...given, ...(pairs.length > 0 && typedPairs(pairs, await schemaOf(tool, client))) },
        signal,
        ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
        ...(options.readOnly && { readOnly: true }),
        onProgress: params => io.progress(progressText(tool, params)),
      })
    if (!client.hub) await client.settle()
    try {
      return await request()
    } catch (error) {
      if (toYardError(error).code !== "unknown_tool") throw ownLimit(error, options.timeout)
      if (!client.hub) throw await whyUnknown(tool, client)
      // A hub that has just been started may not know all its tools yet.
      const names = (await client.servers()).map(({ name }) => name)
      await client.settle(serversOf(tool, names)[0])
      return await request().catch(async (again: unknown) => {
        throw toYardError(again).code === "unknown_tool" ? await whyUnknown(tool, client) : again
      })
    }
  })
  io.progress("")
  return print(result, io, options.json === true)
}

/** When it was this command's own limit, the configuration is not where to raise it. */
function ownLimit(error: unknown, timeout: number | undefined): unknown {
  const { code, message, data } = toYardError(error)
  const isOwn = code === "timeout" && timeout !== undefined && isObject(data) && data.timeoutMs === timeout
  return isOwn
    ? new YardError(code, message, { hint: "Give it more time with --timeout, or ask for less.", data })
    : error
}

function print(result: ToolResult, io: Io, json: boolean): number {
  const failed = result.isError === true
  if (json) {
    io.out(toJsonText(result))
    return failed ? 1 : 0
  }
  const text = renderResult(result)
  // Whoever pipes the output wants it untouched; a terminal would obey what a server put into it.
  if (failed) io.err(io.errIsTerminal ? harmless(text) : text)
  else io.out(io.outIsTerminal ? harmless(text) : text)
  return failed ? 1 : 0
}

async function schemaOf(tool: string, client: YardClient): Promise<unknown> {
  const found = (await client.tools()).find(({ id, server, name }) => id === tool || `${server}.${name}` === tool)
  return found?.definition.inputSchema
}

function progressText(tool: string, { progress, total, message }: JsonObject): string {
  const share = typeof progress === "number" ? ` ${progress}${typeof total === "number" ? `/${total}` : ""}` : ""
  return `${tool}${share}${typeof message === "string" ? ` ${oneLine(message)}` : ""}`
}
