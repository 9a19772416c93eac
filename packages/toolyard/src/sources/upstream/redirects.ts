/**
 * Follows redirects to the same host only. `fetch` by itself would send the headers of the configuration, keys among
 * them, to whichever host it is sent on to, and turn a POST into a GET on the way.
 */
import { YardError } from "../../model/errors.ts"

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])
const MOST = 5

export async function fetchFollowing(input: string | URL, init?: RequestInit): Promise<Response> {
  let url = new URL(input)
  for (let hops = 0; hops <= MOST; hops++) {
    const response = await fetch(url, { ...init, redirect: "manual" })
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null) return response
    await response.body?.cancel()
    const next = new URL(location, url)
    if (!isSameHost(url, next))
      throw new YardError("server_down", `the server sends on to another host, ${next.host}`, {
        hint: "If that is right, write its address under `url` in toolyard.json.",
      })
    url = next
  }
  throw new YardError("server_down", `the server sends on more than ${MOST} times`)
}

/** The same origin, or its secure form. */
function isSameHost(from: URL, to: URL): boolean {
  return from.origin === to.origin || (from.protocol === "http:" && to.protocol === "https:" && from.host === to.host)
}
