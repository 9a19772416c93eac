/** What the configuration gives to a server in confidence comes out nowhere, whatever the server does with it. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modern } from "../e2e/mcp-wire.ts"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"

const ENV_SECRET = "sk-env-0123456789abcdef"
const HEADER_SECRET = "hdr-9876543210fedcba"
const CALL_SECRET = "sk-call-5555666677778888"

/** Prints its secret to stderr, whole and in two writes, and crashes. */
const CRASHING = `
const secret = process.env.API_TOKEN
console.error("using " + secret)
console.error(JSON.stringify({ token: secret, url: "https://x/?key=" + encodeURIComponent(secret) }))
process.stderr.write("again " + secret.slice(0, 9)); process.stderr.write(secret.slice(9) + "\\n")
console.log("not JSON but " + secret)
throw new Error("bad token " + secret)
`
/** Answers the handshake, then complains about its secret in an error of its own. */
const COMPLAINING = `
const { createInterface } = require("node:readline")
createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const say = answer => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
  if (method === "initialize") say({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "c", version: "1" } } })
  else if (method === "tools/list") say({ result: { tools: [{ name: "die", inputSchema: { type: "object" } }] } })
  else if (method === "tools/call") { console.error("token was " + process.env.API_TOKEN); process.exit(9) }
  else say({ error: { code: -32601, message: "no" } })
})`

let web: Server
let hub: Hub

beforeAll(async () => {
  // Says in its refusal what it was sent.
  web = createServer((request, response) => {
    response.writeHead(500, { "Content-Type": "text/plain" }).end(`broken: ${request.headers["x-api-key"]}`)
  })
  await new Promise<void>(resolve => web.listen(0, "127.0.0.1", resolve))
  const { port } = web.address() as AddressInfo
  hub = await startHub(
    {
      mcpServers: {
        crashing: { command: process.execPath, args: ["-e", CRASHING], env: { API_TOKEN: "${TEST_SECRET}" } },
        complaining: { command: process.execPath, args: ["-e", COMPLAINING], env: { API_TOKEN: CALL_SECRET } },
        web: { url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Api-Key": HEADER_SECRET } },
        unset: { command: "x", env: { KEY: "${NOT_SET_ANYWHERE}", OTHER: ENV_SECRET } },
      },
    },
    { env: { TEST_SECRET: ENV_SECRET } },
  )
  await hub.waitUp("complaining")
  await until(
    async () => (await hub.servers()).filter(({ attempts = 0 }) => attempts > 0).length === 2,
    "two servers to have failed",
  )
})
afterAll(async () => {
  await stopAll()
  web.close()
})

const expectClean = (text: string, where: string): void => {
  for (const secret of [ENV_SECRET, HEADER_SECRET, CALL_SECRET]) {
    expect(text.includes(secret), `${secret} in ${where}: ${text.slice(0, 500)}`).toBe(false)
  }
}

describe("secrets of a server's entry", () => {
  it("V13 do not come out of /api, the pages or the metrics", async () => {
    const names = ["crashing", "complaining", "web", "unset"]
    const paths = ["/api/servers", "/api/tools", "/api/stats", "/api/audit", "/metrics", "/readyz", "/mcp"]
    for (const name of names) paths.push(`/api/servers/${name}`, `/mcp/${name}`, `/mcp/meta/${name}`)
    for (const path of paths) {
      const response = await fetch(hub.url + path, { headers: { Accept: "text/html" } })
      expectClean(await response.text(), path)
    }
    // What the server wrote is still there to be read, but for the secret.
    expect((await hub.server("crashing")).logs.join("\n")).toContain("using [API_TOKEN]")
  })

  it("V13 do not come out of a call's error", async () => {
    for (const name of ["crashing", "web", "complaining", "unset"]) {
      const tool = name === "complaining" ? "die" : "any"
      const { text } = await modern(`${hub.url}/mcp/${name}`, "tools/call", { name: tool })
      expect(text).toMatch(/error/i)
      expectClean(text, `a call of ${name}`)
    }
    await until(
      async () => (await hub.server("complaining")).logs.some(line => line.includes("[API_TOKEN]")),
      "its log",
    )
    expectClean(JSON.stringify(await hub.server("complaining")), "its log")
  })

  it("V13 do not stand in the hub's own log", () => {
    expect(hub.stderr()).toContain("crashing is down")
    expectClean(hub.stderr(), "the log")
  })

  it("V13 do not stand in what the hub keeps on the disk", async () => {
    await hub.stop()
    const folder = join(hub.folder, ".toolyard")
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (file.isFile()) expectClean(readFileSync(join(file.parentPath, file.name), "latin1"), file.name)
  })
})
