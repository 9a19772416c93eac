/** What is said when a fetch is refused or fails: which host and how to allow it, never what was sent or received. */
import { YardError } from "../../model/errors.ts"
import { type AllowEntry, type AllowList, hostOf } from "./allow-list.ts"

export function notListed(url: URL, allow: AllowList): YardError {
  const host = hostOf(url)
  const broken = allow.unusable.map(entry => `${JSON.stringify(entry.host)} in ${entry.from}`)
  const note = broken.length > 0 ? ` (no host is named by ${broken.join(", ")})` : ""
  return new YardError("fetch_refused", `${url.host} is not among the hosts that may be fetched from${note}`, {
    hint: `To allow it, add ${JSON.stringify(host)} to ${allow.addTo}.`,
    data: { host },
  })
}

export function notPublic(
  host: string,
  address: string,
  range: string,
  entry: AllowEntry,
  allow: AllowList,
): YardError {
  const where = host.replace(/^\[|\]$/g, "") === address ? "is" : `is at ${address},`
  return new YardError(
    "fetch_refused",
    `${host} ${where} an internal address (${range}); ${JSON.stringify(entry.host)} in ${entry.from} opens public ones only`,
    { hint: `To allow it, add ${JSON.stringify(host)} itself to ${allow.addTo}.`, data: { host, address } },
  )
}

export function failed(url: URL, reason: string): YardError {
  return new YardError("fetch_failed", `could not fetch from ${url.host}: ${reason}`, { data: { host: hostOf(url) } })
}

/** Errors of the network carry parts of what was sent and received: of those, only the code goes on. */
export function toFailure(error: unknown, url: URL): YardError {
  if (error instanceof YardError) return error
  const code = (error as { code?: unknown } | null)?.code
  return failed(url, typeof code === "string" ? (REASONS[code] ?? code) : "the connection broke off")
}

const REASONS: Record<string, string> = {
  ENOTFOUND: "the name is not known (ENOTFOUND)",
  EAI_AGAIN: "the name could not be looked up (EAI_AGAIN)",
  ECONNREFUSED: "nobody listens there (ECONNREFUSED)",
  ECONNRESET: "the connection was reset (ECONNRESET)",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response is not as long as it says",
}
