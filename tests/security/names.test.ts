/** Names, addresses and sessions that somebody made up to get where they should not. */
import { request as httpRequest } from "node:http"
import { connect as connectSocket, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage, text } from "../e2e/mcp-stage.ts"
import { listed, modern, openSession, post, request } from "../e2e/mcp-wire.ts"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>`

let stage: Stage
let hub: Hub
let port: number

beforeAll(async () => {
  stage = await openStage()
  const script = {
    tools: [
      { name: EVIL, description: EVIL, inputSchema: { type: "object", properties: { [EVIL]: { description: EVIL } } } },
    ],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    on: {
      "resources/list": () => ({ resources: [{ uri: `x://${EVIL}`, name: EVIL }] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "prompts/list": () => ({ prompts: [{ name: EVIL, description: EVIL }] }),
      "tools/call": () => text("called"),
    },
  }
  hub = await startHub({
    mcpServers: {
      one: { ...stage.entry(script), description: EVIL },
      two: stage.entry(script),
      "<b>&\"'": stage.entry(script),
      crashed: { command: process.execPath, args: ["-e", `console.error(${JSON.stringify(EVIL)}); process.exit(1)`] },
      off: stage.entry(script, { enabled: false }),
    },
  })
  port = Number(new URL(hub.url).port)
  await hub.waitUp("one", "two", "<b>&\"'")
})
afterAll(async () => {
  await stopAll()
  await stage.close()
})

/** A path exactly as it stands, which fetch would tidy up first. */
function get(
  path: string,
  accept = "text/html",
): Promise<{ status: number; type: string; body: string; policy: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, headers: { Accept: accept } }, response => {
      let body = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk
      })
      const type = response.headers["content-type"] ?? ""
      const policy = String(response.headers["content-security-policy"] ?? "")
      response.on("end", () => resolve({ status: response.statusCode ?? 0, type, body, policy }))
    })
    sent.on("error", reject)
    sent.end()
  })
}

const isAlive = async (): Promise<void> => {
  expect((await modern(`${hub.url}/mcp/one`, "tools/call", { name: EVIL }, { "Mcp-Name": encoded(EVIL) })).status).toBe(
    200,
  )
}
const encoded = (value: string): string => `=?base64?${Buffer.from(value).toString("base64")}?=`

describe("a server's name", () => {
  it.each([
    "../one",
    "..",
    "../../etc/passwd",
    "..%2fone",
    "..%2Fone",
    "%2e%2e%2fone",
    "%2e%2e/one",
    "..%5cone",
    "one/../two",
    "one%2f..%2ftwo",
    "one%00",
    "%",
    "%ff%fe",
    "%C0%AE%C0%AE%2Fone",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "one/sse/../../two",
    "meta/../one/x",
    "ONE",
    " one",
    "one ",
  ])("V13 that is really %j leads nowhere", async name => {
    const written = name.replaceAll(" ", "%20")
    for (const path of [`/mcp/${written}`, `/mcp/meta/${written}`, `/mcp/${written}/sse`, `/api/servers/${written}`]) {
      const { status, body } = await get(path)
      expect(status, path).toBeLessThan(500)
      expect(body).not.toContain("root:x:")
      // Plain dots are resolved as in any URL, and lead to what stands there.
      const { pathname } = new URL(path, hub.url)
      if (pathname === path) expect(status, path).toBeGreaterThanOrEqual(400)
      else expect(body).toBe((await get(pathname)).body)
    }
    const initialize = request("initialize", { protocolVersion: "2025-11-25", capabilities: {} })
    const path = `/mcp/${written}`
    if (new URL(path, hub.url).pathname !== path) return
    expect((await post(hub.url + path, initialize)).status).toBe(404)
  })

  it("V13 that is disabled answers nothing but why, everywhere", async () => {
    for (const method of ["tools/list", "tools/call", "resources/list", "server/discover"]) {
      const { answer } = await modern(`${hub.url}/mcp/off`, method, method === "tools/call" ? { name: "x" } : {})
      expect(JSON.stringify(answer)).toMatch(/off is disabled: switched off/)
    }
    const { initialized } = await openSession(`${hub.url}/mcp/off`)
    expect(initialized.error?.message).toContain("off is disabled")
    const { answer } = await modern(`${hub.url}/mcp`, "tools/list")
    expect(listed(answer).some(({ name }) => String(name).startsWith("off__"))).toBe(false)
    expect((await get("/mcp/meta/off")).body).toContain("switched off")
  })
})

