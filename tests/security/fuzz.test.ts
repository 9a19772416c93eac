/** Whatever somebody sends, the answer is well formed, the hub stays up, and a real client notices nothing. */
import { Agent, request as httpRequest } from "node:http"
import { connect as connectSocket } from "node:net"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Json, openStage, type Stage, text } from "../e2e/mcp-stage.ts"
import { ENVELOPE, modern, openSession } from "../e2e/mcp-wire.ts"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"

let stage: Stage
let hub: Hub
let session: string
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

beforeAll(async () => {
  stage = await openStage()
  const echo = { name: "echo", inputSchema: { type: "object" } }
  hub = await startHub({ mcpServers: { one: stage.entry({ tools: [echo], on: { "tools/call": () => text("ok") } }) } })
  await hub.waitUp()
  session = (await openSession(`${hub.url}/mcp/one`)).id
})
afterAll(async () => {
  agent.destroy()
  await stopAll()
  await stage.close()
})

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array
}

function send({ method, path, headers, body }: Sent): Promise<{ status: number; type: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(hub.url)
    const sent = httpRequest({ hostname, port, method, path, headers, agent }, response => {
      const type = response.headers["content-type"] ?? ""
      const status = response.statusCode ?? 0
      let received = ""
      const done = (): void => resolve({ status, type, body: received })
      const isStream = type.startsWith("text/event-stream")
      response.setEncoding("utf8").on("data", (chunk: string) => {
        received += chunk
        // A stream may stay open for ever: that it has begun well is the answer.
        if (!isStream || !received.includes("\n\n")) return
        done()
        response.destroy()
      })
      response.on("end", done)
      if (isStream && method !== "POST") {
        done()
        response.destroy()
      }
    })
    sent.on("error", reject)
    sent.setTimeout(5000, () => sent.destroy(new Error("no answer within 5 s")))
    sent.end(body)
  })
}

const METHODS = ["initialize", "ping", "tools/list", "tools/call", "resources/read", "resources/subscribe", "prompts/get",
  "completion/complete", "logging/setLevel", "server/discover", "subscriptions/listen", "notifications/cancelled",
  "notifications/initialized", "__proto__", ""] // biome-ignore format: a list

const id = fc.oneof(
  { weight: 9, arbitrary: fc.integer() },
  fc.string(),
  fc.constant(null),
  fc.double(),
  fc.constant(undefined),
  fc.object(),
)
const params = fc.oneof(
  fc.constant(undefined),
  fc.object({ key: fc.constantFrom("name", "arguments", "uri", "_meta", "cursor", "level", "ref", "__proto__", "x") }),
  fc.record({ name: fc.constantFrom("echo", "nothing", "__proto__"), arguments: fc.anything() }),
  fc.record({
    protocolVersion: fc.oneof(fc.string(), fc.integer()),
    capabilities: fc.anything(),
    clientInfo: fc.anything(),
  }),
  fc.anything(),
)
const message = fc.record({
  jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, { weight: 1, arbitrary: fc.anything() }),
  id,
  method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: fc.anything() }),
  params: fc.oneof(
    params,
    params.map(value => ({ ...(typeof value === "object" ? value : {}), _meta: ENVELOPE })),
    params.map(value => ({
      ...(typeof value === "object" ? value : {}),
      _meta: { ...ENVELOPE, progressToken: value },
    })),
  ),
})
const printed = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? Number(inner) : inner)) ?? ""
const body = fc.oneof(
  { weight: 6, arbitrary: message.map(printed) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }).map(printed) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
)
const path = fc.oneof(
  { weight: 9, arbitrary: fc.constant("/mcp/one") },
  {
    weight: 6,
    arbitrary: fc.constantFrom("/mcp", "/mcp/one", "/mcp/all", "/mcp/one/sse", "/mcp/two", "/mcp/meta/one"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("/api/call", "/api/search?q=", "/api/audit?limit=", "/api/servers/", "/metrics", "/"),
  },
  { weight: 2, arbitrary: fc.webPath().map(text => `/${text}`.replace(/^\/+/, "/")) },
  { weight: 1, arbitrary: fc.webQueryParameters().map(query => `/mcp/one?${query}&readOnly=${query}`) },
)
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map(code => String.fromCharCode(code)),
  maxLength: 40,
})
const headers = fc.record(
  {
    "Content-Type": fc.oneof({ weight: 20, arbitrary: fc.constant("application/json") }, printable),
    Accept: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom("application/json, text/event-stream", "*/*", "text/html") },
      printable,
    ),
    "Mcp-Session-Id": fc.oneof({ weight: 9, arbitrary: fc.constant("session") }, printable),
    "MCP-Protocol-Version": fc.oneof(fc.constantFrom("2026-07-28", "2025-11-25", "2025-03-26"), printable),
    "Mcp-Method": fc.oneof(fc.constantFrom(...METHODS.filter(Boolean)), printable),
    "Mcp-Name": fc.oneof(fc.constant("echo"), printable),
    Origin: fc.oneof({ weight: 20, arbitrary: fc.constant("http://localhost") }, printable),
    Authorization: printable,
    "Last-Event-ID": printable,
    "X-Forwarded-For": printable,
  },
  { requiredKeys: ["Content-Type", "Mcp-Session-Id"] },
)
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant("POST") },
  fc.constantFrom("GET", "DELETE", "PUT", "OPTIONS", "PATCH", "HEAD"),
)

