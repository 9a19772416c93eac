/**
 * One request to one host, on a connection of its own that ends with it: nothing a run has said to a host can be left
 * on a connection for the next one. The address is checked where it is used, so that no second answer of the name
 * server comes in between.
 */
import type { LookupAddress } from "node:dns"
import { isIP } from "node:net"
import { Client } from "undici"
import { internalRange } from "./address.ts"
import { type AllowList, hostOf } from "./allow-list.ts"
import type { Outgoing } from "./message.ts"
import { ACCEPT_ENCODING, readBody } from "./read-body.ts"
import { notListed, notPublic } from "./refusal.ts"

/** The addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>

export interface HopOptions {
  maxBytes: number
  resolve: Resolve
  signal: AbortSignal
}

export interface Answer {
  status: number
  statusText: string
  headers: [string, string][]
  /** Empty for a redirect that is followed: its body is not read. */
  body: Buffer
}

const MAX_RESPONSE_HEADER_BYTES = 64 * 1024
const DEFAULT_HEADERS: [string, string][] = [
  ["accept", "*/*"],
  ["user-agent", "toolyard"],
  ["accept-encoding", ACCEPT_ENCODING],
]
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Where the answer sends us, if it does. */
export function redirectOf(answer: { status: number; headers: [string, string][] }): string | undefined {
  return REDIRECTS.has(answer.status) ? answer.headers.find(([name]) => name === "location")?.[1] : undefined
}

export async function sendOnce(request: Outgoing, allow: AllowList, options: HopOptions): Promise<Answer> {
  const { url, method, body } = request
  const addresses = await findAddresses(url, allow, options)
  const ended = new AbortController()
  const client = new Client(url.origin, {
    allowH2: false,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    // One clock runs over all hops; these would be further ones.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: 0,
      lookup: (_host, { all }, done) =>
        all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family),
      // A request that still waits for its connection does not hear of its own signal; the socket does.
      signal: AbortSignal.any([options.signal, ended.signal]),
    },
  })
  try {
    const response = await client.request({
      path: url.pathname + url.search,
      method,
      headers: [
        ...DEFAULT_HEADERS.filter(([name]) => !request.headers.some(([own]) => own === name)),
        ...request.headers,
      ].flat(),
      reset: true,
      body: body ?? null,
      signal: options.signal,
      responseHeaders: "raw",
    })
    const answer: Answer = {
      status: response.statusCode,
      statusText: response.statusText,
      // Asked for raw, they come as a flat list, whatever the type says.
      headers: toPairs(response.headers as unknown as string[]),
      body: Buffer.alloc(0),
    }
    response.body.on("error", () => {})
    const isEmpty = method === "HEAD" || answer.status === 204 || answer.status === 304
    const isFollowed = request.redirect === "follow" && redirectOf(answer) !== undefined
    if (!isEmpty && !isFollowed) {
      const encoding = answer.headers.filter(([name]) => name === "content-encoding").map(([, value]) => value)
      answer.body = await readBody(response.body, encoding.join(","), options.maxBytes)
    }
    return answer
  } finally {
    ended.abort()
    await client.destroy()
  }
}

/** The addresses to connect to and no others, each of them allowed. */
async function findAddresses(url: URL, allow: AllowList, { resolve, signal }: HopOptions): Promise<LookupAddress[]> {
  const host = hostOf(url)
  const allowed = allow.match(url)
  if (!allowed) throw notListed(url, allow)
  const literal = host.replace(/^\[|\]$/g, "")
  const found = isIP(literal) ? [literal] : await unlessAborted(resolve(host), signal)
  // One internal address among public ones is enough to refuse: the connection might fall back to it.
  for (const address of found) {
    const range = allowed.exact ? undefined : internalRange(address)
    if (range !== undefined) throw notPublic(host, address, range, allowed.entry, allow)
  }
  const addresses = found.map(address => ({ address, family: isIP(address) })).filter(({ family }) => family !== 0)
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
  return addresses
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const stop = () => fail(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop)
    work.then(done, fail).finally(() => signal.removeEventListener("abort", stop))
  })
}

function toPairs(raw: string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([raw[i]!.toLowerCase(), raw[i + 1]!])
  return pairs
}
