import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { openHttpLane, toPost } from "./http-lane.ts"

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

/** Answers the first request with these bytes, one by one. */
async function serveBytes(reply: string): Promise<URL> {
  const server = createSocketServer((socket: Socket) => {
    socket.setNoDelay(true)
    socket.once("data", () => {
      const writeFrom = (at: number): void => {
        if (at < reply.length) socket.write(reply[at]!, () => setImmediate(writeFrom, at + 1))
      }
      writeFrom(0)
    })
    closers.push(() => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => server.close())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

describe("a raw HTTP lane", () => {
  it("sends what node:http understands and reads a reply with a length", async () => {
    const url = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on("data", chunk => chunks.push(chunk))
      request.on("end", () => {
        const body = `${request.method} ${request.url} ${request.headers["mcp-name"]} ${Buffer.concat(chunks)}`
        response.writeHead(201, { "Content-Length": Buffer.byteLength(body), "X-Seen": "yes" }).end(body)
      })
    })
    const lane = await openHttpLane(url)
    const reply = await lane.exchange(toPost(url, { "Mcp-Name": "echo" }, '{"text":"Grüße"}'))
    expect(reply.status).toBe(201)
    expect(reply.head).toContain("x-seen: yes")
    expect(reply.body.toString()).toBe('POST /mcp echo {"text":"Grüße"}')
    lane.close()
  })

  it("reads a stream of events to its end and uses the same connection for the next call", async () => {
    const ports = new Set<number | undefined>()
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on("end", () => {
        response.writeHead(200, { "Content-Type": "text/event-stream" })
        response.write(": hello\n\n")
        response.end(`data: ${"x".repeat(300_000)}\n\n`)
      })
    })
    const lane = await openHttpLane(url)
    for (let call = 0; call < 3; call += 1) {
      const { body } = await lane.exchange(toPost(url, {}, "{}"))
      expect(body.length).toBe(": hello\n\n".length + "data: \n\n".length + 300_000)
    }
    expect(ports.size).toBe(1)
    lane.close()
  })

  it.each([
    ["with a length", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"],
    [
      "in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nTrailer: x\r\n\r\n",
    ],
  ])("puts a reply %s together that comes byte by byte", async (_, reply) => {
    const url = await serveBytes(reply)
    const lane = await openHttpLane(url)
    expect((await lane.exchange(toPost(url, {}, "{}"))).body.toString()).toBe("hello")
    lane.close()
  })

  it("rejects the call when the server hangs up, and every later one", async () => {
    const url = await serve(request => request.socket.destroy())
    const lane = await openHttpLane(url)
    await expect(lane.exchange(toPost(url, {}, "{}"))).rejects.toThrow(/closed|ECONNRESET/)
    await expect(lane.exchange(toPost(url, {}, "{}"))).rejects.toThrow(/closed|ECONNRESET/)
  })
})
