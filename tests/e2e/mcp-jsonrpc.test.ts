/** JSON-RPC to the letter, over HTTP and over stdio, in both protocol eras. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { openStdioHub, type StdioHub } from "./mcp-stdio-hub.ts"
import { ENVELOPE, modern, openSession, post, request, type Session } from "./mcp-wire.ts"

const TOOLS = [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }]
const FAILURES: Record<string, Json> = {
  internal: { code: -32603, message: "the server's own failure", data: { line: 7 } },
  own: { code: -31999, message: "a code of its own" },
}

let stage: Stage
let hub: Hub
let url: string
let pipe: StdioHub
let session: Session

beforeAll(async () => {
  stage = await openStage()
  const entry = stage.entry({
    tools: TOOLS,
    on: {
      "tools/call": ({ arguments: args }) => {
        const { fail, text: said } = args as { fail?: string; text?: string }
        if (fail) throw FAILURES[fail]
        return text(String(said))
      },
    },
  })
  const config = { mcpServers: { one: entry } }
  hub = await startHub(config)
  url = `${hub.url}/mcp/one`
  pipe = openStdioHub(config, ["--server", "one"])
  await Promise.all([hub.waitUp(), pipe.initialize()])
  session = await openSession(url)
})
afterAll(async () => {
  await pipe.close()
  await stopAll()
  await stage.close()
})

/** What is sent, and the id and code that come back; the same everywhere. */
const BROKEN: [string, string, unknown, number][] = [
  ["a lone brace", "{", null, -32700],
  ["words", "hello?", null, -32700],
  ["half a message", '{"jsonrpc":"2.0","id":1,"method":"tools/li', null, -32700],
  ["a number", "1", null, -32600],
  ["null", "null", null, -32600],
  ["a string", '"tools/list"', null, -32600],
  ["another version", '{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600],
  ["no version", '{"id":"x","method":"ping"}', "x", -32600],
  ["no method", '{"jsonrpc":"2.0","id":6}', 6, -32600],
  ["a method that is no string", '{"jsonrpc":"2.0","id":7,"method":8}', 7, -32600],
  ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
  ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"ping"}', null, -32600],
  ["parameters in an array", '{"jsonrpc":"2.0","id":8,"method":"tools/list","params":[]}', 8, -32602],
  ["parameters that are a string", '{"jsonrpc":"2.0","id":9,"method":"tools/list","params":"x"}', 9, -32602],
]

const BATCH = JSON.stringify([request("ping", undefined, 1), request("ping", undefined, 2)])

describe("a message that is none", () => {
  it.each(BROKEN)("V3 %s is refused over HTTP", async (_what, body, id, code) => {
    const { status, answer } = await session.post(body)
    expect(status).toBe(400)
    expect(answer).toMatchObject({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } })
  })

  it.each(BROKEN.filter(([, body]) => body !== ""))("V3 %s is refused over stdio", async (_what, body, id, code) => {
    pipe.send(body)
    expect(await pipe.next()).toMatchObject({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } })
  })

  it("V3 an empty body is no JSON", async () => {
    expect((await session.post("")).answer).toMatchObject({ id: null, error: { code: -32700 } })
  })

  it.each(BROKEN)("V3 %s is refused with the headers of 2026-07-28", async (_what, body, id, code) => {
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" }
    const { status, answer } = await post(url, body, headers)
    expect(status).toBe(400)
    expect(answer).toMatchObject({ id, error: { code } })
  })
})

const WRONG: [string, string, Json, number][] = [
  ["an unknown method", "tools/dance", {}, -32601],
  ["a method that this server does not offer", "prompts/list", {}, -32601],
  ["a name from the prototype", "constructor", {}, -32601],
  ["a call without a name", "tools/call", {}, -32602],
  ["a call whose name is a number", "tools/call", { name: 1 }, -32602],
  ["arguments that are an array", "tools/call", { name: "echo", arguments: [] }, -32602],
  ["an unknown tool", "tools/call", { name: "dance" }, -32602],
  ["a tool named like a method of objects", "tools/call", { name: "__proto__" }, -32602],
  ["a read without a URI", "resources/read", {}, -32602],
  ["the server's own -32603", "tools/call", { name: "echo", arguments: { fail: "internal" } }, -32603],
  ["a code of the server's own", "tools/call", { name: "echo", arguments: { fail: "own" } }, -31999],
]

