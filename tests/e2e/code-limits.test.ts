/** What a script may use up and where it may reach: each limit has its error, which names the key that raises it. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"

const LIMITS = {
  timeoutMs: 4_000,
  cpuMs: 100,
  memoryMb: 16,
  maxCalls: 5,
  maxCallsInFlight: 2,
  maxLogBytes: 1_000,
  maxResultBytes: 20_000,
}

let yard: CodeYard
let agent: Agent
beforeAll(async () => {
  yard = await openCodeYard({ sandbox: LIMITS })
  agent = await openAgent(yard.hub.url, "modern")
})
afterEach(() => yard.called())
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const LOOP = "for (let i = 0; i < 6; i++) await tools.math.add({ a: i, b: 1 })"

describe("a limit", () => {
  it.each<[string, keyof typeof LIMITS, string]>([
    ["limit_time", "timeoutMs", "await new Promise(resolve => setTimeout(resolve, 60_000))"],
    ["limit_time", "timeoutMs", "await tools.notes.hang({})"],
    ["limit_cpu", "cpuMs", "for (;;) {}"],
    ["limit_cpu", "cpuMs", "await null; while (true) { await null }"],
    ["limit_memory", "memoryMb", "const all = []; for (;;) all.push(new Uint8Array(1_000_000).fill(1))"],
    ["limit_calls", "maxCalls", LOOP],
    ["limit_calls_in_flight", "maxCallsInFlight", "await Promise.all([1, 2, 3].map(a => tools.math.add({ a, b: 1 })))"],
    ["limit_logs", "maxLogBytes", "for (let i = 0; i < 100; i++) console.log('x'.repeat(50))"],
    ["limit_result", "maxResultBytes", "return 'x'.repeat(30_000)"],
    ["limit_result", "maxResultBytes", "await tools.notes.addNote({ title: 'x'.repeat(30_000) })"],
    ["limit_result", "maxResultBytes", "await tools.math.big({ length: 30_000 })"],
  ])("T11 %s names sandbox.%s (%s)", async (code, key, script) => {
    const { status, error, text, isError } = await agent.execute(script)
    expect({ status, isError, code: error?.code }).toEqual({ status: "failed", isError: true, code })
    expect(error?.hint).toContain(`sandbox.${key}`)
    expect(text).toContain(`sandbox.${key}`)
    expect(`${error?.message} ${JSON.stringify(error?.data)}`).toContain(String(LIMITS[key]))
    expect(await agent.execute("1 + 1")).toMatchObject({ value: 2 })
  })

  it("that is reached still reports the calls and the logs before it", async () => {
    const { status, calls, logs } = await agent.execute(`console.log("begun")
      await tools.math.add({ a: 1, b: 1 })
      for (;;) {}`)
    expect({ status, logs }).toEqual({ status: "failed", logs: ["begun"] })
    expect(calls).toMatchObject([{ tool: "math__add", status: "ok" }])
  })

  it("of calls can be caught by the script, which then ends well", async () => {
    const { value, calls } = await agent.execute(`try { ${LOOP} } catch (error) { return error.code }`)
    expect(value).toBe("limit_calls")
    expect(calls.filter(({ status }) => status === "ok")).toHaveLength(5)
  })

  it.each(ERAS)("of time may be set for one run (%s)", async era => {
    const own = await openAgent(yard.hub.url, era)
    const { error } = await own.execute({ code: "await tools.notes.hang({})", timeoutMs: 100 })
    expect(error).toMatchObject({ code: "limit_time", message: "the run took longer than 100 ms" })
    expect(error?.hint).toContain("`timeoutMs` of the run")
  })

  it("of time ends the calls that are under way at their servers", async () => {
    const { calls } = await agent.execute({ code: "await tools.notes.hang({})", timeoutMs: 100 })
    expect(calls).toMatchObject([{ tool: "notes__hang" }])
    const { id } = await yard.heard(({ method, params }) => method === "tools/call" && params.name === "hang")
    await yard.heard(({ method, params }) => method === "notifications/cancelled" && params.requestId === id)
  })

  it("can be raised while the hub runs", async () => {
    yard.hub.configure(yard.config({ sandbox: { ...LIMITS, maxCalls: 10 } }))
    await expect.poll(async () => (await agent.execute(LOOP)).status).toBe("completed")
    yard.hub.configure(yard.config())
    await expect.poll(async () => (await agent.execute(LOOP)).error?.code).toBe("limit_calls")
  })
})

describe("fetch", () => {
  let web: Server
  let site: string
  let asked: string[]
  beforeAll(async () => {
    asked = []
    web = createServer((request, response) => {
      asked.push(request.url as string)
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"from":"the web"}')
    })
    await new Promise<void>(resolve => web.listen(0, "127.0.0.1", resolve))
    site = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  })
  afterAll(() => web.close())
  afterEach(() => void asked.splice(0))

  const get = (url = site): string => `return (await (await fetch("${url}/x")).json()).from`

  it.each(ERAS)("T11 reaches nothing by default, and says which host and how to allow it (%s)", async era => {
    const own = await openAgent(yard.hub.url, era)
    const { error, calls, text } = await own.execute(`\n${get()}`)
    expect(error).toMatchObject({ code: "fetch_refused", line: 2 })
    expect(error?.message).toContain("127.0.0.1")
    expect(text).toContain("sandbox.network")
    expect(calls).toMatchObject([{ tool: "fetch", status: "error", error: { code: "fetch_refused" } }])
    expect(asked).toEqual([])
  })

  it.each(["http://169.254.169.254/latest/meta-data", "http://localhost:1/", "file:///etc/passwd", "http://[::1]/"])(
    "T11 does not reach %s either",
    async url => {
      const { error } = await agent.execute(`return await (await fetch("${url}")).text()`)
      expect(error?.code).toBe("fetch_refused")
    },
  )

  it("G11 reaches what sandbox.network names, which is counted as a call", async () => {
    const hub = await startHub(yard.config({ sandbox: { network: ["127.0.0.1"] } }))
    const own = await openAgent(hub.url, "modern")
    expect(await own.execute(get())).toMatchObject({ value: "the web", calls: [{ tool: "fetch", status: "ok" }] })
    expect(asked).toEqual(["/x"])
    expect(await own.execute(get("http://example.com"))).toMatchObject({ error: { code: "fetch_refused" } })
    await hub.stop()
  })

  describe("with a host that stands at one server", () => {
    let hub: Hub
    let own: Agent
    beforeAll(async () => {
      const { notes, math } = yard.entries
      hub = await startHub({ mcpServers: { notes: { ...notes, network: ["127.0.0.1"] }, math } })
      await hub.waitUp()
      own = await openAgent(hub.url, "legacy")
    })
    afterAll(() => hub.stop())

    it("G11 reaches it in a script that uses the server", async () => {
      expect(await own.execute(`await tools.notes.listNotes({})\n${get()}`)).toMatchObject({ value: "the web" })
      expect(asked).toEqual(["/x"])
    })

    it.each([
      ["uses another", "await tools.math.add({ a: 1, b: 2 })"],
      ["uses none", ""],
    ])("G11 does not reach it in a script that %s", async (_what, code) => {
      expect(await own.execute(`${code}\n${get()}`)).toMatchObject({ error: { code: "fetch_refused" } })
      expect(asked).toEqual([])
    })
  })

  it("holds the first fetch until the check has passed", async () => {
    const hub = await startHub(yard.config({ sandbox: { network: ["127.0.0.1"] } }))
    const own = await openAgent(hub.url, "modern")
    const { error } = await own.execute(`await fetch("${site}/early")\nconst n: number = "x"`)
    expect(error?.code).toBe("type_error")
    expect(asked).toEqual([])
    await hub.stop()
  })
})
