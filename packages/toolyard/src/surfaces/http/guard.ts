/** Who may talk to the hub at all: the right Host and Origin always, and the token everywhere but at `/healthz`. */
import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import { hostname as machineName } from "node:os"
import { YardError } from "../../model/errors.ts"

export interface GuardOptions {
  /** `undefined` with `--no-auth`. */
  token: string | undefined
  /** The host the hub listens on, where it is not loopback. */
  host: string
}

export interface Guard {
  /** Throws when the request may not pass. Returns the origin to name in CORS headers, if there is one. */
  check(request: IncomingMessage, open: boolean): string | undefined
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]", "::1"])

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host)
}

const WILDCARDS = new Set(["0.0.0.0", "::", "[::]"])

export function createGuard({ token, host }: GuardOptions): Guard {
  const expected = token === undefined ? undefined : Buffer.from(token)
  // Addresses can't be made to point elsewhere, as names can: a hub that listens everywhere goes by all of its own.
  const everywhere = WILDCARDS.has(host)
  const allowed = (name: string): boolean =>
    isLoopback(name) ||
    name === host ||
    (everywhere && (isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === machineName().toLowerCase()))
  // Nearly all requests name the same host: it is looked at once.
  let lastHost: string | undefined
  return {
    check(request, open) {
      const { host: hostHeader, origin } = request.headers
      // Without this, any web page could reach the hub through a name of its own that resolves to 127.0.0.1.
      if (hostHeader === undefined || (hostHeader !== lastHost && !allowed(hostname(hostHeader)))) {
        throw new YardError("forbidden", `Host ${JSON.stringify(hostHeader)} is not one of the hub's`)
      }
      lastHost = hostHeader
      if (origin !== undefined && !allowed(originHost(origin)))
        throw new YardError("forbidden", `Origin ${JSON.stringify(origin)} may not use the hub`)
      if (!open && expected && request.method !== "OPTIONS") {
        const given = tokenOf(request)
        if (given === undefined) throw new YardError("unauthorized", "a token is needed")
        const bytes = Buffer.from(given)
        if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) {
          throw new YardError("unauthorized", "the token is not the hub's")
        }
      }
      return origin
    },
  }
}

function tokenOf({ method, headers, url = "" }: IncomingMessage): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")
  if (bearer) return bearer[1]
  const query = url.indexOf("?")
  const asked = query === -1 ? null : new URLSearchParams(url.slice(query)).get("token")
  if (asked !== null) return asked
  // Only for the hub's own pages: a browser that was let in once follows their links, and what they send is let in.
  return headers.cookie !== undefined && (method === "GET" || isOwnPage(headers))
    ? cookieOf(headers.cookie, tokenCookie(headers.host))
    : undefined
}

/**
 * Whether a browser says that a page of this very hub sent the request. Pages of other ports are of the same site, so
 * that cookies come with what they send; but what stands in these headers is not theirs to choose. The second one is
 * sent to loopback and under https alone.
 */
function isOwnPage({ origin, host, "sec-fetch-site": site = "same-origin" }: IncomingMessage["headers"]): boolean {
  return origin !== undefined && URL.parse(origin)?.host === host?.toLowerCase() && site === "same-origin"
}

/** Browsers share cookies between ports, so that the port is in the name. */
export function tokenCookie(hostHeader: string | undefined): string {
  return `toolyard-${/:(\d+)$/.exec(hostHeader ?? "")?.[1] ?? "80"}`
}

function cookieOf(header: string, name: string): string | undefined {
  const found = header.split(/;\s*/).find(pair => pair.startsWith(`${name}=`))
  try {
    return found && decodeURIComponent(found.slice(name.length + 1))
  } catch {
    return undefined
  }
}

/** The name in a Host header, without its port; nothing where the header is more than a name and a port. */
function hostname(header: string): string {
  return /^(\[[^\]]*\]|[^:@]*)(?::\d*)?$/.exec(header)?.[1]?.toLowerCase() ?? ""
}

function originHost(origin: string): string {
  try {
    const url = new URL(origin)
    return url.protocol === "http:" || url.protocol === "https:" ? url.hostname.toLowerCase() : ""
  } catch {
    return ""
  }
}
