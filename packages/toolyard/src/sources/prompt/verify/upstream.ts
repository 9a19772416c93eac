/** The other side of a handler while it is tried out: answers from the documentation, and keeps what arrived. */
import { YardError } from "../../../model/errors.ts"
import { type AllowList, hostOf } from "../../../sandbox/fetch/allow-list.ts"
import { type FetchRequest, type FetchResponse, readRequest } from "../../../sandbox/fetch/message.ts"
import { notListed } from "../../../sandbox/fetch/refusal.ts"
import { differences } from "../endpoint.ts"
import type { PlannedTool } from "../model.ts"
import type { Documentation } from "./documented.ts"
import { sampleValue } from "./sample.ts"

/** What the upstream does: it answers, or it fails in one of the ways in which upstreams fail. */
export type Behaviour = "answers" | "404" | "500" | "not-json" | "timeout"

export interface Exchange {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  response: { status: number; body: unknown } | { error: string }
  /** Whether the answer is one that the documentation shows, or one that was made up. */
  from: "documentation" | "schema" | "nothing"
}

export interface Upstream {
  readonly exchanges: Exchange[]
  fetch(request: FetchRequest): Promise<FetchResponse>
}

export interface UpstreamOptions {
  tool: PlannedTool
  args: Record<string, unknown>
  documentation: Documentation
  allow: AllowList
  behaviour: Behaviour
}

const MAX_BYTES = 1_000_000
/** As many APIs put it: only the status tells that it is a failure. */
export const NOT_FOUND = { detail: "No such thing", data: null }
export const BROKEN = "Internal Server Error"
export const PAGE = "<!doctype html><html><body><h1>Down for maintenance</h1></body></html>"

export function createUpstream(options: UpstreamOptions): Upstream {
  const { tool, args, documentation, allow, behaviour } = options
  const exchanges: Exchange[] = []

  function answerTo(method: string, url: URL): Pick<Exchange, "from"> & { body: unknown } {
    const own = tool.endpoint && differences(tool.endpoint, args, { method, url: url.href }).length === 0
    const shown = documentation.answerTo(own && tool.endpoint ? tool.endpoint.url : templateOf(url), method)
    if (shown !== undefined) return { from: "documentation", body: shown }
    if (own && tool.outputSchema) return { from: "schema", body: sampleValue(tool.outputSchema) }
    return { from: "nothing", body: {} }
  }

  return {
    exchanges,
    async fetch(request) {
      const { url, method, headers, body } = readRequest(request, MAX_BYTES)
      const sent = {
        method,
        url: url.href,
        headers: Object.fromEntries(headers),
        ...(body && { body: body.toString() }),
      }
      const { from, body: answer } = answerTo(method, url)
      const keep = (response: Exchange["response"]): void => void exchanges.push({ ...sent, response, from })
      if (!allow.match(url)) {
        const refusal = notListed(url, allow)
        keep({ error: refusal.message })
        throw refusal
      }
      if (behaviour === "timeout") {
        const error = new YardError("timeout", `the fetch from ${hostOf(url)} took too long`)
        keep({ error: error.message })
        throw error
      }
      const [status, content] =
        behaviour === "404"
          ? [404, NOT_FOUND]
          : behaviour === "500"
            ? [500, BROKEN]
            : [200, behaviour === "not-json" ? PAGE : answer]
      keep({ status, body: content })
      return respond(url, status, content)
    },
  }
}

function respond(url: URL, status: number, content: unknown): FetchResponse {
  const isText = typeof content === "string"
  const type = !isText
    ? "application/json"
    : content.startsWith("<?xml")
      ? "application/xml"
      : content === PAGE
        ? "text/html"
        : "text/plain"
  return {
    status,
    statusText: { 200: "OK", 404: "Not Found", 500: "Internal Server Error" }[status] ?? "",
    url: url.href,
    redirected: false,
    headers: [["content-type", type]],
    body: { text: isText ? content : JSON.stringify(content) },
  }
}

/** Another address than the planned one: numbers and ids in its path stand for any. */
function templateOf(url: URL): string {
  const path = url.pathname.replace(/(?<=\/)(?:\d+|[0-9a-f]{8}[0-9a-f-]{8,}|sample)(?=[/.]|$)/gi, "{id}")
  return `${url.origin}${path}`
}
