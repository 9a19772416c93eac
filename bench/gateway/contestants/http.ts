/** The ways to put a `tools/call` into an HTTP request, and lanes that do so. */
import { openHttpLane, type Reply, toPost } from "../http-lane.ts"
import type { Lane, ToolCall } from "./contestant.ts"

/** Gives the request's text; every id is used once. */
export type ToRequest = (id: number, tool: ToolCall) => string

const CLIENT_INFO = { name: "bench", version: "1.0.0" }
const LEGACY_VERSION = "2025-11-25"
const MODERN_VERSION = "2026-07-28"
const START_MS = 30_000
const RETRY_MS = 50

export function httpLanes(url: URL, toRequest: ToRequest): (count: number) => Promise<Lane[]> {
  let lastId = 0
  const openLane = async (): Promise<Lane> => {
    const lane = await openHttpLane(url)
    return {
      call: async tool => {
        lastId += 1
        const reply = await lane.exchange(toRequest(lastId, tool))
        if (reply.status !== 200) throw new Error(`HTTP ${reply.status}: ${reply.body}`)
        return reply.body
      },
      close: lane.close,
    }
  }
  return count => Promise.all(Array.from({ length: count }, openLane))
}

/** JSON-RPC and nothing else: no session, no envelope. */
export function plainRequests(url: URL): ToRequest {
  return (id, params) => toPost(url, {}, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }))
}

/** Opens a session the 2025-11-25 way; tries again until the gateway is up. */
export async function legacyRequests(url: URL, died: Promise<never>): Promise<ToRequest> {
  const params = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT_INFO }
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })
  const reply = await untilGood(
    url,
    () => toPost(url, {}, initialize),
    died,
    ({ status }) => status === 200,
  )
  const session = /\r\nmcp-session-id: *([^\r]+)/.exec(reply.head)?.[1]
  const headers = { "MCP-Protocol-Version": LEGACY_VERSION, ...(session && { "Mcp-Session-Id": session }) }
  await exchangeOnce(url, toPost(url, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}'))
  const toRequest: ToRequest = (id, params) =>
    toPost(url, headers, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }))
  await untilEchoes(url, toRequest, died)
  return toRequest
}

/** The 2026-07-28 way: no session, every request says all about itself. */
export async function modernRequests(url: URL, died: Promise<never>): Promise<ToRequest> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const toRequest: ToRequest = (id, tool) => {
    const headers = { "MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": "tools/call", "Mcp-Name": tool.name }
    const params = { ...tool, _meta }
    return toPost(url, headers, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }))
  }
  await untilEchoes(url, toRequest, died)
  return toRequest
}

/** Waits until a call gets through to the echo server, which may come up after the gateway in front of it. */
export async function untilEchoes(url: URL, toRequest: ToRequest, died: Promise<never>): Promise<void> {
  // Below zero, apart from the ids of the calls that are measured.
  let id = 0
  const nextRequest = (): string => {
    id -= 1
    return toRequest(id, { name: "echo", arguments: { text: "are you up" } })
  }
  await untilGood(url, nextRequest, died, ({ status, body }) => status === 200 && body.includes('"are you up"'))
}

/** Asks until the reply is good: there is no other sign common to all that a gateway is up. */
async function untilGood(
  url: URL,
  nextRequest: () => string,
  died: Promise<never>,
  isGood: (reply: Reply) => boolean,
): Promise<Reply> {
  let death: Error | undefined
  died.catch(error => {
    death = error
  })
  const deadline = Date.now() + START_MS
  for (;;) {
    const reply = await exchangeOnce(url, nextRequest()).catch((error: Error) => error)
    if (!(reply instanceof Error) && isGood(reply)) return reply
    if (death) throw death
    if (Date.now() > deadline) {
      const why = reply instanceof Error ? reply.message : `HTTP ${reply.status}: ${reply.body}`
      throw new Error(`${url} did not answer in ${START_MS / 1000} s (${why})`)
    }
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}

async function exchangeOnce(url: URL, request: string): Promise<Reply> {
  const lane = await openHttpLane(url)
  try {
    return await lane.exchange(request)
  } finally {
    lane.close()
  }
}