describe("a request that can't be fulfilled", () => {
  it.each(WRONG)("V3 %s has its code in 2025-11-25 over HTTP", async (_what, method, params, code) => {
    const { status, answer } = await session.request(method, params)
    expect(status).toBe(200)
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code } })
  })

  it.each(WRONG)("V3 %s has its code in 2026-07-28 over HTTP", async (_what, method, params, code) => {
    const { status, answer } = await modern(url, method, params)
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code } })
    expect(status).toBe(code === -32601 ? 404 : 200)
  })

  it.each(WRONG)("V3 %s has its code over stdio, in both eras", async (_what, method, params, code) => {
    pipe.send(request(method, params, "old"))
    expect(await pipe.next()).toMatchObject({ id: "old", error: { code } })
    pipe.send(request(method, { ...params, _meta: ENVELOPE }, "new"))
    expect(await pipe.next()).toMatchObject({ id: "new", error: { code } })
  })

  it("V3 relays a server's own error with all that it said", async () => {
    for (const [fail, error] of Object.entries(FAILURES)) {
      const params = { name: "echo", arguments: { fail } }
      expect((await session.request("tools/call", params)).answer.error).toEqual(error)
      expect((await modern(url, "tools/call", params)).answer.error).toEqual(error)
    }
  })

  it("V3 says which tool was meant when a name is nearly right", async () => {
    const { answer } = await session.request("tools/call", { name: "ecko" })
    expect(answer.error?.message).toContain("did you mean echo?")
  })

  it("V3 wants a level that exists and a version that is a string", async () => {
    const level = await session.request("logging/setLevel", { level: "loud" })
    expect(level.answer.error?.code).toBe(-32601)
    const yard = await openSession(`${hub.url}/mcp`)
    expect((await yard.request("logging/setLevel", { level: "loud" })).answer.error?.code).toBe(-32602)
    expect((await post(url, request("initialize", { protocolVersion: 1 }))).answer.error?.code).toBe(-32602)
  })
})

describe("notifications and batches", () => {
  const notification = { jsonrpc: "2.0", method: "notifications/whatever" }

  it("V3 a notification gets 202 and nothing else, in either era", async () => {
    for (const answer of [
      await session.post(notification),
      await session.post({ jsonrpc: "2.0", method: "tools/call", params: { name: "nobody" } }),
      await session.post({ jsonrpc: "2.0", id: "never-asked", result: {} }),
      await post(url, { ...notification, params: { _meta: ENVELOPE } }, { "MCP-Protocol-Version": "2026-07-28" }),
    ]) {
      expect(answer.status).toBe(202)
      expect(answer.text).toBe("")
    }
  })

  it("V3 a notification over stdio is not answered at all", async () => {
    pipe.send(notification)
    pipe.send({ jsonrpc: "2.0", method: "tools/list" })
    pipe.send(request("ping", undefined, "after"))
    expect(await pipe.next()).toEqual({ jsonrpc: "2.0", id: "after", result: {} })
  })

  it.each(["2025-11-25", "2025-06-18", "2024-11-05"])("V3 %s has no batches", async version => {
    const other = await openSession(url, { version })
    const { status, answer } = await other.post(BATCH)
    expect(status).toBe(400)
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it("V3 neither has 2026-07-28", async () => {
    const body = JSON.stringify([request("tools/list", { _meta: ENVELOPE })])
    const { status, answer } = await post(url, body, { "MCP-Protocol-Version": "2026-07-28" })
    expect(status).toBe(400)
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it("V3 2025-03-26 answers each request of a batch, and only those", async () => {
    const old = await openSession(url, { version: "2025-03-26" })
    const { status, messages } = await old.post([
      request("ping", undefined, "a"),
      notification,
      { jsonrpc: "2.0", id: "b" },
      request("tools/call", { name: "echo", arguments: { text: "hi" } }, "c"),
      request("nothing", undefined, "d"),
      5,
    ])
    expect(status).toBe(200)
    const byId = new Map(messages.map(message => [message.id, message]))
    expect(messages).toHaveLength(5)
    expect(byId.get("a")).toMatchObject({ result: {} })
    expect(byId.get("b")).toMatchObject({ error: { code: -32600 } })
    expect(byId.get("c")).toMatchObject({ result: text("hi") })
    expect(byId.get("d")).toMatchObject({ error: { code: -32601 } })
    expect(byId.get(null as never)).toMatchObject({ error: { code: -32600 } })
    expect(await old.post([notification, notification])).toMatchObject({ status: 202, text: "" })
    expect(await old.post([])).toMatchObject({ status: 400, answer: { error: { code: -32600 } } })
  })

  it("V3 2025-03-26 has batches over stdio too, and says when one is empty", async () => {
    const old = openStdioHub({ mcpServers: {} })
    await old.initialize("2025-03-26")
    old.send(BATCH)
    const answers = [await old.next()].flat() as unknown as Json[]
    while (answers.length < 2) answers.push(...([await old.next()].flat() as unknown as Json[]))
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    old.send("[]")
    expect(await old.next()).toMatchObject({ id: null, error: { code: -32600 } })
    await old.close()
  })
})
