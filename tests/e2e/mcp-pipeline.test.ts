/** What every call passes through on its way, whoever makes it: policy, guard, validation, limits, time, cap, audit. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import { type Json, type Message, openStage, type Script, type Stage, text } from "./mcp-stage.ts"
import { ask, listed, modern, openSession } from "./mcp-wire.ts"

const object = (properties: Json = {}, required: string[] = []): Json => ({ type: "object", properties, required })
const TOOLS: Json[] = [
  { name: "read", inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: "write", inputSchema: object(), annotations: { readOnlyHint: false } },
  { name: "wipe", inputSchema: object(), annotations: { destructiveHint: true } },
  { name: "silent", inputSchema: object() },
  {
    name: "pay",
    inputSchema: object({ amount: { type: "integer", minimum: 1 }, to: { enum: ["a", "b"] } }, ["amount"]),
  },
  { name: "strict", inputSchema: { ...object({ known: {} }), additionalProperties: false } },
  { name: "broken_schema", inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
  { name: "worse_schema", inputSchema: { type: "objekt", properties: 5 } },
  { name: "fail", inputSchema: object() },
  { name: "hang", inputSchema: object() },
  { name: "big", inputSchema: object() },
  { name: "many", inputSchema: object() },
]
const BIG = "ä€😀x".repeat(600_000)
const bigResult = JSON.stringify({ ...text(BIG), structuredContent: { small: 1 } })
/** More items than a function can have arguments. */
const manyItems = JSON.stringify({ content: [], structuredContent: { items: new Array(2_000_000).fill(123) } })

const SCRIPT: Script = {
  tools: TOOLS,
  on: {
    "tools/call": ({ name }) => {
      if (name === "hang") return undefined
      if (name === "big") return bigResult
      if (name === "many") return manyItems
      return name === "fail" ? { ...text("no such file"), isError: true } : text(`did ${name}`)
    },
  },
}

let stage: Stage
let hub: Hub
const entries: Record<string, Json> = {}

beforeAll(async () => {
  stage = await openStage()
  Object.assign(entries, {
    plain: stage.entry(SCRIPT),
    guarded: stage.entry(SCRIPT, { readOnly: true }),
    strict: stage.entry(SCRIPT, { readOnly: "strict" }),
    // The SDK's client gives up a whole list for one definition that it can't read.
    ruled: stage.entry({ ...SCRIPT, tools: TOOLS.filter(({ name }) => name !== "worse_schema") }),
    slow: stage.entry(SCRIPT, { timeoutMs: 250, tools: { silent: { timeoutMs: 60_000 }, hang: { timeoutMs: 150 } } }),
    whole: stage.entry(SCRIPT, { timeoutMs: 220 }),
    narrow: stage.entry(SCRIPT, { concurrency: 1 }),
    shaped: stage.entry(SCRIPT, {
      includeTools: ["read", "w*", "silent", "big"],
      excludeTools: "wi*",
      rename: { write: "scribble" },
      tools: {
        silent: { enabled: false },
        big: { description: "Ours.", title: "Big", annotations: { destructiveHint: true } },
      },
    }),
  })
  hub = await startHub({
    mcpServers: entries,
    policy: {
      rules: [
        { match: "ruled__read", caller: "trusted-*", do: "allow" },
        { match: ["ruled__read", "ruled__fail"], do: "deny" },
        { match: "ruled__*", annotations: { destructiveHint: true }, do: "deny" },
        { match: "ruled__pay", do: "ask" },
        { match: "ruled__silent", caller: "http", do: "deny" },
      ],
      askTimeoutMs: 200,
    },
  })
  await hub.waitUp()
})
afterAll(async () => {
  await closeClients()
  await stopAll()
  await stage.close()
})

interface Outcome {
  isError: boolean
  said: string
  code: string | undefined
}

async function call(at: string, name: string, args: Json = {}, era: "legacy" | "modern" = "modern"): Promise<Outcome> {
  const { answer } = await ask(`${hub.url}/mcp/${at}`, era, "tools/call", { name, arguments: args })
  const { isError, _meta, ...rest } = (answer.result ?? { content: [{ text: answer.error?.message }] }) as Json
  const error = (_meta as Json | undefined)?.["toolyard/error"] as { code: string } | undefined
  return { isError: isError === true, said: textOf(rest), code: error?.code }
}

const metaOf = ({ result }: Message): Json => (result?._meta ?? {}) as Json

