/** The fixture over HTTP on the loopback address: either era, or both on one URL. */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node"
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { buildFixture } from "./fixture-server.mjs"

/** Keeps a session's events, so that a client that lost its stream can have the rest. */
function openEventStore() {
  const events = []
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message })
      return String(events.length)
    },
    async getStreamIdForEventId(eventId) {
      return events[Number(eventId) - 1]?.streamId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const from = Number(lastEventId)
      const { streamId } = events[from - 1]
      for (const [index, event] of events.entries()) {
        // A priming event is stored as an empty message: there is nothing in it to send again.
        const missed = index >= from && event.streamId === streamId && event.message.jsonrpc !== undefined
        if (missed) await send(String(index + 1), event.message)
      }
      return streamId
    },
  }
}

const refuse = (status, code, message) =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })

/** The 2025 side: a transport and a server for every session. */
function openSessions(build) {
  const sessions = new Map()

  async function initialize() {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, { transport, server: product.server }),
      onsessionclosed: id => void sessions.delete(id),
      eventStore: openEventStore(),
      retryInterval: 50,
    })
    const product = build("legacy")
    await product.connect(transport)
    return transport
  }

  return {
    async fetch(request, { parsedBody } = {}) {
      const id = request.headers.get("mcp-session-id")
      const session = id === null ? undefined : sessions.get(id)
      if (session) return session.transport.handleRequest(request, { parsedBody })
      if (id !== null) return refuse(404, -32001, "Session not found")
      if (!isInitializeRequest(parsedBody)) return refuse(400, -32000, "Bad Request: Mcp-Session-Id header is required")
      const transport = await initialize()
      return transport.handleRequest(request, { parsedBody })
    },
    servers: () => [...sessions.values()].map(session => session.server),
  }
}

async function bodyOf(request) {
  if (request.method !== "POST") return undefined
  try {
    return await request.clone().json()
  } catch {
    return undefined
  }
}

/** Serves on `port` (0 for any) and gives the URL. */
export async function serveHttp({ era, port, codec }) {
  const changed = what => {
    for (const server of sessions.servers()) announce(what, server)
    if (what === "tools") modern.notify.toolsChanged()
    else modern.notify.promptsChanged()
  }
  const build = ofEra => buildFixture({ codec, changed, era: ofEra })
  const sessions = openSessions(build)
  const modern = createMcpHandler(() => build("modern"), { legacy: "reject" })

  const handler = toNodeHandler({
    async fetch(request, options) {
      if (era === "modern") return modern.fetch(request, options)
      const parsedBody = await bodyOf(request)
      const isLegacy = era === "legacy" || (await isLegacyRequest(request, parsedBody))
      return isLegacy ? sessions.fetch(request, { parsedBody }) : modern.fetch(request, options)
    },
  })
  const checkHost = localhostHostValidation()
  const checkOrigin = localhostOriginValidation()
  const http = createServer((req, res) => {
    if (!checkHost(req, res) || !checkOrigin(req, res)) return
    if (new URL(req.url, "http://localhost").pathname !== "/mcp") return void res.writeHead(404).end()
    void handler(req, res)
  })
  http.listen(port, "127.0.0.1")
  await once(http, "listening")
  return `http://127.0.0.1:${http.address().port}/mcp`
}

/** Tells one connected client that a list changed. */
export function announce(what, server) {
  const sent = what === "tools" ? server.sendToolListChanged() : server.sendPromptListChanged()
  // A session without an open stream cannot be told: that is its own choice, not a failure.
  sent.catch(() => {})
}
