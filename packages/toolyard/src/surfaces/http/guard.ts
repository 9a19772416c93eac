/** Who may talk to the hub at all: the right Host and Origin always, and the token everywhere but at `/healthz`. */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
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

export function createGuard({ token, host }: GuardOptions): Guard {
  const expected = token === undefined ? undefined : digest(token)
  const allowed = (name: string): boolean => isLoopback(name) || name === host
  return {
    check(request, open) {
      const { host: hostHeader, origin } = request.headers
      // Without this, any web page could reach the hub through a name of its own that resolves to 127.0.0.1.
      if (hostHeader === undefined || !allowed(hostname(hostHeader))) {
        throw new YardError("forbidden", `Host ${JSON.stringify(hostHeader)} is not one of the hub's`)
      }
      if (origin !== undefined && !allowed(originHost(origin)))
        throw new YardError("forbidden", `Origin ${JSON.stringify(origin)} may not use the hub`)
      if (!open && expected && request.method !== "OPTIONS") {
        const given = tokenOf(request)
        if (given === undefined || !timingSafeEqual(digest(given), expected)) {
          throw new YardError("unauthorized", given === undefined ? "a token is needed" : "the token is not the hub's")
        }
      }
      return origin
    },
  }
}

function tokenOf({ headers, url = "" }: IncomingMessage): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")
  if (bearer) return bearer[1]
  const query = url.indexOf("?")
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query)).get("token") ?? undefined)
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

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
