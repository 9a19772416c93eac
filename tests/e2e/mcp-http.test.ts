/** The manners of HTTP: what is accepted, from whom, and what every answer carries. */
import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { closeClients, connect, textOf } from "./mcp-clients.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { ACCEPT, listed, modern, openSession, post, request } from "./mcp-wire.ts"

let stage: Stage
let hub: Hub
let url: string
/** Opened first, so that its first sign of life has come by the time that the last test looks. */
let quiet: Promise<{ headers: Headers; heard: string }>
const leaving = new AbortController()

beforeAll(async () => {
  stage = await openStage()
  const entry = () =>
    stage.entry({
      tools: [{ name: "echo", description: "Says <b>it</b>.", inputSchema: { type: "object" } }],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      on: {
        "tools/call": ({ arguments: args }) => text(String((args as Json).text)),
        "resources/list": () => ({ resources: [{ uri: "test://one", name: "one" }] }),
        "resources/templates/list": () => ({ resourceTemplates: [] }),
        "prompts/list": () => ({ prompts: [{ name: "greet", description: "Says hello." }] }),
      },
    })
  hub = await startHub({ mcpServers: { one: { ...entry(), description: "The first one." }, two: entry() } })
  url = `${hub.url}/mcp/one`
  quiet = listenQuietly()
  await hub.waitUp()
})
afterAll(async () => {
  leaving.abort()
  await closeClients()
  await stopAll()
  await stage.close()
})

async function listenQuietly(): Promise<{ headers: Headers; heard: string }> {
  const response = await fetch(`${url}/sse`, { headers: { Accept: "text/event-stream" }, signal: leaving.signal })
  let heard = ""
  for await (const chunk of response.body ?? []) {
    heard += Buffer.from(chunk as Uint8Array).toString()
    if (heard.includes("\n: ")) break
  }
  return { headers: response.headers, heard }
}

/** With headers that fetch would not send. */
function rawRequest(
  path: string,
  { method = "GET", headers = {} as Record<string, string>, body = "" } = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(hub.url + path, { method, headers }, response => {
      let received = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        received += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }))
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

const INITIALIZE = request("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
})

