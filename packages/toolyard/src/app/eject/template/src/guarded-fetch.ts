/** `fetch` for the handlers: the listed hosts and nothing else, redirects included, with limits on time and size. */
import { lookup } from "node:dns/promises"
import { BlockList, isIP } from "node:net"

const TIMEOUT_MS = 30_000
const MAX_BYTES = 10_000_000
const MAX_REDIRECTS = 5

/** A domain covers its subdomains. */
export interface Hosts {
  /** They may be inside of the own network. */
  named: readonly string[]
  /** Only as long as they are not. */
  public: readonly string[]
}

export function createFetch(hosts: Hosts, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS), ...(init?.signal ? [init.signal] : [])])
    let request = new Request(input, { ...init, redirect: "manual", signal: limit })
    for (let hops = 0; ; hops++) {
      const url = new URL(request.url)
      await check(url, hosts)
      const again = request.clone()
      const response = await fetch(request)
      const location = response.headers.get("location")
      if (response.status < 300 || response.status >= 400 || location === null) return capped(response)
      await response.body?.cancel()
      if (hops === MAX_REDIRECTS) throw new Error(`${url.host} redirects too many times`)
      request = redirected(again, new URL(location, url), response.status)
    }
  }
}

function redirected(request: Request, url: URL, status: number): Request {
  const isElsewhere = url.origin !== new URL(request.url).origin
  const headers = new Headers(request.headers)
  // Whoever is led elsewhere does not take along what was meant for the first one.
  if (isElsewhere) for (const name of ["authorization", "cookie", "x-api-key"]) headers.delete(name)
  const becomesGet = status === 303 || (status < 303 && request.method === "POST")
  if (!becomesGet) return new Request(url, new Request(request, { headers }))
  headers.delete("content-type")
  return new Request(url, { method: "GET", headers, redirect: "manual", signal: request.signal })
}

async function check(url: URL, hosts: Hosts): Promise<void> {
  const host = url.hostname.toLowerCase().replace(/\.$/, "")
  const covers = (name: string): boolean => name === url.host || name === host || host.endsWith(`.${name}`)
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} can't be fetched`)
  if (hosts.named.some(covers)) return
  if (!hosts.public.some(covers))
    throw new Error(`${url.host} may not be fetched from: add it to src/hosts.ts to allow it`)
  const bare = host.replace(/^\[|\]$/g, "")
  const found = isIP(bare) ? [{ address: bare }] : await lookup(bare, { all: true })
  const inside = found.find(({ address }) => isInside(address))
  if (inside) throw new Error(`${url.host} leads to ${inside.address}, which is not a public address`)
}

function isInside(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return isInside(mapped)
  const list = new BlockList()
  const four: [string, number][] = [
    ["0.0.0.0", 8], ["10.0.0.0", 8], ["100.64.0.0", 10], ["127.0.0.0", 8], ["169.254.0.0", 16],
    ["172.16.0.0", 12], ["192.168.0.0", 16], ["198.18.0.0", 15], ["224.0.0.0", 3],
  ] // biome-ignore format: a table
  for (const [net, prefix] of four) list.addSubnet(net, prefix, "ipv4")
  for (const [net, prefix] of [
    ["::", 127],
    ["64:ff9b::", 96],
    ["fc00::", 7],
    ["fe80::", 10],
    ["ff00::", 8],
  ] as const)
    list.addSubnet(net, prefix, "ipv6")
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
}

/** The whole answer, where it is not too large. */
async function capped(response: Response): Promise<Response> {
  if (!response.body) return response
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES / 1e6} MB`)
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  const whole = new Response(Buffer.concat(chunks), { status, statusText, headers })
  Object.defineProperty(whole, "url", { value: response.url })
  return whole
}