describe("a session id", () => {
  const FORGED = [
    "00000000-0000-4000-8000-000000000000",
    "",
    "x",
    "../one",
    "__proto__",
    "a".repeat(8000),
    "%00",
    "' OR 1=1 --",
  ]

  it.each(FORGED.map(id => id.slice(0, 40)))("V13 %j that somebody made up is not a session", async id => {
    const url = `${hub.url}/mcp/one`
    const headers = { "Mcp-Session-Id": id }
    const expected = id === "" ? 400 : 404
    expect((await post(url, request("tools/list"), headers)).status).toBe(expected)
    expect((await fetch(url, { headers: { ...headers, Accept: "text/event-stream" } })).status).toBeGreaterThanOrEqual(
      400,
    )
    expect((await fetch(url, { method: "DELETE", headers })).status).toBeGreaterThanOrEqual(400)
    const sse = await post(`${url}/sse?sessionId=${encodeURIComponent(id)}`, request("tools/list"))
    expect(sse.status).toBe(404)
  })

  it("V13 opens no other address than its own, and can't be ended or listened to from there", async () => {
    const session = await openSession(`${hub.url}/mcp/one`)
    const headers = { "Mcp-Session-Id": session.id }
    for (const other of ["/mcp/two", "/mcp", "/mcp/all"]) {
      const url = hub.url + other
      expect((await post(url, request("tools/list"), headers)).status).toBe(404)
      expect((await fetch(url, { method: "DELETE", headers })).status).toBe(404)
      expect((await fetch(url, { headers: { ...headers, Accept: "text/event-stream" } })).status).toBe(404)
    }
    expect((await post(`${hub.url}/mcp/one/sse?sessionId=${session.id}`, request("ping"))).status).toBe(404)
    expect((await session.request("ping")).answer.result).toEqual({})
  })

  it("V13 can't be guessed from others", async () => {
    const ids = new Set<string>()
    for (let index = 0; index < 50; index++) ids.add((await openSession(`${hub.url}/mcp/one`)).id)
    expect(ids.size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe("a page", () => {
  it.each(["/mcp", "/mcp/one", "/mcp/meta/one", "/mcp/meta/crashed", `/mcp/meta/${encodeURIComponent("<b>&\"'")}`])(
    "V13 %s shows what servers say as text, and would run no script anyway",
    async path => {
      const { status, type, body, policy } = await get(path)
      expect(status).toBe(200)
      expect(type).toContain("text/html")
      expect(body.replace(/<script src="\/assets\/[\w-]+\.js" defer=""><\/script>/, "")).not.toMatch(
        /<script|<img|<b>/i,
      )
      expect(policy).toContain("default-src 'none'; script-src 'self';")
      if (path.endsWith("/one")) expect(body).toContain("&lt;script&gt;")
    },
  )

  it("V13 for a server that is not there shows what was asked for as text", async () => {
    const { status, type, body, policy } = await get("/mcp/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    expect(status).toBe(404)
    expect(type).toContain("text/html")
    expect(body).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(body).not.toContain("<script>")
    expect(policy).toContain("default-src 'none'")
  })

  it.each(["/<script>", "/api/servers/<script>", "/api/search?q=x&server=<script>"])(
    "V13 %s is answered with data, not with a page",
    async path => {
      const { status, type } = await get(path.replaceAll("<", "%3Cscript%3E"))
      expect(status).toBe(404)
      expect(type).toContain("application/json")
    },
  )
})

describe("a client that means harm", () => {
  it.each([5000, 20_000, 200_000])("V13 gets an answer to a URL of %i characters, and the hub lives", async length => {
    for (const path of [`/mcp/${"a".repeat(length)}`, `/mcp?x=${"%2e".repeat(length / 3)}`]) {
      const { status } = await get(path).catch((error: NodeJS.ErrnoException) => {
        expect(["ECONNRESET", "EPIPE"]).toContain(error.code)
        return { status: 431 }
      })
      expect([404, 414, 431, 200]).toContain(status)
    }
    await isAlive()
  })

  it("V13 that sends its requests drop by drop keeps nobody else waiting", async () => {
    const head = "POST /mcp/one HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    const sockets: Socket[] = []
    for (let index = 0; index < 60; index++) {
      const socket = connectSocket(port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write(index % 2 === 0 ? `${head}Content-Length: 1000000\r\n\r\n{` : head)
      sockets.push(socket)
    }
    const started = performance.now()
    await isAlive()
    expect(performance.now() - started).toBeLessThan(3000)
    for (const socket of sockets) socket.write("x")
    await isAlive()
    for (const socket of sockets) socket.destroy()
    await isAlive()
  })

  it("V13 can't send more than the hub is willing to read", async () => {
    const { status, answer } = await post(`${hub.url}/mcp/one`, `"${"x".repeat(17 * 1024 * 1024)}"`)
    expect(status).toBe(413)
    expect(answer.error?.message).toContain("limit")
    const response = await fetch(`${hub.url}/api/call`, {
      method: "POST",
      body: `{"tool":"${"x".repeat(17 * 1024 * 1024)}"}`,
      headers: { "Content-Type": "application/json" },
    })
    expect(response.status).toBe(413)
    // The same without saying beforehand how much it will be.
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1024 * 1024
        if (sent > 32 * 1024 * 1024) controller.close()
        else controller.enqueue(new Uint8Array(1024 * 1024).fill(32))
      },
    })
    const init = { method: "POST", body: endless, duplex: "half", headers: { "Content-Type": "application/json" } }
    expect((await fetch(`${hub.url}/api/call`, init as RequestInit)).status).toBe(413)
    await isAlive()
  })

  it("V13 can nest as deep as it likes", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep}}}}`
    const session = await openSession(`${hub.url}/mcp/one`)
    expect((await session.post(body)).status).toBeLessThan(500)
    await isAlive()
  })
})