const offered = async (at: string, era: "legacy" | "modern" = "modern"): Promise<unknown[]> => {
  const { answer } = await ask(`${hub.url}/mcp/${at}`, era, "tools/list")
  return listed(answer).map(tool => tool.name)
}

const api = async (path: string, body?: Json): Promise<{ status: number; json: Json }> => {
  const post = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
  const response = await fetch(`${hub.url}/api/${path}`, body ? post : {})
  return { status: response.status, json: (await response.json()) as Json }
}

describe("policy", () => {
  it.each(ERAS)("N9 what a rule denies is neither offered nor called (%s)", async era => {
    const names = await offered("ruled", era)
    for (const denied of ["read", "fail", "wipe"]) {
      expect(names).not.toContain(denied)
      expect(await call("ruled", denied, {}, era)).toMatchObject({ isError: true, code: "denied" })
      expect(await call("all", `ruled__${denied}`, {}, era)).toMatchObject({ isError: true, code: "denied" })
    }
    expect(names).toContain("silent")
    expect(await call("ruled", "silent", {}, era)).toMatchObject({ isError: false, said: "did silent" })
  })

  it("N9 what needs asking is offered, and refused when nobody decides in time", async () => {
    expect(await offered("ruled")).toContain("pay")
    const { said, code } = await call("ruled", "pay", { amount: 1 })
    expect(code).toBe("approval_timeout")
    expect(said).toContain("ruled__pay was not approved: nobody decided within 200 ms")
  })

  it.each(ERAS)("N9 a rule can be about the client, by the name it gives itself (%s)", async era => {
    const trusted = await connect(`${hub.url}/mcp/ruled`, era, { name: "trusted-editor" })
    expect((await trusted.listTools()).tools.map(({ name }) => name)).toContain("read")
    expect(textOf(await trusted.callTool({ name: "read", arguments: {} }))).toBe("did read")
    const stranger = await connect(`${hub.url}/mcp/ruled`, era, { name: "stranger" })
    expect((await stranger.listTools()).tools.map(({ name }) => name)).not.toContain("read")
    expect((await stranger.callTool({ name: "read", arguments: {} })).isError).toBe(true)
  })

  it("N9 the same rules hold for /api", async () => {
    for (const tool of ["ruled__read", "ruled__wipe", "ruled__silent"]) {
      const { status, json } = await api("call", { tool })
      expect(status).toBe(403)
      expect(json.error).toMatchObject({
        code: "denied",
        message: expect.stringContaining(tool),
        hint: expect.any(String),
      })
    }
    expect((await api("call", { tool: "ruled__pay", args: { amount: 1 } })).json.error).toMatchObject({
      code: "approval_timeout",
    })
  })

  it("N9 a refused call never reaches the server", async () => {
    const puppet = await stage.puppet(entries.ruled as Json)
    const before = puppet.received.length
    await call("ruled", "wipe")
    await call("ruled", "pay", { amount: 1 })
    expect(puppet.received.slice(before).filter(({ method }) => method === "tools/call")).toEqual([])
  })
})

describe("the read-only guard", () => {
  const REFUSED = { true: ["write", "wipe"], strict: ["write", "wipe", "silent"] }

  it.each([
    ["true", "guarded"],
    ["strict", "strict"],
  ] as const)("C3 readOnly: %s on a server refuses what may change things", async (level, server) => {
    for (const { name } of TOOLS.slice(0, 4) as { name: string }[]) {
      const refused = REFUSED[level].includes(name)
      const { isError, code } = await call(server, name)
      expect({ name, isError, code }).toEqual({ name, isError: refused, code: refused ? "read_only" : undefined })
      expect((await offered(server)).includes(name)).toBe(!refused)
    }
  })

  it.each(ERAS)("C3 ?readOnly= on the address guards that client alone (%s)", async era => {
    for (const [value, refused] of [
      ["true", REFUSED.true],
      ["strict", REFUSED.strict],
      ["", REFUSED.true],
      ["nonsense", REFUSED.true],
    ] as const) {
      const at = `plain?readOnly=${value}`
      const names = await offered(at, era)
      for (const name of refused) {
        expect(names).not.toContain(name)
        expect((await call(at, name, {}, era)).code, `${value} ${name}`).toBe("read_only")
      }
      expect((await call(at, "read", {}, era)).isError).toBe(false)
    }
    expect((await call("plain", "wipe", {}, era)).isError).toBe(false)
  })

  it("C3 a call by /api can be guarded too", async () => {
    const { json } = await api("call", { tool: "plain__silent", readOnly: "strict" })
    expect(json.error).toMatchObject({ code: "read_only" })
    expect((await api("call", { tool: "plain__silent", readOnly: true })).status).toBe(200)
  })
})

