/**
 * The hub's HTTP server. MCP requests go straight from node's server to the MCP surface, because a framework's
 * request object costs a third of a whole call; everything else is Hono's.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ReadOnly } from "../../model/caller.ts"
import { ERRORS, toRpcError, toYardError, YardError } from "../../model/errors.ts"
import type { Guard } from "./guard.ts"

/** Anything that can answer MCP requests; the composition gives us the MCP surface. */
export interface McpRoutes<Address> {
  address(server: string | undefined): Address
  http(request: IncomingMessage, response: ServerResponse, address: Address, caller: McpCaller): void
  sse(request: IncomingMessage, response: ServerResponse, address: Address, caller: McpCaller): Promise<void>
}

export interface McpCaller {
  surface: "mcp"
  principal: string
  readOnly?: ReadOnly
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

export interface HttpServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const CORS = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
  "Access-Control-Expose-Headers": "Mcp-Session-Id",
  "Access-Control-Max-Age": "600",
}

/** What a URL means: the same few are asked for again and again, so each is taken apart once. */
interface Route {
  server: string | undefined
  sse: boolean
  caller: McpCaller
}

const MAX_ROUTES = 1000

export async function listen<Address>(
  options: { host: string; port: number; guard: Guard },
  mcp: McpRoutes<Address>,
  rest: Listener,
): Promise<HttpServer> {
  const routes = new Map<string, Route>()
  const server = createServer((request, response) => {
    try {
      const later = dispatch(request, response, options.guard, mcp, rest, routes)
      if (later instanceof Promise) later.catch((error: unknown) => sendError(request, response, error))
    } catch (error) {
      sendError(request, response, error)
    }
  })
  // The time to send a request; an answer may take as long as its own time-out allows.
  server.requestTimeout = 120_000
  server.keepAliveTimeout = 60_000
  const port = await bind(server, options.host, options.port)
  const host = options.host.includes(":") ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function dispatch<Address>(
  request: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  mcp: McpRoutes<Address>,
  rest: Listener,
  routes: Map<string, Route>,
): unknown {
  const url = request.url ?? "/"
  const query = url.indexOf("?")
  const path = query === -1 ? url : url.slice(0, query)
  const origin = guard.check(request, path === "/healthz")
  if (origin !== undefined) {
    response.setHeader("Access-Control-Allow-Origin", origin)
    response.setHeader("Vary", "Origin")
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value)
  }
  if (request.method === "OPTIONS") {
    // Which `Mcp-Param-*` headers there are depends on the tools, so whatever an allowed page asks for is granted.
    const asked = request.headers["access-control-request-headers"]
    if (origin !== undefined && asked !== undefined) response.setHeader("Access-Control-Allow-Headers", asked)
    return response.writeHead(204).end()
  }
  if (!path.startsWith("/mcp") || isPage(request)) return rest(request, response)
  let route = routes.get(url)
  if (!route) {
    const target = mcpTarget(path)
    if (!target) return rest(request, response)
    const caller: McpCaller = {
      surface: "mcp",
      principal: "local",
      ...readOnlyOf(query === -1 ? "" : url.slice(query)),
    }
    route = { ...target, caller }
    if (routes.size < MAX_ROUTES) routes.set(url, route)
  }
  const address = mcp.address(route.server)
  return route.sse
    ? mcp.sse(request, response, address, route.caller)
    : mcp.http(request, response, address, route.caller)
}

/** A browser that opens an MCP address is shown its page. */
function isPage({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" && headers.accept?.includes("text/html") === true && !headers.accept.includes("text/event-stream")
  )
}

function mcpTarget(path: string): { server: string | undefined; sse: boolean } | undefined {
  if (path === "/mcp" || path === "/mcp/") return { server: undefined, sse: false }
  const parts = path.split("/")
  const [, , name = "", tail] = parts
  if (name === "meta" || name === "" || parts.length > 4 || (tail !== undefined && tail !== "sse")) return undefined
  let server: string
  try {
    server = decodeURIComponent(name)
  } catch {
    throw new YardError("unknown_server", "the server's name is not valid in a URL")
  }
  return { server, sse: tail === "sse" }
}

function readOnlyOf(query: string): { readOnly?: ReadOnly } {
  const value = query === "" ? null : new URLSearchParams(query).get("readOnly")
  if (value === null || value === "false") return {}
  return { readOnly: value === "strict" ? "strict" : true }
}

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = toYardError(error)
  if (response.headersSent) {
    response.end()
    return
  }
  // Who speaks MCP is answered in JSON-RPC, everybody else as by `/api`.
  const isMcp = request.url?.startsWith("/mcp") === true
  const body = isMcp ? { jsonrpc: "2.0", id: null, error: toRpcError(known) } : { error: known.toJSON() }
  const text = JSON.stringify(body)
  response.writeHead(ERRORS[known.code].http, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...(known.code === "unauthorized" && { "WWW-Authenticate": 'Bearer realm="toolyard"' }),
  })
  response.end(text)
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE"
      reject(
        new YardError(
          taken ? "port_in_use" : "internal",
          taken ? `port ${port} on ${host} is in use` : `cannot listen on ${host}:${port}: ${error.message}`,
          {
            cause: error,
          },
        ),
      )
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
