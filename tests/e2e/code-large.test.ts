/** A yard of 1,500 tools, as recorded from public servers: what an agent pays to see it, and what it sees. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, openAgent } from "./code-yard.ts"
import { closeClients } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

const RECORDED = fileURLToPath(new URL("../../../shared/data/catalogs/", import.meta.url))
const files = existsSync(RECORDED) ? readdirSync(RECORDED).filter(name => name.endsWith(".json")) : []
const WANTED = 1_500

/** Each catalog once, and again under another name until there are enough tools. */
function catalogs(): Map<string, Json[]> {
  const all = new Map<string, Json[]>()
  let left = WANTED
  for (const suffix of ["", "-again"])
    for (const file of files) {
      const { tools } = JSON.parse(readFileSync(RECORDED + file, "utf8")) as { tools: Json[] }
      const taken = tools.slice(0, left)
      left -= taken.length
      if (taken.length > 0) all.set(file.replace(".json", suffix), taken)
    }
  return all
}

const yard = catalogs()
const servers = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", chunk => {
    body += chunk
  })
  request.on("end", () => {
    const { id, method, params } = JSON.parse(body || "{}") as { id?: number; method?: string; params: Json }
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end()
    const serverInfo = { name: "recorded", version: "1" }
    const result =
      method === "initialize"
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
        : method === "tools/list"
          ? { tools: yard.get((request.url as string).slice(1)) }
          : undefined
    const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } }
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
  })
})

describe.skipIf(files.length === 0)("a yard of 1,500 tools (skipped where the recorded catalogs are not there)", () => {
  let hub: Hub
  let agent: Agent
  beforeAll(async () => {
    await new Promise<void>(resolve => servers.listen(0, "127.0.0.1", resolve))
    const { port } = servers.address() as AddressInfo
    const entries = [...yard.keys()].map(name => [name, { type: "http", url: `http://127.0.0.1:${port}/${name}` }])
    hub = await startHub({ mcpServers: Object.fromEntries(entries) })
    await hub.waitUp()
    agent = await openAgent(hub.url, "modern", { at: "" })
  })
  afterAll(async () => {
    await closeClients()
    await stopAll()
    servers.closeAllConnections()
    servers.close()
  })

  it("N5 costs less than 2,600 tokens of definitions", async () => {
    const all = [...yard.values()].reduce((sum, tools) => sum + tools.length, 0)
    expect(all).toBe(WANTED)
    const tools = await agent.tools()
    expect(tools).toHaveLength(3)
    expect(countTokens(JSON.stringify(tools))).toBeLessThan(2_600)
  })

  it("names every server, with how many tools it has, and says that the list is not complete", async () => {
    const [, execute] = await agent.tools()
    const { description } = execute as { description: string }
    expect(description).toContain("PARTIAL")
    const { value } = await agent.execute(
      "return Object.keys(tools).map(name => [name, Object.keys(tools[name]).length])",
    )
    const named = value as [string, number][]
    expect(named).toHaveLength(yard.size)
    for (const [name, count] of named) expect(description).toContain(`tools.${name} (${count})`)
  })

  it("finds what the description has no room for", async () => {
    const { signatures } = await agent.search({ query: "create a pull request", limit: 5 })
    expect(signatures.join("\n")).toMatch(/createPullRequest\(/)
  })

  it("checks a script against all of them, and runs it", async () => {
    const { error } = await agent.execute("await tools.githubMcpServer.createPullRequst({})")
    expect(error?.message).toContain("did you mean `createPullRequest`?")
    expect(await agent.execute("return 1 + 1")).toMatchObject({ status: "completed", value: 2 })
  })
})
