/** For the tests of the guarded fetch: servers on loopback, and a resolver that makes up the rest of the internet. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { allowList } from "./allow-list.ts"
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts"
import type { FetchRequest, FetchResponse } from "./message.ts"

export interface FetchCase {
  /** A server on 127.0.0.1, or where else it is to listen. */
  http(listener: RequestListener, host?: string): Promise<{ port: number; seen: IncomingMessage[] }>
  /** The same, one level below: what it writes need not be HTTP. */
  tcp(listener: (socket: Socket) => void): Promise<{ port: number }>
  fetch(request: string | FetchRequest, allow: string[], options?: FetchOptions): Promise<FetchResponse>
  /** Resolves when no server has an open socket. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface FetchOptions extends Partial<GuardedFetchOptions> {
  signal?: AbortSignal
}

export function openFetchCase(): FetchCase {
  const servers: Server[] = []
  const open = new Set<Socket>()

  async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
    servers.push(server)
    server.on("connection", (socket: Socket) => {
      open.add(socket)
      socket.on("error", () => {}).on("close", () => open.delete(socket))
    })
    await new Promise<void>((done, fail) => server.once("error", fail).listen(0, host, done))
    return (server.address() as AddressInfo).port
  }

  return {
    async idle() {
      await Promise.all([...open].map(socket => new Promise(done => socket.once("close", done))))
    },
    async http(listener, host) {
      const seen: IncomingMessage[] = []
      const server = createServer((request, response) => {
        seen.push(request)
        listener(request, response)
      })
      return { port: await listen(server, host), seen }
    },
    async tcp(listener) {
      return { port: await listen(createTcpServer(listener)) }
    },
    async fetch(request, allow, { signal = new AbortController().signal, ...options } = {}) {
      const guarded = createGuardedFetch({ timeoutMs: 10_000, maxBytes: 100_000, ...options })
      const list = allowList(allow.map(host => ({ host, from: "sandbox.network" })))
      return guarded.fetch(typeof request === "string" ? { url: request } : request, list, signal)
    },
    async close() {
      for (const socket of open) socket.destroy()
      await Promise.all(servers.map(server => new Promise(done => server.close(done))))
    },
  }
}
