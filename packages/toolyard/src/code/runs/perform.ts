/** Does what a script asks for: a tool, a fetch, a search, an earlier result, or to be woken later. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { CatalogTool } from "../../catalog/member.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { AllowList } from "../../sandbox/fetch/allow-list.ts"
import type { GuardedFetch } from "../../sandbox/fetch/guarded-fetch.ts"
import type { FetchRequest } from "../../sandbox/fetch/message.ts"
import { type ToolFailure, toValue, toValueText } from "../value/value.ts"
import type { CallState } from "./call-state.ts"
import type { RunCall } from "./run-call.ts"

export interface PerformDeps {
  catalog: Catalog
  fetch(): GuardedFetch
  /** The hosts that a run may reach. */
  allowed(runId: string): AllowList
  /** The value of an earlier run, or the content of a blob, as JSON text. */
  readResult(id: string): Promise<string>
}

/** How long a script that names a tool which is not there yet waits for servers that were never listed. */
const UNLISTED_MS = 10_000
const LONGEST_TIMER = 2_147_483_647
const MAX_FOUND = 50

export async function perform(deps: PerformDeps, call: RunCall, kind: string, payload: string): Promise<string> {
  const asked = JSON.parse(payload) as unknown
  switch (kind) {
    case "tool":
      return callTool(deps, call, asked)
    case "fetch":
      return JSON.stringify(await deps.fetch().fetch(asked as FetchRequest, deps.allowed(call.run.id), call.signal))
    case "search":
      return search(deps.catalog, asked, call.caller)
    case "results":
      if (typeof asked !== "string")
        throw new YardError("invalid_arguments", "results.get needs the id of a run, or a cid:// address")
      return deps.readResult(asked)
    case "timer":
      await sleep(Number(asked), call.signal)
      return ""
    default:
      throw new YardError("internal", `a script asked for "${kind}", which there is not`)
  }
}

async function callTool({ catalog }: PerformDeps, call: RunCall, asked: unknown): Promise<string> {
  const [server, name, params = {}] = Array.isArray(asked) ? (asked as unknown[]) : []
  if (typeof server !== "string" || typeof name !== "string")
    throw new YardError("invalid_arguments", "a tool is called as tools.server.tool({ … })")
  if (!isObject(params))
    throw new YardError("invalid_arguments", `tools.${server}.${name} takes one object with its parameters`)
  const tool = findTool(catalog, server, name) ?? (await awaitTool(catalog, server, name))
  const result = await catalog.call(call, tool, params as JsonObject)
  if (result.isError === true) {
    const { error } = toValue(result) as { error: ToolFailure }
    throw new YardError("upstream_error", error.message, { data: { toolError: error } })
  }
  return toValueText(result)
}

function findTool({ names }: Catalog, server: string, name: string): CatalogTool | undefined {
  const known = names.server(server)
  return known && names.tool(known, name)?.tool
}

async function awaitTool(catalog: Catalog, server: string, name: string): Promise<CatalogTool> {
  await catalog.whenListed(undefined, UNLISTED_MS)
  const tool = findTool(catalog, server, name)
  if (tool) return tool
  const { names } = catalog
  const known = names.server(server)
  if (!known) {
    const near = names.nearServer(server)
    throw new YardError("unknown_server", `there is no tools.${server}${near ? `; did you mean tools.${near}?` : ""}`)
  }
  const near = names.nearTool(known, name)
  const meant = near ? `; did you mean tools.${known.tsName}.${near}?` : ""
  throw new YardError("unknown_tool", `there is no tools.${known.tsName}.${name}${meant}`)
}

function search(catalog: Catalog, asked: unknown, caller: Caller): string {
  const { query, options } = asked as { query: unknown; options?: unknown }
  const { limit, server, offset } = isObject(options) ? options : {}
  const found = catalog.search(typeof query === "string" ? query : "", {
    limit: typeof limit === "number" ? Math.min(MAX_FOUND, Math.max(1, Math.floor(limit))) : 8,
    ...(typeof server === "string" && { server: catalog.names.server(server)?.member.name ?? server }),
    ...(typeof offset === "number" && { offset: Math.max(0, Math.floor(offset)) }),
    caller,
  })
  return JSON.stringify(found)
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", end)
        resolve()
      },
      Math.min(LONGEST_TIMER, Math.max(0, ms || 0)),
    )
    signal.addEventListener("abort", end, { once: true })
  })
}

/** The tool's id where it is known, else what the script wrote. */
export function nameOf({ names }: Catalog, kind: string, payload: string): string {
  if (kind !== "tool") return kind
  const [server, name] = JSON.parse(payload) as [string, string]
  const known = names.server(server)
  return (known && names.tool(known, name)?.tool.id) ?? `${server}.${name}`
}

/** What only reads, or does the same when it is done again, may be repeated. */
export function mayRepeat(catalog: Catalog, { kind, tool, payload }: CallState): boolean {
  if (kind === "fetch") {
    const { method = "GET" } = JSON.parse(payload) as { method?: string }
    return /^(get|head|options)$/i.test(method)
  }
  if (kind !== "tool") return true
  const annotations = catalog.findTool(tool)?.definition.annotations
  return isObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true)
}
