/** How a client and the hub come to know each other, in every version of the protocol. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BIN, type Hub, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { ENVELOPE, modern, openSession, post, request } from "./mcp-wire.ts"

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
const TOOLS = [{ name: "echo", inputSchema: { type: "object" } }]

let stage: Stage
let hub: Hub
let config: Json
let url: string

beforeAll(async () => {
  stage = await openStage()
  const on = { "tools/call": ({ arguments: args }: Json) => text(String((args as Json).text)) }
  config = {
    mcpServers: { old: stage.entry({ tools: TOOLS, on }), new: stage.entry({ era: "modern", tools: TOOLS, on }) },
  }
  hub = await startHub(config)
  url = `${hub.url}/mcp`
  await hub.waitUp()
})
afterAll(async () => {
  await closeClients()
  await stopAll()
  await stage.close()
})

describe("initialize", () => {
  it.each(VERSIONS)("V4 agrees on %s when the client asks for it", async version => {
    const { initialized, id, request: send } = await openSession(url, { version })
    expect(initialized.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: "toolyard", version: expect.any(String) },
      capabilities: { tools: { listChanged: true } },
    })
    expect(id).toMatch(/^[\x21-\x7e]{16,}$/)
    expect((await send("tools/list")).answer.result).toHaveProperty("tools")
  })

  it.each(["1999-01-01", "2026-07-28", "", "newest"])("V4 offers its newest when asked for %j", async version => {
    const { initialized } = await openSession(url, { version })
    expect(initialized.result).toMatchObject({ protocolVersion: "2025-11-25" })
  })

  it("V4 says at a server's own address who that server is", async () => {
    for (const name of ["old", "new"]) {
      const { initialized } = await openSession(`${url}/${name}`)
      expect(initialized.result).toMatchObject({ serverInfo: { name: "puppet" }, capabilities: { tools: {} } })
      expect(initialized.result?.capabilities).not.toHaveProperty("prompts")
    }
  })

  it("V4 a second time is harmless: on the session it keeps it, without one it makes another", async () => {
    const session = await openSession(url)
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "again", version: "1" } }
    const again = await session.post(request("initialize", params, 2))
    expect(again.headers.get("mcp-session-id")).toBe(session.id)
    expect(again.answer.result).toMatchObject({ protocolVersion: "2025-06-18" })
    expect((await session.request("tools/list")).answer.result).toHaveProperty("tools")
    const other = await openSession(url)
    expect(other.id).not.toBe(session.id)
    expect((await session.request("ping")).answer.result).toEqual({})
  })

  it("V4 a request before it is refused, and says what to do", async () => {
    const { status, answer } = await post(url, request("tools/list"))
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({ code: -32600, data: { hint: expect.stringContaining("initialize") } })
  })
})

describe("2026-07-28", () => {
  it.each(["", "/old", "/new", "/all"])("V4 server/discover at /mcp%s tells what there is", async at => {
    const { status, answer } = await modern(url + at, "server/discover")
    expect(status).toBe(200)
    expect(answer.result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true } },
      ttlMs: expect.any(Number),
      cacheScope: "private",
      _meta: {
        "io.modelcontextprotocol/serverInfo": { name: at.length === 4 && at !== "/all" ? "puppet" : "toolyard" },
      },
    })
  })

  it("V4 names the versions it speaks when asked for another", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2031-01-01" }
    const { status, answer } = await modern(url, "tools/list", { _meta }, { "MCP-Protocol-Version": "2031-01-01" })
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: "2031-01-01" },
    })
  })

  it.each([
    ["another version", { "MCP-Protocol-Version": "2025-11-25" }],
    ["another method", { "Mcp-Method": "tools/call" }],
    ["no method", { "Mcp-Method": "" }],
  ])("V4 refuses headers with %s than the body's", async (_what, headers) => {
    const { status, answer } = await modern(url, "tools/list", {}, headers)
    expect(status).toBe(400)
    expect(answer.error?.code).toBe(-32020)
  })

  it.each([
    ["another", "old__ecko"],
    ["no", ""],
    ["badly wrapped", "=?base64?b2xkX19lY2hv!?="],
  ])("V4 refuses a call with %s name in its headers", async (_what, name) => {
    const { status, answer } = await modern(url, "tools/call", { name: "old__echo" }, { "Mcp-Name": name })
    expect(status).toBe(400)
    expect(answer.error?.code).toBe(-32020)
  })

  it("V4 wants the client's capabilities with every request", async () => {
    const { "io.modelcontextprotocol/protocolVersion": version } = ENVELOPE
    const body = request("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": version } })
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" }
    const { status, answer } = await post(url, body, headers)
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining("clientCapabilities") })
  })
})

describe("the SDK's client", () => {
  it.each(ERAS)("N8 uses servers of both eras as a %s client over HTTP", async era => {
    for (const server of ["old", "new"]) {
      const client = await connect(`${url}/${server}`, era)
      const result = await client.callTool({ name: "echo", arguments: { text: `to ${server}` } })
      expect(textOf(result)).toBe(`to ${server}`)
    }
  })

  it.each(ERAS)("N8 uses servers of both eras as a %s client over stdio", async era => {
    const file = join(tempFolder(), "toolyard.json")
    writeFileSync(file, JSON.stringify(config))
    const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, "stdio", "--config", file] })
    const client = await connect(url, era, { transport })
    expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(["old__echo", "new__echo"])
    for (const server of ["old", "new"]) {
      const result = await client.callTool({ name: `${server}__echo`, arguments: { text: server } })
      expect(textOf(result)).toBe(server)
    }
  })
})
