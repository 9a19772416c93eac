/** `tools/call` of `execute` over HTTP MCP, on bare sockets: the client's own cost is small and the same for all. */
import { openHttpLane, type Reply, toPost } from "../../gateway/http-lane.ts"
import type { Runner } from "../contestant.ts"

const VERSION = "2025-11-25"
const START_MS = 30_000
const RETRY_MS = 50

export interface ToolResult {
  isError?: boolean
  content: { text?: string }[]
  structuredContent?: Record<string, unknown>
}

export interface ExecuteOptions {
  headers?: Record<string, string>
  /** Gives the script's value, or throws when the run failed. */
  toValue(result: ToolResult): unknown
}

/** Opens a session once; its runners share it, each on a connection of its own. */
export async function openSession(url: URL, options: ExecuteOptions): Promise<(count: number) => Promise<Runner[]>> {
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } }
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })
  const { status, head, body } = await exchangeOnce(url, toPost(url, options.headers ?? {}, initialize))
  if (status !== 200) throw new Error(`HTTP ${status}: ${body}`)
  const session = /\r\nmcp-session-id: *([^\r]+)/.exec(head)?.[1]
  const headers = {
    ...options.headers,
    "MCP-Protocol-Version": VERSION,
    ...(session && { "Mcp-Session-Id": session }),
  }
  await exchangeOnce(url, toPost(url, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}'))

  let lastId = 0
  const openRunner = async (): Promise<Runner> => {
    const lane = await openHttpLane(url)
    return {
      async run(code) {
        lastId += 1
        const params = { name: "execute", arguments: { code } }
        const body = JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "tools/call", params })
        return options.toValue(toResult(await lane.exchange(toPost(url, headers, body))))
      },
      close: lane.close,
    }
  }
  return count => Promise.all(Array.from({ length: count }, openRunner))
}

/** A reply is JSON, or a stream of events of which the last is the answer. */
function toResult({ status, head, body }: Reply): ToolResult {
  if (status !== 200) throw new Error(`HTTP ${status}: ${body}`)
  const text = head.includes("text/event-stream") ? body.toString().split("\ndata: ").at(-1)! : body.toString()
  const { result, error } = JSON.parse(text) as { result?: ToolResult; error?: { message: string } }
  if (!result) throw new Error(error?.message ?? `no result: ${text.slice(0, 300)}`)
  return result
}

export async function exchangeOnce(url: URL, request: string): Promise<Reply> {
  const lane = await openHttpLane(url)
  try {
    return await lane.exchange(request)
  } finally {
    lane.close()
  }
}

/** Tries until it works: a server may listen before what it needs is there. */
export async function untilWorks<T>(attempt: () => Promise<T>, died: Promise<never>): Promise<T> {
  let death: Error | undefined
  died.catch(error => {
    death = error
  })
  const deadline = Date.now() + START_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (death) throw death
      if (Date.now() > deadline) throw error
    }
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}
