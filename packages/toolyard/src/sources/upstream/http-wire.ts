/**
 * An upstream over Streamable HTTP or the older HTTP+SSE, on the SDK's client transports.
 *
 * Streamable HTTP gets one transport object per request, all sharing one session: a transport reports messages
 * without saying in whose exchange they came, and only that tells which client a server's question is for.
 */
import type { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { HttpEntry } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { RequestId } from "../../model/mcp.ts"
import { fetchFollowing } from "./redirects.ts"
import type { Outgoing, Wire, WireEvents } from "./wire.ts"

type Sdk = typeof import("@modelcontextprotocol/client")
type Message = Parameters<SSEClientTransport["send"]>[0]

/** For ever: whether the server is still there is found out by the answers, not by counting. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: Number.MAX_SAFE_INTEGER,
}

export async function openHttpWire(entry: HttpEntry, events: WireEvents): Promise<Wire> {
  const sdk = await import("@modelcontextprotocol/client")
  const url = parseUrl(entry.url)
  return entry.type === "sse" ? openSse(sdk, url, entry, events) : openStreamable(sdk, url, entry, events)
}

function openStreamable(sdk: Sdk, url: URL, entry: HttpEntry, events: WireEvents): Wire {
  const requestInit = { headers: entry.headers }
  const open = new Set<StreamableHTTPClientTransport>()
  let version: string | undefined
  let closed = false
  let streamWasOpen = false
  const main = newTransport()
  // The server's own stream is reopened by the transport; a server that then knows nothing of us, or is not there, is lost.
  main.onerror = error => {
    if (!streamWasOpen || closed) return
    if (error instanceof sdk.SdkHttpError || error instanceof TypeError) lose(toOpenError(sdk, error))
  }

  function lose(reason: YardError): void {
    if (closed) return
    closed = true
    for (const transport of [main, ...open]) void transport.close().catch(() => {})
    events.closed(reason)
  }

  async function watchedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
    const response = await fetchFollowing(input, init)
    if (init?.method === "GET" && response.ok) streamWasOpen = true
    return response
  }

  function newTransport(relatedTo?: RequestId, sessionId?: string): StreamableHTTPClientTransport {
    const transport = new sdk.StreamableHTTPClientTransport(url, {
      requestInit,
      fetch: watchedFetch,
      reconnectionOptions: RECONNECTION,
      ...(sessionId !== undefined && { sessionId }),
      ...(version !== undefined && { protocolVersion: version }),
    })
    transport.onmessage = message => {
      if (relatedTo !== undefined && !("method" in message)) open.delete(transport)
      events.message(message as JsonObject, relatedTo)
    }
    transport.onerror = () => {}
    return transport
  }

  async function exchange(
    message: Outgoing,
    id: RequestId,
    headers: Record<string, string> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const opening = "method" in message && (message.method === "initialize" || message.method === "server/discover")
    const transport = opening ? main : newTransport(id, main.sessionId)
    if (!opening) {
      await transport.start()
      open.add(transport)
    }
    const ended = (): void => {
      open.delete(transport)
      events.failed(id, new YardError("upstream_crashed", "the server ended the exchange without an answer"))
    }
    try {
      await transport.send(message as Message, {
        ...(headers && { headers }),
        ...(signal && { requestSignal: signal }),
        onRequestStreamEnd: ended,
      })
    } catch (error) {
      open.delete(transport)
      if (signal?.aborted || closed) return
      if (main.sessionId !== undefined && refusesSession(sdk, error))
        events.failed(
          id,
          new YardError("session_not_found", "the server does not know the hub's session", { cause: error }),
        )
      else deliverFailure(sdk, events, id, error)
    }
  }

  void main.start()
  return {
    exchanges: true,
    send(message, headers, signal) {
      if (closed) return
      if ("method" in message && "id" in message) {
        void exchange(message, message.id, headers, signal)
        return
      }
      // Notifications and answers; the one that ends the handshake also opens the server's own stream.
      void main.send(message as Message).catch(() => {})
    },
    established(negotiated) {
      version = negotiated
      main.setProtocolVersion(negotiated)
    },
    async close() {
      closed = true
      for (const transport of open) void transport.close().catch(() => {})
      await Promise.race([
        main.terminateSession().catch(() => {}),
        new Promise(resolve => setTimeout(resolve, 500).unref()),
      ])
      await main.close().catch(() => {})
    },
  }
}

async function openSse(sdk: Sdk, url: URL, entry: HttpEntry, events: WireEvents): Promise<Wire> {
  const transport: SSEClientTransport = new sdk.SSEClientTransport(url, {
    requestInit: { headers: entry.headers },
    fetch: fetchFollowing,
  })
  let closed = false
  transport.onmessage = message => events.message(message as JsonObject)
  const gone = (): void => {
    if (closed) return
    closed = true
    events.closed(new YardError("upstream_crashed", "the server closed its event stream"))
    void transport.close().catch(() => {})
  }
  try {
    await transport.start()
  } catch (error) {
    throw toOpenError(sdk, error)
  }
  // The event source would reconnect by itself, but to a new session that knows nothing of ours.
  transport.onerror = gone
  transport.onclose = gone
  return {
    exchanges: false,
    send(message) {
      if (closed) return
      transport.send(message as Message).catch((error: unknown) => {
        if ("id" in message && "method" in message) deliverFailure(sdk, events, message.id, error)
      })
    },
    established(version) {
      transport.setProtocolVersion?.(version)
    },
    async close() {
      closed = true
      await transport.close().catch(() => {})
    },
  }
}

function parseUrl(text: string): URL {
  try {
    const url = new URL(text)
    if (url.protocol === "http:" || url.protocol === "https:") return url
  } catch {}
  throw new YardError("config_invalid", `"${text}" is not an http or https URL`, {
    hint: "Correct `url` in toolyard.json.",
  })
}

/**
 * How servers refuse a session that they do not know (any more): by 404, as the protocol says, or by 400 with an error
 * that answers no request.
 */
function refusesSession(sdk: Sdk, error: unknown): boolean {
  if (!(error instanceof sdk.SdkHttpError)) return false
  const { status, text } = error.data
  if (status !== 400) return status === 404
  const body = parseBody(text)
  return body !== undefined && isObject(body.error) && (body.id === null || body.id === undefined)
}

/** A request that got no answer: a JSON-RPC error in the body is that answer; the rest tells how the server is. */
function deliverFailure(sdk: Sdk, events: WireEvents, id: RequestId, error: unknown): void {
  if (error instanceof sdk.SdkHttpError) {
    const body = parseBody(error.data.text)
    if (body && isObject(body.error)) {
      events.message({ jsonrpc: "2.0", id, error: { ...body.error, httpStatus: error.data.status } })
      return
    }
  }
  events.failed(id, toOpenError(sdk, error))
}

function parseBody(text: unknown): JsonObject | undefined {
  if (typeof text !== "string") return undefined
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

function toOpenError(sdk: Sdk, error: unknown): YardError {
  if (error instanceof YardError) return error
  if (error instanceof sdk.SdkHttpError) {
    const { status } = error.data
    if (status === 401) return new YardError("needs_login", "the server wants a login (HTTP 401)", { cause: error })
    if (status === 404)
      return new YardError("session_not_found", "the server answered HTTP 404", { cause: error, data: { status } })
    return new YardError("server_down", `the server answered HTTP ${status}`, { cause: error, data: { status } })
  }
  if (error instanceof sdk.UnauthorizedError)
    return new YardError("needs_login", "the server wants a login", { cause: error })
  if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.ClientHttpUnexpectedContent)
    return new YardError("upstream_bad_reply", `the server did not answer in JSON: ${error.message}`, { cause: error })
  return new YardError("server_down", `the server cannot be reached: ${describe(error)}`, { cause: error })
}

/** `fetch failed` says nothing; its cause does. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause as NodeJS.ErrnoException | undefined
  return cause?.code ?? cause?.message ?? error.message
}
