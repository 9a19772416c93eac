/** Everything under HTTP that is not MCP itself: `/api`, health, metrics, pages. */
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { streamSSE } from "hono/streaming"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import type { Catalog } from "../../catalog/catalog.ts"
import type { ApiCall, ApiError, ApiEvent, ApiSearch, ApiServerDetails, ApiStats } from "../../model/api.ts"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { ERRORS, toYardError, YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { Audit } from "../../policy/audit.ts"
import { tokenCookie } from "./guard.ts"
import { prometheus } from "./metrics.ts"
import { serverPage, yardPage } from "./pages.ts"
import type { Listener } from "./server.ts"
import { toApiServer, toApiTool } from "./views.ts"

const MAX_CALL_BYTES = 16 * 1024 * 1024

export interface AppDeps {
  catalog: Catalog
  audit: Audit
  version: string
  sessions: () => number
  /** Epoch ms of the hub's start. */
  startedAt: number
  /** True once every server had its first attempt to connect. */
  ready: () => boolean
}

const CALLER: Caller = { surface: "http", principal: "local" }

export function createApp(deps: AppDeps): Listener {
  const { catalog } = deps
  const app = new Hono()

  app.onError((error, context) => {
    const known = toYardError(error)
    return context.json({ error: known.toJSON() } satisfies ApiError, ERRORS[known.code].http as ContentfulStatusCode)
  })
  app.notFound(context =>
    context.json({ error: new YardError("not_found", `there is nothing at ${context.req.path}`).toJSON() }, 404),
  )

  app.get("/healthz", context => context.json({ status: "ok", version: deps.version }))
  app.get("/readyz", context => {
    const down = catalog
      .servers()
      .filter(member => member.source && member.health().state !== "up")
      .map(member => member.name)
    return context.json({ ready: deps.ready(), down }, deps.ready() ? 200 : 503)
  })
  app.get("/metrics", context =>
    context.text(prometheus(catalog, deps.sessions()), 200, { "Content-Type": "text/plain; version=0.0.4" }),
  )

  app.get("/api/servers", context => context.json({ servers: catalog.servers().map(toApiServer) }))
  app.get("/api/servers/:name", context => {
    const member = catalog.requireServer(context.req.param("name"))
    const { instructions } = member.offer
    const server: ApiServerDetails = {
      ...toApiServer(member),
      logs: member.source?.logs?.() ?? [],
      ...(instructions !== undefined && { instructions }),
    }
    return context.json({ server })
  })
  app.post("/api/servers/:name/reconnect", context => {
    const member = catalog.requireServer(context.req.param("name"))
    member.source?.reconnect?.()
    return context.json({ server: toApiServer(member) })
  })
  app.get("/api/tools", context => {
    const server = context.req.query("server")
    const tools = server === undefined ? catalog.tools() : catalog.requireServer(server).tools
    return context.json({
      tools: tools.map(({ id, member, name, definition }) => toApiTool(id, member, name, definition)),
    })
  })
  app.get("/api/search", context => {
    const { q, limit, server, offset } = context.req.query()
    if (q === undefined)
      throw new YardError("invalid_params", "`q` is missing", { hint: "GET /api/search?q=create+issue&limit=8" })
    return context.json({
      results: catalog.search(q, {
        limit: wholeNumber("limit", limit, 8, 1, 100),
        offset: wholeNumber("offset", offset, 0, 0, 100_000),
        ...(server !== undefined && { server }),
      }),
    } satisfies ApiSearch)
  })
  const tooLarge = (): never => {
    throw new YardError("payload_too_large", `the body has more than ${MAX_CALL_BYTES} bytes`)
  }
  app.post("/api/call", bodyLimit({ maxSize: MAX_CALL_BYTES, onError: tooLarge }), async context => {
    const body: unknown = await context.req.json().catch(() => undefined)
    if (!isObject(body))
      throw new YardError("parse_error", "the body is not a JSON object", {
        hint: '{ "tool": "server__tool", "args": { } }',
      })
    const { tool, args = {}, timeoutMs, readOnly, client } = body as Partial<ApiCall>
    if (typeof tool !== "string") throw new YardError("invalid_params", "`tool` must be a string")
    if (!isObject(args)) throw new YardError("invalid_params", "`args` must be an object")
    if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
      throw new YardError("invalid_params", "`timeoutMs` must be a whole number above 0")
    if (readOnly !== undefined && typeof readOnly !== "boolean" && readOnly !== "strict")
      throw new YardError("invalid_params", '`readOnly` must be true, false or "strict"')
    if (client !== undefined && typeof client !== "string")
      throw new YardError("invalid_params", "`client` must be a string")
    const caller: Caller = {
      ...CALLER,
      ...(readOnly !== undefined && { readOnly }),
      ...(client !== undefined && { client }),
    }
    const call = new Call(caller)
    call.timeoutMs = timeoutMs
    context.req.raw.signal.addEventListener("abort", () => call.abort(new YardError("cancelled", "the client left")), {
      once: true,
    })
    return context.json({ result: await catalog.call(call, tool, args) })
  })
  app.get("/api/audit", async context => {
    const { limit, server } = context.req.query()
    return context.json({ rows: await deps.audit.tail(wholeNumber("limit", limit, 100, 1, 10_000), server) })
  })
  app.get("/api/stats", context => context.json(toApiStats(catalog, deps.sessions(), deps.startedAt)))
  app.get("/api/events", context =>
    streamSSE(context, async stream => {
      const send = (event: ApiEvent): void => void stream.writeSSE({ data: JSON.stringify(event) })
      const off = [
        catalog.on("changed", (server, lists) => send({ type: "changed", server, lists })),
        catalog.on("health", (server, { state, reason }) =>
          send({ type: "health", server, state, ...(reason !== undefined && { reason }) }),
        ),
      ]
      const beat = setInterval(() => void stream.write(": keep-alive\n\n"), 15_000)
      await new Promise<void>(resolve => stream.onAbort(resolve))
      clearInterval(beat)
      for (const end of off) end()
    }),
  )

  // A browser that comes with the token keeps it as a cookie, so that the links on the pages work.
  app.use("*", async (context, next) => {
    const token = context.req.query("token")
    if (token !== undefined && context.req.header("accept")?.includes("text/html")) {
      const cookie = `${tokenCookie(context.req.header("host"))}=${encodeURIComponent(token)}`
      context.header("Set-Cookie", `${cookie}; HttpOnly; SameSite=Strict; Path=/`)
    }
    await next()
  })
  app.get("/", context => context.redirect("/mcp"))
  for (const path of ["/mcp", "/mcp/all"]) {
    app.get(path, context => context.html(yardPage(catalog, new URL(context.req.url).origin)))
  }
  for (const path of ["/mcp/meta/:server", "/mcp/:server"]) {
    app.get(path, context => {
      const member = catalog.requireServer(context.req.param("server") as string)
      return context.html(serverPage(member, new URL(context.req.url).origin))
    })
  }

  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

export function toApiStats(catalog: Catalog, sessions: number, started: number): ApiStats {
  const servers: ApiStats["servers"] = {}
  for (const [name, { calls, totalMs, resultBytes }] of catalog.metrics.servers) {
    const all = calls.ok + calls["tool-error"] + calls.refused + calls.failed
    servers[name] = {
      ok: calls.ok,
      toolErrors: calls["tool-error"],
      refused: calls.refused,
      failed: calls.failed,
      meanMs: all === 0 ? 0 : totalMs / all,
      resultBytes,
    }
  }
  return { uptimeSeconds: (Date.now() - started) / 1000, sessions, memoryBytes: process.memoryUsage.rss(), servers }
}

function wholeNumber(name: string, text: string | undefined, fallback: number, least: number, most: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || value > most)
    throw new YardError("invalid_params", `\`${name}\` must be a whole number from ${least} to ${most}`)
  return value
}
