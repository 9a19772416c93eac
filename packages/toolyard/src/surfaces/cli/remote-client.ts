/** A yard that a running hub holds, through its `/api`. */
import { setTimeout as pause } from "node:timers/promises"
import type { ApiCall, ApiSearch, ApiServer, ApiServerDetails, ApiStats, ApiTool } from "../../model/api.ts"
import { ERRORS, type ErrorCode, YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { AuditRow } from "../../policy/audit.ts"
import { CLIENT_NAME, PATIENCE_MS, type YardClient } from "./client.ts"
import type { Context } from "./deps.ts"
import type { Hub } from "./find-hub.ts"
import { type JsonRequest, type Reply, requestEvents, requestJson } from "./http-json.ts"
import { createRemoteCode, query } from "./remote-code.ts"

const ASK_AGAIN_MS = 100

export function createRemoteClient(hub: Hub, { signal, io }: Context): YardClient {
  const lost = (error: NodeJS.ErrnoException, request: JsonRequest): YardError => {
    signal.throwIfAborted()
    request.signal?.throwIfAborted()
    return new YardError("server_down", `the hub at ${hub.url} does not answer (${error.code ?? error.message})`, {
      hint: "It may have just stopped; try again.",
      cause: error,
    })
  }
  const reply = async (request: JsonRequest): Promise<Reply> => {
    const got = await requestJson(hub, { signal, ...request }).catch((error: NodeJS.ErrnoException) => {
      throw lost(error, request)
    })
    if (got.status >= 200 && got.status < 300) return got
    throw toError(got, hub)
  }
  const ask = async <T>(request: JsonRequest): Promise<T> => {
    const got = await reply(request)
    if (isObject(got.body)) return got.body as T
    throw toError(got, hub)
  }
  async function* events(request: JsonRequest) {
    try {
      yield* requestEvents(hub, { signal, ...request }, got => toError(got, hub))
    } catch (error) {
      throw error instanceof YardError ? error : lost(error as NodeJS.ErrnoException, request)
    }
  }
  const servers = async (): Promise<ApiServer[]> =>
    (await ask<{ servers: ApiServer[] }>({ path: "/api/servers" })).servers

  return {
    hub,
    warnings: [],
    async settle(server) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        // One that has failed before is waited for no longer.
        const coming = (await servers()).filter(
          ({ name, state, attempts }) => (server ?? name) === name && state === "connecting" && !attempts,
        )
        if (coming.length === 0 || performance.now() > deadline) break
        io.progress(`waiting for ${coming.map(({ name }) => name).join(", ")} …`)
        await pause(ASK_AGAIN_MS, undefined, { signal })
      }
      io.progress("")
    },
    servers,
    server: async name =>
      (await ask<{ server: ApiServerDetails }>({ path: `/api/servers/${encodeURIComponent(name)}` })).server,
    tools: async server => (await ask<{ tools: ApiTool[] }>({ path: `/api/tools${query({ server })}` })).tools,
    search: async (q, { limit, server }) =>
      (await ask<ApiSearch>({ path: `/api/search${query({ q, limit, server })}` })).results,
    async call({ tool, args, timeoutMs, readOnly, signal: own }) {
      const body: ApiCall = {
        tool,
        args,
        client: CLIENT_NAME,
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(readOnly !== undefined && { readOnly }),
      }
      const { result } = await ask<{ result: Record<string, unknown> }>({
        method: "POST",
        path: "/api/call",
        body,
        signal: own,
      })
      return result
    },
    audit: async (limit, server) =>
      (await ask<{ rows: AuditRow[] }>({ path: `/api/audit${query({ limit, server })}` })).rows,
    code: createRemoteCode({
      ask,
      events,
      text: async request => (await reply(request)).text,
      toError: body => toError({ status: 200, body }, hub),
    }),
    stats: () => ask<ApiStats>({ path: "/api/stats" }),
    close: async () => {},
  }
}

/** `/api` says `{ error: { code, message, hint } }`; the guard in front of it answers as MCP does. */
function toError({ status, body }: Pick<Reply, "status" | "body">, hub: Hub): YardError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const data = isObject(error.data) ? error.data : {}
  const code = [error.code, data.code].find(isErrorCode)
  const hint = [error.hint, data.hint].find(text => typeof text === "string")
  if (code === "unauthorized")
    return new YardError(code, `the hub at ${hub.url} does not take the token`, {
      hint: "Set TOOLYARD_URL to the whole URL with `?token=…`, or TOOLYARD_TOKEN to the token.",
    })
  if (code === undefined || typeof error.message !== "string")
    return new YardError("internal", `${hub.url} answered with status ${status}`, {
      hint: "Is it a toolyard hub, and of this version?",
    })
  return new YardError(code, error.message, {
    ...(hint !== undefined && { hint }),
    ...(error.hint !== undefined && { data: error.data }),
  })
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERRORS, code)
}
