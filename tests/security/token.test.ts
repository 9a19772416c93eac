/** The token, and the note in which it is kept. */
import { statSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tokenCookie } from "../../packages/toolyard/src/surfaces/http/guard.ts"
import { closeClients, connect, ERAS } from "../e2e/mcp-clients.ts"
import { openSession, post, request } from "../e2e/mcp-wire.ts"
import { entry, openPlace, type Place } from "../e2e/run-cli.ts"

let place: Place
let hub: Awaited<ReturnType<Place["serve"]>>
let url: string
let token: string

beforeAll(async () => {
  place = openPlace()
  place.configure({ one: entry() })
  hub = await place.serve()
  url = hub.line.url
  token = hub.line.token as string
})
afterAll(async () => {
  await closeClients()
  await place.close()
})

const INITIALIZE = request("initialize", { protocolVersion: "2025-11-25", capabilities: {} })

/** Not by fetch, which keeps some headers to itself. */
const postStatus = (to: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
    const sent = httpRequest(to, { method: "POST", headers: { ...json, ...headers } }, response => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on("error", reject)
    sent.end(JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE }))
  })

const GUARDED = [
  "/mcp",
  "/mcp/one",
  "/mcp/one/sse",
  "/mcp/meta/one",
  "/api/servers",
  "/api/events",
  "/metrics",
  "/readyz",
  "/",
  "/x",
]

describe("without the token", () => {
  it.each(GUARDED)("V9 %s answers 401, and says what is missing", async path => {
    for (const accept of ["text/html", "application/json", "text/event-stream"]) {
      const response = await fetch(url + path, { headers: { Accept: accept }, redirect: "manual" })
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toContain("Bearer")
      expect(await response.text()).toContain("token")
    }
  })

  it.each(["wrong", "", "undefined", "null", "__proto__"])("V9 neither does %j open it", async guess => {
    for (const path of GUARDED) {
      const options = { redirect: "manual" as const }
      expect((await fetch(`${url}${path}?token=${guess}`, options)).status).toBe(401)
      const headers = { Authorization: `Bearer ${guess}` }
      expect((await fetch(url + path, { ...options, headers })).status).toBe(401)
    }
    expect((await post(`${url}/mcp/one`, INITIALIZE, { Authorization: `Bearer ${guess}` })).status).toBe(401)
    expect((await post(`${url}/mcp/one`, INITIALIZE, { Authorization: `Basic ${token}` })).status).toBe(401)
    expect((await post(`${url}/mcp/one`, INITIALIZE, { Authorization: `Bearer ${token.slice(0, -1)}` })).status).toBe(
      401,
    )
  })

  it("V9 only /healthz answers, under no other spelling", async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    for (const path of ["/healthz/", "/healthz/x", "/HEALTHZ", "//healthz", "/healthz%2f..%2fapi/servers"])
      expect((await fetch(url + path)).status, path).toBe(401)
  })

  it("V9 a known session is worth nothing", async () => {
    const session = await openSession(`${url}/mcp/one`, { headers: { Authorization: `Bearer ${token}` } })
    const stolen = await post(`${url}/mcp/one`, request("tools/list"), { "Mcp-Session-Id": session.id })
    expect(stolen.status).toBe(401)
  })
})

describe("with the token", () => {
  it.each(ERAS)("V9 a %s client comes in by header and by URL", async era => {
    const headers = { Authorization: `Bearer ${token}` }
    const byHeader = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
    const byUrl = new StreamableHTTPClientTransport(new URL(hub.line.mcp))
    for (const transport of [byHeader, byUrl]) {
      const client = await connect(url, era, { transport })
      expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    }
  })

  it("V9 a client of the older transport keeps the token of its URL for its messages", async () => {
    const transport = new SSEClientTransport(new URL(`${url}/mcp/one/sse?token=${token}`))
    const client = await connect(url, "legacy", { transport })
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
  })

  it("V9 pages and /api open as well", async () => {
    expect((await fetch(`${url}/api/servers?token=${token}`)).status).toBe(200)
    const page = await fetch(`${url}/mcp?token=${token}`, { headers: { Accept: "text/html" } })
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain(token)
    // From then on a browser follows the links of the page by itself, and nothing but looks.
    const cookie = (page.headers.get("set-cookie") ?? "").split(";")[0] as string
    expect(page.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/)
    expect((await fetch(`${url}/mcp`, { headers: { Accept: "text/html", Cookie: cookie } })).status).toBe(200)
    expect((await fetch(`${url}/api/call`, { method: "POST", headers: { Cookie: cookie } })).status).toBe(401)
  })

  it.each<[string, { Origin?: string; site?: string }, number]>([
    ["nobody knows what", {}, 401],
    ["a page of another port, which is of the same site", { Origin: "http://127.0.0.1:1", site: "same-site" }, 401],
    ["a page of another port that says it is ours", { Origin: "http://127.0.0.1:1", site: "same-origin" }, 401],
    ["a page of another site", { Origin: "https://example.com", site: "cross-site" }, 403],
    ["something that hides where it comes from", { Origin: "null", site: "cross-site" }, 403],
    ["a page of the hub over http, from another machine", { Origin: "own" }, 200],
    ["a page that only looks like one of the hub's", { Origin: "own", site: "same-site" }, 401],
    ["a page of the hub itself", { Origin: "own", site: "same-origin" }, 200],
  ])("V13 the cookie alone, sent by %s, is worth what it should be", async (_, { Origin, site }, status) => {
    const { host, origin } = new URL(url)
    const headers = {
      Cookie: `${tokenCookie(host)}=${token}`,
      ...(Origin !== undefined && { Origin: Origin === "own" ? origin : Origin }),
      ...(site !== undefined && { "Sec-Fetch-Site": site }),
    }
    expect(await postStatus(`${url}/mcp/one`, headers)).toBe(status)
  })
})

describe("the token itself", () => {
  it("V9 is long, and kept where only the owner reads it", () => {
    expect(token.length).toBeGreaterThanOrEqual(32)
    expect(JSON.parse(place.read(".toolyard/hub.json"))).toMatchObject({ url, token })
    expect(statSync(`${place.folder}/.toolyard/hub.json`).mode & 0o077).toBe(0)
    expect(statSync(`${place.folder}/.toolyard`).mode & 0o077).toBe(0)
  })

  it("V9 never stands in the log", () => {
    expect(hub.output.stderr).not.toContain(token)
  })

  it("V9 may be chosen, and is another one in every hub otherwise", async () => {
    const other = openPlace()
    const chosen = await other.serve(["--token", "my-own-token"])
    expect((await fetch(`${chosen.line.url}/api/servers?token=my-own-token`)).status).toBe(200)
    expect((await fetch(`${chosen.line.url}/api/servers?token=${token}`)).status).toBe(401)
    await other.close()
  })

  it("V9 can only be left out on the loopback address", async () => {
    const other = openPlace()
    const { code, stderr } = await other.cli(["serve", "--port", "0", "--no-auth", "--host", "0.0.0.0"])
    expect(code).toBe(64)
    expect(stderr).toContain("loopback")
    await other.close()
  })
})
