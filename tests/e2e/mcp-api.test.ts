/** `/api` and what watches the hub: shapes that the console, the editors and scripts rely on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { modern } from "./mcp-wire.ts"

const object = (properties: Json = {}, required: string[] = []): Json => ({ type: "object", properties, required })
const TOOLS = [
  {
    name: "create_issue",
    description: "Create an issue in a repository",
    inputSchema: object({ title: { type: "string" }, labels: { type: "array", items: { type: "string" } } }, ["title"]),
    outputSchema: object({ number: { type: "integer" } }, ["number"]),
  },
  { name: "get-user-profile", description: "Look up a user", inputSchema: object({ id: { type: "number" } }) },
  { name: "123test", description: "Runs numbered checks", inputSchema: object() },
  { name: "create__issue", description: "Create an issue twice", inputSchema: object() },
  { name: "fail", inputSchema: object() },
]

let stage: Stage
let hub: Hub
let offer: Json[] = TOOLS
const entries: Record<string, Json> = {}

beforeAll(async () => {
  stage = await openStage()
  entries.my_server = stage.entry(
    {
      capabilities: { tools: { listChanged: true } },
      on: {
        "tools/list": () => ({ tools: offer }),
        "tools/call": ({ name }) => (name === "fail" ? { ...text("failed"), isError: true } : text("made")),
      },
    },
    { description: "Issues and users" },
  )
  entries.broken = { command: "no-such-program-anywhere" }
  hub = await startHub({ mcpServers: entries })
  await hub.waitUp("my_server")
})
afterAll(async () => {
  await stopAll()
  await stage.close()
})

const get = async (path: string): Promise<{ status: number; json: Json; type: string }> => {
  const response = await fetch(hub.url + path)
  const json = (await response.json()) as Json
  return { status: response.status, json, type: response.headers.get("content-type") ?? "" }
}
const call = async (body: unknown): Promise<{ status: number; json: Json }> => {
  const response = await fetch(`${hub.url}/api/call`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Json }
}

describe("/api", () => {
  it("N9 lists the servers with their state, and why one is down", async () => {
    await until(async () => (await hub.servers())[1]?.state === "down", "the broken server to be down")
    const { json } = await get("/api/servers")
    expect(json.servers).toMatchObject([
      { name: "my_server", type: "stdio", state: "up", era: "legacy", tools: 5, description: "Issues and users" },
      { name: "broken", state: "down", tools: 0, reason: expect.stringContaining("no-such-program-anywhere") },
    ])
    expect((await get("/api/servers/my_server")).json.server).toMatchObject({ logs: [], pid: expect.any(Number) })
  })

  it("N9 lists the tools with their whole definitions", async () => {
    const { json } = await get("/api/tools")
    expect(json.tools).toEqual(
      TOOLS.map(definition => ({
        id: `my_server__${definition.name}`,
        server: "my_server",
        name: definition.name,
        ...(definition.description && { description: definition.description }),
        definition,
      })),
    )
    expect((await get("/api/tools?server=broken")).json.tools).toEqual([])
  })

  it("N9 finds tools by what they do, with the line that calls them", async () => {
    const { json, type } = await get("/api/search?q=open+a+new+issue&limit=2")
    expect(type).toContain("application/json")
    const results = json.results as Json[]
    expect(results).toHaveLength(2)
    for (const result of results)
      expect(Object.keys(result).toSorted()).toEqual(["id", "name", "score", "server", "signature"])
    expect(results[0]).toEqual({
      id: "my_server__create_issue",
      server: "my_server",
      name: "create_issue",
      score: expect.any(Number),
      signature:
        "tools.myServer.createIssue(params: { title: string; labels?: string[] }): Promise<{ number: number }>",
    })
  })

  it.each([
    ["create_issue", "tools.myServer.createIssue("],
    ["get-user-profile", "tools.myServer.getUserProfile("],
    ["123test", "tools.myServer._123test("],
    ["create__issue", "tools.myServer.createIssue"],
  ])("T6 calls %s %s in a signature", async (name, path) => {
    const { json } = await get(`/api/search?q=${encodeURIComponent(name)}&limit=10`)
    const found = (json.results as Json[]).find(result => result.name === name)
    expect(found?.signature).toContain(path)
  })

  it("T6 gives no two tools of a server the same name in TypeScript", async () => {
    const { json } = await get("/api/search?q=create+issue&limit=10")
    const both = (json.results as { name: string; signature: string }[]).filter(({ name }) => /^create_/.test(name))
    expect(both).toHaveLength(2)
    const paths = both.map(({ signature }) => signature.slice(0, signature.indexOf("(")))
    expect(new Set(paths)).toEqual(new Set(["tools.myServer.createIssue", "tools.myServer.createIssue2"]))
  })

  it("N9 calls a tool by its id or by server.tool, and gives its result", async () => {
    for (const tool of ["my_server__create_issue", "my_server.create_issue"])
      expect(await call({ tool, args: { title: "x" } })).toEqual({ status: 200, json: { result: text("made") } })
    expect((await call({ tool: "my_server__fail" })).json.result).toEqual({ ...text("failed"), isError: true })
  })

  it.each([
    ["{", 400, "parse_error"],
    [[], 400, "parse_error"],
    [{}, 400, "invalid_params"],
    [{ tool: 5 }, 400, "invalid_params"],
    [{ tool: "my_server__fail", args: [] }, 400, "invalid_params"],
    [{ tool: "my_server__fail", timeoutMs: -1 }, 400, "invalid_params"],
    [{ tool: "my_server__fail", readOnly: "very" }, 400, "invalid_params"],
    [{ tool: "my_server__fial" }, 404, "unknown_tool"],
    [{ tool: "__proto__" }, 404, "unknown_tool"],
    [{ tool: "my_server__create_issue", args: {} }, 400, "invalid_arguments"],
  ])("N9 says of %j that it is %i %s, and what to do", async (body, status, code) => {
    const { status: given, json } = await call(body)
    expect(given).toBe(status)
    expect(json).toMatchObject({ error: { code, message: expect.any(String), hint: expect.stringMatching(/\w/) } })
  })

  it.each([
    ["/api/servers/nobody", 404, "unknown_server"],
    ["/api/tools?server=nobody", 404, "unknown_server"],
    ["/api/search", 400, "invalid_params"],
    ["/api/search?q=x&limit=0", 400, "invalid_params"],
    ["/api/search?q=x&limit=1e9", 400, "invalid_params"],
    ["/api/search?q=x&server=nobody", 404, "unknown_server"],
    ["/api/audit?limit=none", 400, "invalid_params"],
    ["/api/nothing", 404, "not_found"],
    ["/nothing", 404, "not_found"],
  ])("N9 answers GET %s with %i %s", async (path, status, code) => {
    const { status: given, json } = await get(path)
    expect(given).toBe(status)
    expect(json).toMatchObject({ error: { code, message: expect.any(String), hint: expect.any(String) } })
  })

  it("N9 counts what went through, by server and outcome", async () => {
    const before = (await get("/api/stats")).json.servers as Record<string, Json>
    await modern(`${hub.url}/mcp`, "tools/call", { name: "my_server__123test" })
    await call({ tool: "my_server__fail" })
    await call({ tool: "my_server__create_issue" })
    const { json } = await get("/api/stats")
    expect(json).toMatchObject({ uptimeSeconds: expect.any(Number), sessions: 0, memoryBytes: expect.any(Number) })
    const { ok, toolErrors, refused, failed } = (json.servers as Record<string, Json>).my_server as Record<
      string,
      number
    >
    const was = (before.my_server ?? {}) as Record<string, number>
    expect({ ok, toolErrors, refused, failed }).toEqual({
      ok: (was.ok ?? 0) + 1,
      toolErrors: (was.toolErrors ?? 0) + 1,
      refused: (was.refused ?? 0) + 1,
      failed: was.failed ?? 0,
    })
  })

  it("N9 tells on a stream what changes", async () => {
    const ending = new AbortController()
    const response = await fetch(`${hub.url}/api/events`, { signal: ending.signal })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let heard = ""
    const read = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        heard += Buffer.from(value).toString()
      }
    })().catch(() => {})
    offer = TOOLS.slice(0, 2)
    const puppet = await stage.puppet(entries.my_server as Json)
    puppet.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
    await until(() => heard.includes('"changed"'), "the change")
    const event = JSON.parse(/data: (.*"changed".*)/.exec(heard)?.[1] as string)
    expect(event).toEqual({ type: "changed", server: "my_server", lists: ["tools"] })
    puppet.drop()
    await until(() => /"health".*"my_server".*"down"/.test(heard), "the loss")
    await until(() => /"health".*"my_server".*"up"/.test(heard), "the return")
    ending.abort()
    await read
  })
})

describe("watching the hub", () => {
  it("N9 /healthz and /readyz say that it lives and that every server had its chance", async () => {
    expect((await get("/healthz")).json).toMatchObject({ status: "ok", version: expect.any(String) })
    const { status, json } = await get("/readyz")
    expect(status).toBe(200)
    expect(json).toEqual({ ready: true, down: ["broken"] })
  })

  it("N9 /metrics is Prometheus text that parses", async () => {
    await call({ tool: "my_server__create_issue", args: { title: "x" } })
    const response = await fetch(`${hub.url}/metrics`)
    expect(response.headers.get("content-type")).toContain("version=0.0.4")
    const body = await response.text()
    expect(body.endsWith("\n")).toBe(true)
    const types = new Map<string, string>()
    const samples = new Map<string, number>()
    for (const line of body.trimEnd().split("\n")) {
      const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
      if (type) types.set(type[1] as string, type[2] as string)
      if (line.startsWith("#")) {
        expect(line).toMatch(/^# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))$/)
        continue
      }
      const sample = /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.e+]+|\+Inf|NaN)$/.exec(line)
      expect(sample, line).not.toBeNull()
      const [, name = "", labels = "", value] = sample ?? []
      expect(types.has(name) || types.has(name.replace(/_(bucket|sum|count)$/, "")), line).toBe(true)
      samples.set(name + labels, Number(value))
    }
    expect(samples.get('toolyard_server_up{server="broken"}')).toBe(0)
    expect(samples.get('toolyard_calls_total{server="my_server",outcome="ok"}')).toBeGreaterThan(0)
    const count = samples.get('toolyard_call_duration_seconds_count{server="my_server"}')
    expect(samples.get('toolyard_call_duration_seconds_bucket{server="my_server",le="+Inf"}')).toBe(count)
  })
})