describe("content", () => {
  it.each([
    ["application/json, text/event-stream", "application/json"],
    ["*/*", "application/json"],
    ["", "application/json"],
    ["text/event-stream, application/json", "text/event-stream"],
  ])("V9 answers a client that accepts %j with %s", async (accept, type) => {
    const { status, headers, answer } = await post(url, INITIALIZE, { Accept: accept })
    expect(status).toBe(200)
    expect(headers.get("content-type")).toContain(type)
    expect(answer.result).toHaveProperty("protocolVersion")
  })

  it.each(["application/json", "text/event-stream", "text/html"])("V9 refuses to answer with only %s", async accept => {
    const { status, answer } = await post(url, INITIALIZE, { Accept: accept })
    expect(status).toBe(406)
    expect(answer.error?.message).toContain("Accept")
  })

  it.each(["text/plain", "application/jsonp", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "V9 refuses a body of type %j",
    async type => {
      const { status, answer } = await post(url, INITIALIZE, { "Content-Type": type })
      expect(status).toBe(415)
      expect(answer).toMatchObject({ jsonrpc: "2.0", id: null, error: { message: expect.stringContaining("json") } })
    },
  )

  it("V9 takes a JSON body with a charset", async () => {
    const { status } = await post(url, INITIALIZE, { "Content-Type": "Application/JSON; charset=utf-8" })
    expect(status).toBe(200)
  })

  it.each(["PUT", "PATCH", "TRACE", "HEAD"])("V9 knows no %s", async method => {
    for (const path of ["/mcp/one", "/mcp/one/sse"]) {
      const { status, headers } = await rawRequest(path, { method })
      expect(status).toBe(405)
      expect(headers.allow).toContain("POST")
    }
  })
})

describe("who may ask", () => {
  it("V9 answers a preflight of a local page with all that an MCP client sends", async () => {
    const sent = "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-name, mcp-param-region"
    const headers = {
      Origin: "http://localhost:3000",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": sent,
    }
    const { status, headers: given } = await rawRequest("/mcp/one", { method: "OPTIONS", headers })
    expect(status).toBe(204)
    expect(given["access-control-allow-origin"]).toBe("http://localhost:3000")
    expect(given.vary).toContain("Origin")
    for (const method of ["GET", "POST", "DELETE"]) expect(given["access-control-allow-methods"]).toContain(method)
    const allowed = String(given["access-control-allow-headers"]).toLowerCase()
    for (const header of sent.split(", ")) expect(allowed).toContain(header)
  })

  it("V9 lets a local page read the session id", async () => {
    const { headers } = await post(url, INITIALIZE, { Origin: "http://127.0.0.1:5173" })
    expect(headers.get("access-control-allow-origin")).toBe("http://127.0.0.1:5173")
    expect(headers.get("access-control-expose-headers")?.toLowerCase()).toContain("mcp-session-id")
  })

  it.each([
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1.nip.io",
    "file://",
    "chrome-extension://abc",
    "http://localhost@evil.example",
  ])("V9 turns away a page from %s", async origin => {
    for (const method of ["POST", "OPTIONS", "GET"]) {
      const headers = { Origin: origin, "Content-Type": "application/json", Accept: ACCEPT }
      const body = method === "POST" ? JSON.stringify(INITIALIZE) : ""
      const answer = await rawRequest("/mcp/one", { method, headers, body })
      expect(answer.status, method).toBe(403)
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined()
    }
  })

  it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::2]", "localhost:1@evil.example"])(
    "V9 does not answer to the name %s",
    async host => {
      for (const path of ["/mcp/one", "/api/servers", "/healthz", "/mcp"])
        expect((await rawRequest(path, { headers: { Host: host } })).status, path).toBe(403)
    },
  )

  it.each(["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:9"])("V9 answers to the name %s", async host => {
    expect((await rawRequest("/api/servers", { headers: { Host: host } })).status).toBe(200)
  })
})

describe("sessions", () => {
  it("V9 every answer of a session carries its id, and no other", async () => {
    const session = await openSession(url)
    for (const method of ["ping", "tools/list", "no/such"]) {
      const { headers } = await session.request(method)
      expect(headers.get("mcp-session-id")).toBe(session.id)
    }
    expect((await modern(url, "tools/list")).headers.get("mcp-session-id")).toBeNull()
  })

  it("V9 DELETE ends a session once; then it is gone", async () => {
    const session = await openSession(url)
    expect(await session.end()).toBe(200)
    const { status, answer } = await session.request("ping")
    expect(status).toBe(404)
    expect(answer.error?.message).toContain("Session not found")
    expect(await session.end()).toBe(404)
    expect((await fetch(url, { method: "DELETE" })).status).toBe(400)
  })

  it("V9 has one stream for each session, and it must be asked for as one", async () => {
    const session = await openSession(url)
    const headers = { "Mcp-Session-Id": session.id, Accept: "text/event-stream" }
    const first = await fetch(url, { headers })
    expect(first.status).toBe(200)
    expect(first.headers.get("content-type")).toContain("text/event-stream")
    // A client that comes back after its connection broke must not find its place taken by the broken one.
    const second = await fetch(url, { headers })
    expect(second.status).toBe(200)
    expect(await first.text()).toBe("")
    expect((await fetch(url, { headers: { ...headers, Accept: "application/json" } })).status).toBe(406)
    expect((await fetch(url, { headers: { Accept: "text/event-stream" } })).status).toBe(400)
    await second.body?.cancel()
    await session.end()
  })

  it("V9 refuses a version header that it does not speak", async () => {
    const session = await openSession(url)
    const { status } = await session.post(request("ping"), { "MCP-Protocol-Version": "1999-01-01" })
    expect(status).toBe(400)
    const fine = await session.post(request("ping"), { "MCP-Protocol-Version": "2025-11-25" })
    expect(fine.status).toBe(200)
  })
})