describe("arguments", () => {
  it.each([
    ["pay", {}, '"amount" is missing'],
    ["pay", { amount: "3" }, "arguments.amount: must be integer"],
    ["pay", { amount: 0 }, "arguments.amount: must be >= 1"],
    ["pay", { amount: 1, to: "c" }, 'arguments.to: must be one of ["a","b"]'],
    ["strict", { unknown: 1 }, '"unknown" is not known here'],
  ])("C5 wrong arguments of %s are an error result that says what is wrong", async (name, args, problem) => {
    for (const era of ERAS) {
      const { isError, said, code } = await call("plain", name, args, era)
      expect({ isError, code }).toEqual({ isError: true, code: "invalid_arguments" })
      expect(said).toContain(problem)
      expect(said).toContain(`plain__${name}`)
    }
  })

  it("C4 a schema that does not compile takes nothing away: its tool is called, with one warning", async () => {
    for (const name of ["broken_schema", "worse_schema"]) {
      for (let time = 0; time < 3; time++)
        expect(await call("plain", name, { a: time })).toMatchObject({ isError: false, said: `did ${name}` })
      await until(() => hub.stderr().includes(`plain__${name}`), "the warning")
      expect(hub.stderr().split(`plain__${name} are passed through unchecked`)).toHaveLength(2)
    }
  })
})

describe("limits", () => {
  it.each([
    ["slow", "hang", 150],
    ["whole", "hang", 220],
  ])("V14 a call of %s that hangs ends after its time, with a message that says so", async (server, tool, ms) => {
    const puppet = await stage.puppet(entries[server] as Json)
    for (const era of ERAS) {
      const { isError, said, code } = await call(server, tool, {}, era)
      expect({ isError, code }).toEqual({ isError: true, code: "timeout" })
      expect(said).toContain(`${server}__${tool} did not answer within ${ms} ms`)
      expect(said).toContain("timeoutMs")
    }
    const calls = puppet.received.filter(({ method }) => method === "tools/call")
    for (const { id } of calls)
      await puppet.seen(({ method, params }) => method === "notifications/cancelled" && params.requestId === id)
    expect(await call(server, "read")).toMatchObject({ isError: false })
  })

  it("V14 a caller may ask for less time, not for more", async () => {
    const { status, json } = await api("call", { tool: "whole__hang", timeoutMs: 40 })
    expect(status).toBe(504)
    expect(json.error).toMatchObject({ code: "timeout", data: { timeoutMs: 40 } })
    expect((await api("call", { tool: "whole__hang", timeoutMs: 99_999 })).json.error).toMatchObject({
      data: { timeoutMs: 220 },
    })
  })

  it("N9 beyond its concurrency calls wait in line; beyond the line they are refused at once", async () => {
    const puppet = await stage.puppet(entries.narrow as Json)
    const at = `${hub.url}/mcp/narrow`
    const calls = Array.from({ length: 20 }, () => modern(at, "tools/call", { name: "hang", arguments: {} }))
    // One is under way, sixteen wait, three are too many.
    const refused = await Promise.all(await waitFor(3, calls, ({ answer }) => (answer.result as Json).isError === true))
    for (const { answer } of refused) expect(metaOf(answer)["toolyard/error"]).toMatchObject({ code: "overloaded" })
    const isCall = ({ method }: { method?: string }): boolean => method === "tools/call"
    expect(puppet.received.filter(isCall)).toHaveLength(1)
    for (let index = 0; index < 17; index++) {
      await until(() => puppet.received.filter(isCall).length === index + 1, `call ${index}`)
      puppet.answer(puppet.received.filter(isCall)[index]?.id, text("ok"))
    }
    const answers = await Promise.all(calls)
    expect(answers.filter(({ answer }) => textOf(answer.result as Json) === "ok")).toHaveLength(17)
  })
})

/** The first `count` that settle and fit. */
async function waitFor<T>(count: number, all: Promise<T>[], fits: (value: T) => boolean): Promise<T[]> {
  const found: T[] = []
  return new Promise((resolve, reject) => {
    for (const one of all)
      one.then(value => {
        if (fits(value) && found.push(value) === count) resolve(found)
      }, reject)
  })
}

