/** Sends a request until there is an answer to show: with its secrets, over redirects, and again where that is harmless. */
import { setTimeout as sleep } from "node:timers/promises"
import { YardError } from "../../../model/errors.ts"
import { addQuery } from "./address.ts"
import type { Grant } from "./auth.ts"
import { mergeHeaders } from "./headers.ts"
import { type Transport, valuesOf, type WireRequest, type WireResponse } from "./transport.ts"

export interface DeliverDeps {
  transport: Transport
  signal: AbortSignal
  /** Where there are secrets: gives them, and tells whether there are others once they were refused. */
  authorize?: { grant(signal: AbortSignal): Promise<Grant>; renew(grant: Grant): boolean }
  /** Whether sending it twice does no harm; by its method if not said. */
  mayRepeat?: boolean
}

export interface Delivered extends WireResponse {
  /** Where the answer came from, with the query but for secrets. */
  url: string
}

const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
const NOTHING: Grant = { headers: [], query: [], tokens: [] }
const MAX_RETRIES = 3
const MAX_REDIRECTS = 5
const FIRST_DELAY_MS = 500
/** Who is told to come back later than this is told so, instead of being kept waiting. */
const LONGEST_DELAY_MS = 20_000

export async function deliver(request: WireRequest, deps: DeliverDeps): Promise<Delivered> {
  const { authorize, signal } = deps
  const mayRepeat = deps.mayRepeat ?? IDEMPOTENT.has(request.method)
  let hasRenewed = false
  for (let retries = 0; ; retries++) {
    const grant = (await authorize?.grant(signal)) ?? NOTHING
    const response = await follow(request, grant, deps).catch((error: unknown) => {
      // A kept connection that the server closed meanwhile: nothing was answered, so it is tried on a new one.
      if (mayRepeat && retries === 0 && isBrokenOff(error)) return undefined
      throw error
    })
    if (response === undefined) continue
    if (response.status === 401 && !hasRenewed && authorize?.renew(grant)) {
      hasRenewed = true
      drop(response)
      continue
    }
    const isBusy = response.status === 429 || response.status === 503
    const delay = isBusy && mayRepeat && retries < MAX_RETRIES ? delayBefore(response, retries) : undefined
    if (delay === undefined || delay > LONGEST_DELAY_MS) return response
    drop(response)
    await sleep(delay, undefined, { signal }).catch(() => {
      throw signal.reason
    })
  }
}

/** In milliseconds: what the server asks for, else ever longer. */
function delayBefore({ headers }: WireResponse, retries: number): number {
  const asked = valuesOf(headers, "retry-after")[0]?.trim()
  if (asked !== undefined && /^\d+(?:\.\d+)?$/.test(asked)) return Number(asked) * 1000
  const until = asked === undefined ? Number.NaN : Date.parse(asked)
  if (!Number.isNaN(until)) return Math.max(0, until - Date.now())
  return FIRST_DELAY_MS * 2 ** retries * (0.75 + Math.random() / 2)
}

async function follow(first: WireRequest, grant: Grant, { transport, signal }: DeliverDeps): Promise<Delivered> {
  let request = first
  for (let redirects = 0; ; redirects++) {
    const headers = mergeHeaders(request.headers, grant.headers)
    const path = grant.query.reduce((path, [name, value]) => addQuery(path, name, value), request.path)
    const response = await transport.send({ ...request, path, headers }, signal)
    const next = redirects < MAX_REDIRECTS ? redirected(request, response) : undefined
    if (!next) return { ...response, url: request.origin + request.path }
    drop(response)
    request = next
  }
}

/** The next request, where the answer leads to the same host; secrets never go anywhere else. */
function redirected(request: WireRequest, { status, headers }: WireResponse): WireRequest | undefined {
  const location = valuesOf(headers, "location")[0]
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const from = request.origin + request.path
  const target = Buffer.from(location, "latin1").toString()
  if (!URL.canParse(target, from)) return undefined
  const url = new URL(target, from)
  if (!isSameHost(url, new URL(from))) return undefined
  const becomesGet =
    status === 303 ? request.method !== "HEAD" : (status === 301 || status === 302) && request.method === "POST"
  const next = { ...request, origin: url.origin, path: url.pathname + url.search }
  if (!becomesGet) return next
  const kept = request.headers.filter(([name]) => !name.toLowerCase().startsWith("content-"))
  return { ...next, method: "GET", headers: kept, body: undefined }
}

/** The same host and port; from http to https, too, but never back. */
export function isSameHost(url: URL, from: URL): boolean {
  if (url.origin === from.origin) return true
  return url.hostname === from.hostname && url.protocol === "https:" && from.protocol === "http:" && url.port === ""
}

function isBrokenOff(error: unknown): boolean {
  return error instanceof YardError && error.code === "fetch_failed" && /broke off|reset/.test(error.message)
}

function drop({ body }: WireResponse): void {
  body.on("error", () => {}).destroy()
}