describe("addresses", () => {
  const browse = (path: string) => fetch(hub.url + path, { headers: { Accept: "text/html,application/xhtml+xml,*/*" } })

  it("V1 a browser at /mcp is told how to connect", async () => {
    const response = await browse("/mcp")
    expect(response.headers.get("content-type")).toContain("text/html")
    const page = await response.text()
    for (const said of [`${hub.url}/mcp`, "mcpServers", "/mcp/meta/one", "/mcp/meta/two"]) expect(page).toContain(said)
    const root = await fetch(hub.url, { redirect: "manual" })
    expect(root.headers.get("location")).toBe("/mcp")
  })

  it.each([
    ["/mcp/one", ["1 resource", "/mcp/meta/one"]],
    ["/mcp/meta/one", ['"object"', "test://one", "greet"]],
  ])("V1 a browser at %s sees what the server offers and how it is", async (path, more) => {
    const response = await browse(path)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toContain("text/html")
    const page = await response.text()
    for (const said of ["The first one.", "up", "echo", url, ...more]) expect(page).toContain(said)
  })

  it("V1 a browser that asks for a server that is not there gets 404 and the nearest name", async () => {
    for (const path of ["/mcp/onee", "/mcp/meta/onee"]) {
      const response = await browse(path)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain("one")
    }
  })

  it("V1 every server stands at an address of its own, and all of them at /mcp and /mcp/all", async () => {
    const names = async (at: string) => listed((await modern(hub.url + at, "tools/list")).answer).map(tool => tool.name)
    expect(await names("/mcp/one")).toEqual(["echo"])
    expect(await names("/mcp/two")).toEqual(["echo"])
    expect(await names("/mcp/all")).toEqual(["one__echo", "two__echo"])
    expect(await names("/mcp")).toEqual(["one__echo", "two__echo"])
  })

  it("V1 the SDK's SSE client uses /mcp/{server}/sse", async () => {
    const client = await connect(`${url}/sse`, "legacy", { sse: true })
    expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(["echo"])
    expect(textOf(await client.callTool({ name: "echo", arguments: { text: "by SSE" } }))).toBe("by SSE")
    await client.close()
  })

  it("V1 messages that are none are answered on the SSE stream, an empty batch included", async () => {
    const ending = new AbortController()
    const response = await fetch(`${url}/sse`, { headers: { Accept: "text/event-stream" }, signal: ending.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let heard = ""
    const read = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(heard)
        if (found) {
          heard = heard.slice(found.index + found[0].length)
          return found[1] as string
        }
        heard += Buffer.from((await reader.read()).value ?? []).toString()
      }
    }
    const endpoint = hub.url + (await read(/data: (\/\S+)\n/))
    const send = (body: string) =>
      fetch(endpoint, { method: "POST", headers: { "Content-Type": "application/json" }, body })
    const old = { ...INITIALIZE, params: { ...(INITIALIZE.params as Json), protocolVersion: "2025-03-26" } }
    expect((await send(JSON.stringify(old))).status).toBe(202)
    await read(/data: (.*"protocolVersion":"2025-03-26".*)\n/)
    expect((await send("[]")).status).toBe(202)
    expect(JSON.parse(await read(/data: (.*-32600.*)\n/))).toMatchObject({ id: null })
    expect((await send("{")).status).toBe(400)
    expect((await send('{"jsonrpc":"2.0","id":4,"method":"nope"}')).status).toBe(202)
    expect(JSON.parse(await read(/data: (.*-32601.*)\n/))).toMatchObject({ id: 4 })
    ending.abort()
  })

  it("V1 a quiet SSE stream is kept alive", async () => {
    const { headers, heard } = await quiet
    expect(headers.get("content-type")).toContain("text/event-stream")
    expect(headers.get("cache-control")).toContain("no-cache")
    expect(heard).toContain("event: endpoint")
    expect(heard).toMatch(/\n: keep-alive\n\n/)
  })
})
