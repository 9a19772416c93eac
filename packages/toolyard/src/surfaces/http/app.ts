/** Everything under HTTP that is not MCP itself: `/api`, health, metrics, pages. */
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import type { CodeMode } from "../../code/code-mode.ts"
import type { ApiCall, ApiError, ApiEvent, ApiSearch, ApiServerDetails, ApiStats } from "../../model/api.ts"
import { ERRORS, toYardError, YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { RunStatus } from "../../model/run.ts"
import type { Audit } from "../../policy/audit.ts"
import { tokenCookie } from "./guard.ts"
import { prometheus } from "./metrics.ts"
import type { PageDeps } from "./pages/place.ts"
import { addPageRoutes } from "./pages/routes.tsx"
import { callOf, limitBody, readObject, whileConnected, wholeNumber } from "./request.ts"
import { addRunRoutes } from "./run-routes.ts"
import { addRuntimeRoutes } from "./runtime-routes.ts"
import { addScriptRoutes } from "./script-routes.ts"
import type { Listener } from "./server.ts"
import { toApiServer, toApiTool } from "./views.ts"

/** So many runs are looked at for the numbers of `/api/stats`. */
const COUNTED_RUNS = 1000

export interface AppDeps extends PageDeps {
  code: CodeMode
  audit: Audit
  sessions: () => number
  /** Epoch ms of the hub's start. */
  startedAt: number
  /** True once every server had its first attempt to connect. */
  ready: () => boolean
}

export function createApp(deps: AppDeps): Listener {
  const { catalog, code } = deps
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
  app.post("/api/call", limitBody, async context => {
    const body = await readObject(context, '{ "tool": "server__tool", "args": { } }')
    const { tool, args = {}, timeoutMs, readOnly, client } = body as Partial<ApiCall>
    if (typeof tool !== "string") throw new YardError("invalid_params", "`tool` must be a string")
    if (!isObject(args)) throw new YardError("invalid_params", "`args` must be an object")
    if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
      throw new YardError("invalid_params", "`timeoutMs` must be a whole number above 0")
    if (readOnly !== undefined && typeof readOnly !== "boolean" && readOnly !== "strict")
      throw new YardError("invalid_params", '`readOnly` must be true, false or "strict"')
    if (client !== undefined && typeof client !== "string")
      throw new YardError("invalid_params", "`client` must be a string")
    const call = callOf({ ...(client !== undefined && { client }), ...(readOnly !== undefined && { readOnly }) })
    call.timeoutMs = timeoutMs
    return context.json({ result: await whileConnected(context, call, () => catalog.call(call, tool, args)) })
  })
  app.get("/api/audit", async context => {
    const { limit, server } = context.req.query()
    return context.json({ rows: await deps.audit.tail(wholeNumber("limit", limit, 100, 1, 10_000), server) })
  })
  app.get("/api/stats", async context => context.json(await toApiStats(deps)))
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

  addRunRoutes(app, code)
  addScriptRoutes(app, code)
  addRuntimeRoutes(app, code, catalog)

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
  addPageRoutes(app, deps)

  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

async function toApiStats({ catalog, code, sessions, startedAt }: AppDeps): Promise<ApiStats> {
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
  const runs: Record<RunStatus, number> = { running: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const { status } of await code.runs({ limit: COUNTED_RUNS })) runs[status]++
  return {
    uptimeSeconds: (Date.now() - startedAt) / 1000,
    sessions: sessions(),
    memoryBytes: process.memoryUsage.rss(),
    servers,
    runs,
  }
}
