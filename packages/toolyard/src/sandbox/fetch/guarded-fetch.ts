/**
 * `fetch` for code that nobody has reviewed. It runs in the hub, knows neither cookies nor proxies, and goes only where
 * the list says: the host of every hop is checked, and every address before it is connected to.
 */
import { lookup } from "node:dns/promises"
import { YardError } from "../../model/errors.ts"
import { type AllowList, hostOf } from "./allow-list.ts"
import { type Answer, type Resolve, redirectOf, sendOnce } from "./hop.ts"
import { type FetchRequest, type FetchResponse, type Outgoing, readRequest, toBody } from "./message.ts"
import { failed, toFailure } from "./refusal.ts"

export interface GuardedFetchOptions {
  /** Over all redirects, up to the last byte. */
  timeoutMs: number
  /** Of the request's body, and of the response's when decompressed. */
  maxBytes: number
  maxRedirects?: number
  /** Instead of the system's name resolution: for split DNS, and for tests. */
  resolve?: Resolve
}

export interface GuardedFetch {
  fetch(request: FetchRequest, allow: AllowList, signal: AbortSignal): Promise<FetchResponse>
  /** Ends what is under way and refuses what comes after; resolves when no socket is left. */
  close(): Promise<void>
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs, maxBytes, maxRedirects = 5, resolve = resolveBySystem } = options
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  async function follow(first: Outgoing, allow: AllowList, signal: AbortSignal): Promise<FetchResponse> {
    let request = first
    for (let redirects = 0; ; redirects++) {
      checkUrl(request.url)
      const answer = await sendOnce(request, allow, { maxBytes, resolve, signal }).catch(error => {
        throw toFailure(error, request.url)
      })
      const location = redirectOf(answer)
      if (location === undefined || request.redirect === "manual") return toResponse(answer, request.url, redirects > 0)
      if (request.redirect === "error") throw failed(request.url, "it redirects, which the request does not allow")
      if (redirects === maxRedirects) throw failed(request.url, `more than ${maxRedirects} redirects`)
      request = redirect(request, answer.status, location)
    }
  }

  async function fetch(request: FetchRequest, allow: AllowList, signal: AbortSignal): Promise<FetchResponse> {
    const outgoing = readRequest(request, maxBytes)
    const clock = new AbortController()
    const timer = setTimeout(() => clock.abort(), timeoutMs)
    try {
      return await follow(outgoing, allow, AbortSignal.any([signal, closing.signal, clock.signal]))
    } catch (error) {
      // Whatever broke when it was ended, broke because it was ended.
      if (signal.aborted) throw new YardError("cancelled", `the fetch from ${hostOf(outgoing.url)} was cancelled`)
      if (closing.signal.aborted) throw new YardError("cancelled", "toolyard is stopping")
      if (!clock.signal.aborted) throw error
      throw new YardError("timeout", `the fetch from ${hostOf(outgoing.url)} took more than ${timeoutMs} ms`, {
        hint: "Ask for less, or raise `sandbox.timeoutMs`.",
      })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    fetch(request, allow, signal) {
      const work = fetch(request, allow, signal)
      underWay.add(work)
      const forget = () => underWay.delete(work)
      work.then(forget, forget)
      return work
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
    },
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function checkUrl(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new YardError("fetch_refused", `only http and https may be fetched, not ${url.protocol.slice(0, -1)}`, {
      hint: "Use an http or https URL.",
    })
  }
  if (url.username !== "" || url.password !== "") {
    throw new YardError("fetch_refused", `the URL for ${url.host} has a user name or password in it`, {
      hint: "Send them in an `authorization` header.",
      data: { host: hostOf(url) },
    })
  }
  url.hostname = hostOf(url)
  url.hash = ""
}

/** The next request, by the rules of the fetch standard. */
function redirect(request: Outgoing, status: number, location: string): Outgoing {
  // Servers mean UTF-8 when they send other than ASCII here; it was read as Latin-1.
  const target = Buffer.from(location, "latin1").toString()
  if (!URL.canParse(target, request.url.href)) throw failed(request.url, "it redirects to what is not a URL")
  const url = new URL(target, request.url)
  const { method } = request
  const becomesGet =
    status === 303 ? method !== "GET" && method !== "HEAD" : (status === 301 || status === 302) && method === "POST"
  const isElsewhere = url.origin !== request.url.origin
  const headers = request.headers.filter(
    ([name]) =>
      !(becomesGet && name.startsWith("content-")) && !(isElsewhere && /^(?:authorization|cookie)$/.test(name)),
  )
  return becomesGet ? { ...request, url, headers, method: "GET", body: undefined } : { ...request, url, headers }
}

function toResponse(answer: Answer, url: URL, redirected: boolean): FetchResponse {
  const { status, statusText, headers, body } = answer
  return { status, statusText, url: url.href, redirected, headers, body: toBody(body) }
}
