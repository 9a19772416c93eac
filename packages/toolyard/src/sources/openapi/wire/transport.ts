/**
 * Requests on connections that are kept. Where a host is not trusted, its addresses are checked when they are connected
 * to: a description from the internet can't point the hub at what is inside.
 */
import type { LookupAddress, LookupOptions } from "node:dns"
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import type { Readable } from "node:stream"
import type { Agent } from "undici"
import { YardError } from "../../../model/errors.ts"
import { internalRange } from "../../../sandbox/fetch/address.ts"
import { ACCEPT_ENCODING, decode } from "../../../sandbox/fetch/read-body.ts"
import { toFailure } from "../../../sandbox/fetch/refusal.ts"
import type { Headers } from "./headers.ts"

export interface WireRequest {
  method: string
  origin: string
  /** Encoded; with the query. */
  path: string
  headers: Headers
  body?: Buffer | undefined
}

export interface WireResponse {
  status: number
  reason: string
  /** Names in lower case. */
  headers: Headers
  /** Decompressed. Whoever gets it reads it to its end or destroys it. */
  body: Readable
}

export interface Transport {
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>
  /** Ends every connection. */
  close(): Promise<void>
}

export interface TransportOptions {
  /** Whether a host may be an internal one, because a person named it. */
  trusts: (host: string) => boolean
  /** Instead of the system's name resolution: for tests. */
  resolve?: (host: string) => Promise<string[]>
}

const CONNECT_TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 64 * 1024

export function openTransport({ trusts, resolve = resolveBySystem }: TransportOptions): Transport {
  const find = async (host: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(host)
    for (const address of addresses) if (!trusts(host)) refuseInternal(host, address)
    const found = addresses.map(address => ({ address, family: isIP(address) })).filter(({ family }) => family !== 0)
    if (found.length > 0) return found
    throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
  }
  const openAgent = async (): Promise<Agent> => {
    // At the first request: a hub with many servers starts without it.
    // By its default export: a bundle of CommonJS has no other.
    const { default: undici } = await import("undici")
    return new undici.Agent({
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The call has a clock of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        lookup: (host: string, { all }: LookupOptions, done: Done) => {
          find(host).then(
            found => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
            (error: NodeJS.ErrnoException) => done(error, []),
          )
        },
      },
    })
  }
  let agent: Promise<Agent> | undefined
  let isClosed = false
  return {
    async send({ method, origin, path, headers, body }, signal) {
      const url = new URL(origin)
      if (isClosed) throw new YardError("cancelled", `the connections to ${url.host} are closed`)
      const host = url.hostname.replace(/^\[|\]$/g, "")
      // Numbers are connected to without a look-up.
      if (isIP(host) && !trusts(url.hostname)) refuseInternal(host, host)
      try {
        agent ??= openAgent()
        const sent = (await agent).request({
          origin,
          path,
          method: method as "GET",
          headers: [
            ["accept-encoding", ACCEPT_ENCODING],
            ...headers.filter(([name]) => !/^accept-encoding$/i.test(name)),
          ].flat(),
          body: body ?? null,
          signal,
          responseHeaders: "raw",
        })
        const response = await unlessAborted(sent, signal)
        // Asked for raw, they come as a flat list, whatever the type says.
        const named = toHeaders(response.headers as unknown as string[])
        response.body.on("error", () => {})
        const encoding = valuesOf(named, "content-encoding").join(",")
        const isEmpty = method === "HEAD" || response.statusCode === 204 || response.statusCode === 304
        return {
          status: response.statusCode,
          reason: response.statusText,
          headers: named,
          body: isEmpty ? response.body : decode(response.body, encoding),
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : toFailure(error, url)
      }
    },
    async close() {
      isClosed = true
      await (await agent)?.destroy()
    },
  }
}

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

export function valuesOf(headers: Headers, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value)
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function refuseInternal(host: string, address: string): void {
  const range = internalRange(address)
  if (range === undefined) return
  const where = host === address ? "is" : `is at ${address},`
  throw new YardError("fetch_refused", `${host} ${where} an internal address (${range}), and nobody here named it`, {
    hint: "A description from a URL may lead to public hosts and its own only; set `server` of the entry to allow another.",
    data: { host, address },
  })
}

function toHeaders(raw: string[]): Headers {
  const headers: Headers = []
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push([raw[i]!.toLowerCase(), raw[i + 1]!])
  return headers
}

/** A request that still waits for its connection does not hear of its own signal. */
function unlessAborted<T extends { body: Readable }>(sent: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const stop = (): void => fail(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop)
    sent
      .then(response => {
        if (signal.aborted) response.body.on("error", () => {}).destroy()
        else done(response)
      })
      .catch(fail)
      .finally(() => signal.removeEventListener("abort", stop))
  })
}