describe("a result of more than 5 MB", () => {
  it.each(ERAS)("C5 is shortened to a valid view, and the whole can be read (%s)", async era => {
    const at = `${hub.url}/mcp/plain`
    const { answer, text: body } = await ask(at, era, "tools/call", { name: "big" })
    const result = answer.result as { content: Json[]; _meta: Json; structuredContent: Json }
    expect(body.length).toBeLessThan(200_000)
    expect(BIG.startsWith((result.content[0] as { text: string }).text)).toBe(true)
    expect(result.structuredContent).toEqual({ small: 1 })
    const { uri, size } = result._meta["toolyard/overflow"] as { uri: string; size: number }
    expect(uri).toMatch(/^cid:\/\/\w+/)
    expect(size).toBe(Buffer.byteLength(bigResult))
    expect(result.content.at(-1)).toMatchObject({ type: "resource_link", uri, size })
    const read = await ask(at, era, "resources/read", { uri })
    const [contents] = listed(read.answer, "contents")
    const digest = (value: string): string => createHash("sha256").update(value).digest("hex")
    expect(digest(contents?.text as string)).toBe(digest(bigResult))
  })

  it.each(ERAS)("C5 may have millions of items (%s)", async era => {
    const at = `${hub.url}/mcp/plain`
    const { answer } = await ask(at, era, "tools/call", { name: "many" })
    const { uri, size } = metaOf(answer)["toolyard/overflow"] as { uri: string; size: number }
    expect(size).toBe(manyItems.length)
    const { answer: read } = await ask(at, era, "resources/read", { uri })
    expect(listed(read, "contents")[0]?.text === manyItems).toBe(true)
  })

  it.each(ERAS)("C5 that is not there any more is not found (%s)", async era => {
    const uri = "cid://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
    const { answer } = await ask(`${hub.url}/mcp/plain`, era, "resources/read", { uri })
    expect(answer.error?.code).toBe(era === "modern" ? -32602 : -32002)
  })
})

describe("an entry's own wishes", () => {
  it("T14 filters, new names and overrides decide what a server offers", async () => {
    const { answer } = await modern(`${hub.url}/mcp/shaped`, "tools/list")
    const tools = listed(answer)
    expect(tools.map(({ name }) => name)).toEqual(["read", "scribble", "worse_schema", "big"])
    expect(tools.at(-1)).toMatchObject({ title: "Big", description: "Ours.", annotations: { destructiveHint: true } })
    expect(await call("shaped", "scribble")).toMatchObject({ said: "did write" })
    expect(await call("all", "shaped__scribble")).toMatchObject({ said: "did write" })
    for (const gone of ["write", "silent", "pay", "wipe"])
      expect((await modern(`${hub.url}/mcp/shaped`, "tools/call", { name: gone })).answer.error?.code).toBe(-32602)
  })
})

describe("audit", () => {
  it("N9 has a row for every call with its outcome, and nothing of what was said", async () => {
    const session = await openSession(`${hub.url}/mcp/all`, { client: "auditor" })
    const secret = "tell-nobody-4711"
    await session.request("tools/call", { name: "plain__pay", arguments: { amount: 5, note: secret } })
    await session.request("tools/call", { name: "plain__fail", arguments: { note: secret } })
    await session.request("tools/call", { name: "plain__pay", arguments: { amount: secret } })
    await session.request("tools/call", { name: "slow__hang", arguments: { note: secret } })
    const { json } = await api("audit?limit=1000")
    const rows = (json.rows as Json[]).filter(row => row.client === "auditor")
    const outcome = (tool: string) => rows.filter(row => row.tool === tool).map(row => row.outcome)
    expect(outcome("plain__pay").toSorted()).toEqual(["ok", "refused"])
    expect(outcome("plain__fail")).toEqual(["tool-error"])
    expect(outcome("slow__hang")).toEqual(["failed"])
    for (const row of rows)
      expect(row).toMatchObject({ surface: "mcp", session: session.id, at: expect.any(Number), ms: expect.any(Number) })
    expect(rows.find(row => row.outcome === "failed")?.code).toBe("timeout")
    expect(rows.find(row => row.outcome === "refused")?.code).toBe("invalid_arguments")
    const all = JSON.stringify(json)
    for (const said of [secret, "no such file", "did pay"]) expect(all).not.toContain(said)
    const only = (await api("audit?server=slow")).json.rows as Json[]
    expect(new Set(only.map(row => row.server))).toEqual(new Set(["slow"]))
  })
})
