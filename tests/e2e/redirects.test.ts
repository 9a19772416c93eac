/** Servers that send the hub on to another address. */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { startHub, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, textOf } from "./mcp-clients.ts"

const servers: Server[] = []
afterEach(async () => {
  await closeClients()
  await stopAll()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Answers every request with a redirect, and remembers what it was sent. */
async function redirecting(
  status: number,
  to: (path: string) => string,
): Promise<{ url: string; heard: IncomingHttpHeaders[] }> {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers)
    response.writeHead(status, { Location: to(request.url ?? "") }).end()
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

describe("a redirect", { timeout: 60_000 }, () => {
  it.each([301, 302, 307, 308])("V12 within a host is followed, with method, body and headers (%i)", async status => {
    const inner = await startHub({ mcpServers: { notes: { type: "static", tools: { hi: { text: "reached" } } } } })
    const { port } = new URL(inner.url)
    // One host for both addresses: whatever is not under /mcp is sent there.
    const front = createServer((request, response) => {
      if (!request.url?.startsWith("/mcp")) {
        response.writeHead(status, { Location: "/mcp/notes" }).end()
        return
      }
      const headers = { ...request.headers, host: `127.0.0.1:${port}` }
      const forward = httpRequest({ port, path: request.url, method: request.method, headers }, answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response).on("error", () => {})
        answer.on("error", () => response.destroy())
      })
      forward.on("error", () => response.destroy())
      request.pipe(forward)
    })
    servers.push(front)
    await new Promise<void>(resolve => front.listen(0, "127.0.0.1", resolve))
    const hub = await startHub({
      mcpServers: { old: { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/old` } },
    })
    await hub.waitUp("old")
    const client = await connect(`${hub.url}/mcp/old`, "modern")
    expect(textOf(await client.callTool({ name: "hi", arguments: {} }))).toBe("reached")
  })

  it("V12 V13 to another host is not followed, and no secret goes there", async () => {
    const other = await redirecting(404, () => "/")
    const first = await redirecting(307, path => other.url + path)
    const hub = await startHub({
      mcpServers: {
        moved: { url: `${first.url}/mcp`, headers: { "X-Key": "very-secret" } },
        sse: { type: "sse", url: `${first.url}/sse`, headers: { "X-Key": "very-secret" } },
      },
    })
    for (const name of ["moved", "sse"]) {
      await until(async () => (await hub.server(name)).reason !== undefined, `${name} to be down`)
      expect((await hub.server(name)).reason).toContain("another host")
    }
    expect(first.heard.some(headers => headers["x-key"] === "very-secret")).toBe(true)
    expect(other.heard).toEqual([])
  })

  it("V12 that never ends is given up", async () => {
    const circle = await redirecting(308, path => `${path}x`)
    const hub = await startHub({ mcpServers: { circle: { url: `${circle.url}/mcp` } } })
    await until(async () => (await hub.server("circle")).reason !== undefined, "the server to be down")
    expect((await hub.server("circle")).reason).toContain("sends on more than")
  })
})