/** Names as they may stand in a header. */
function nameHeader(method: string, params: Json): Record<string, string> {
  const value = method === "resources/read" ? params.uri : params.name
  return typeof value === "string" ? { "Mcp-Name": `=?base64?${Buffer.from(value).toString("base64")}?=` } : {}
}

/** 503 and 504 are said on purpose: a server that is down, a call that took too long. */
const isFine = (status: number): boolean => (status >= 200 && status < 500) || status === 503 || status === 504

describe("the HTTP entry", () => {
  it("V3 answers any request with something well formed", async () => {
    await fc.assert(
      fc.asyncProperty(method, path, headers, body, async (method, path, headers, body) => {
        // The real session is kept: nothing much can be said in one that has ended.
        const isKnown = headers["Mcp-Session-Id"] === "session" && method !== "DELETE"
        const known = isKnown ? { "Mcp-Session-Id": session } : {}
        const sends = method === "GET" || method === "HEAD" ? "" : body
        const length = { "Content-Length": String(Buffer.byteLength(sends)) }
        const answer = await send({ method, path, headers: { ...headers, ...known, ...length }, body: sends })
        expect(isFine(answer.status), `${answer.status} ${answer.body}`).toBe(true)
        if (method === "HEAD" || answer.body === "") return
        if (answer.type.includes("application/json")) {
          const json = JSON.parse(answer.body) as unknown
          expect(typeof json).toBe("object")
          if (answer.status >= 400) expect(json).toHaveProperty("error")
        } else if (answer.type.includes("text/event-stream")) {
          for (const [, data] of answer.body.matchAll(/^data: (.+)$/gm)) JSON.parse(data as string)
        } else expect(answer.type).toMatch(/^text\/(html|plain)/)
      }),
      { numRuns: 800 },
    )
  })

  it("V3 answers any parameters of a proper request, in either era", async () => {
    const own = await openSession(`${hub.url}/mcp/one`)
    const yard = await openSession(`${hub.url}/mcp`)
    const name = fc.constantFrom(...METHODS.filter(method => method !== "" && method !== "subscriptions/listen"))
    await fc.assert(
      fc.asyncProperty(name, params, fc.boolean(), async (method, params, isModern) => {
        const given = (typeof params === "object" && params !== null ? JSON.parse(printed(params)) : {}) as Json
        const answer = isModern
          ? await modern(`${hub.url}/mcp/one`, method, { ...given, _meta: {} }, nameHeader(method, given))
          : await (method.length % 2 === 0 ? own : yard).request(method, given)
        expect(isFine(answer.status), answer.text).toBe(true)
        expect(answer.answer).toMatchObject({ jsonrpc: "2.0", id: 1 })
        const { result, error } = answer.answer
        expect((result === undefined) !== (error === undefined)).toBe(true)
        if (error) expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
        expect(error?.code).not.toBe(-32603)
      }),
      { numRuns: 600 },
    )
  })

  it("V3 survives any bytes on a socket", async () => {
    const port = Number(new URL(hub.url).port)
    const start = fc.constantFrom(
      "",
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\n",
      "POST /mcp/one HTTP/1.1\r\nHost: localhost\r\n",
    )
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ minLength: 1, maxLength: 300 }), async (head, bytes) => {
        const answer = await new Promise<string>(resolve => {
          let received = ""
          const socket = connectSocket(port, "127.0.0.1", () => socket.end(Buffer.concat([Buffer.from(head), bytes])))
          socket.setEncoding("latin1").on("data", (chunk: string) => {
            received += chunk
          })
          socket.on("error", () => {})
          socket.on("close", () => resolve(received))
        })
        if (answer !== "") expect(answer).toMatch(/^HTTP\/1\.1 [24]\d\d /)
      }),
      { numRuns: 200 },
    )
  })

  it("V3 is as it was afterwards", async () => {
    const { answer } = await modern(`${hub.url}/mcp/one`, "tools/call", { name: "echo" })
    expect(answer.result).toMatchObject(text("ok"))
    const [server] = await hub.servers()
    expect(server).toMatchObject({ state: "up" })
    expect(hub.stderr()).not.toMatch(/nobody caught|"level":(50|60)/)
  })
})
