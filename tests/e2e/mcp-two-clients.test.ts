/**
 * Several clients at one server. A server behind a pipe does not say which call a question is for: it reaches the client
 * it is meant for, or it is refused with a reason, and never reaches another.
 */
import { Agent, request } from "node:http"
import type { Client } from "@modelcontextprotocol/client"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, type Era, textOf } from "./mcp-clients.ts"
import { type Json, type Message, openStage, type Puppet, type Stage, text } from "./mcp-stage.ts"

const TOOLS = [{ name: "work", inputSchema: { type: "object", properties: { who: { type: "string" } } } }]
const QUESTION = { message: "Your password?", requestedSchema: { type: "object", properties: {} } }
const PAIRS = ERAS.flatMap(first => ERAS.map(second => [first, second] as const))

let stage: Stage
let hub: Hub
const entries: Record<string, Json> = {}
const spare: string[] = []

/** How often a test that depends on time is tried on a busy machine. */
const ATTEMPTS = 6

beforeAll(async () => {
  stage = await openStage()
  // Calls are left open: each test decides what happens to them.
  const script = { tools: TOOLS, capabilities: { tools: {}, logging: {} }, on: { "tools/call": () => undefined } }
  for (let index = 0; index < 4 + 4 * PAIRS.length + ATTEMPTS; index++) {
    entries[`shared${index}`] = stage.entry(script)
    spare.push(`shared${index}`)
  }
  entries.modern = stage.entry({ ...script, era: "modern" })
  entries.quick = stage.entry(script, { timeoutMs: 300 })
  entries.own = stage.entry(script, { isolation: "session" })
  hub = await startHub({ mcpServers: entries })
  await hub.waitUp()
})
afterEach(closeClients)
afterAll(async () => {
  await stopAll()
  await stage.close()
})

interface Person {
  client: Client
  asked: Json[]
  /** Lets the client answer what it is asked; until then it thinks. */
  answer: () => void
}

/** A server that no other test has left anything at. */
async function freshServer(): Promise<{ server: string; puppet: Puppet }> {
  const server = spare.pop() as string
  return { server, puppet: await stage.puppet(entries[server] as Json) }
}

async function join(era: Era, server: string): Promise<Person> {
  const asked: Json[] = []
  let answer = (): void => {}
  const ready = new Promise<void>(resolve => {
    answer = resolve
  })
  const client = await connect(`${hub.url}/mcp/${server}`, era, {
    elicit: async params => {
      asked.push(params)
      await ready
      return { said: "yes" }
    },
  })
  return { client, asked, answer }
}

const isCallOf =
  (who: string) =>
  ({ method, params }: Message): boolean =>
    method === "tools/call" && (params.arguments as Json).who === who

let people = 0
/** Starts a call that stays open at the server. */
async function work(puppet: Puppet, { client }: Person, options: { signal?: AbortSignal } = {}) {
  const who = `caller ${++people}`
  const result = client.callTool({ name: "work", arguments: { who } }, options)
  result.catch(() => {})
  const { id } = await puppet.seen(isCallOf(who))
  return { result, finish: (said = who) => puppet.answer(id, text(said)), id, who }
}

const expectRefused = ({ result, error }: Message): void => {
  expect(result).toBeUndefined()
  expect(error?.message).toMatch(/several clients|no call is under way/)
}

describe.each(PAIRS)("a %s and a %s client at one shared server", (first, second) => {
  it("N8 a question while both have calls under way is refused with the reason, and nobody is asked", async () => {
    const { server, puppet } = await freshServer()
    const [ada, bob] = [await join(first, server), await join(second, server)]
    const [hers, his] = [await work(puppet, ada), await work(puppet, bob)]
    for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"])
      expectRefused(await puppet.ask(method, QUESTION))
    hers.finish("for ada")
    his.finish("for bob")
    expect(textOf(await hers.result)).toBe("for ada")
    expect(textOf(await his.result)).toBe("for bob")
    expect([...ada.asked, ...bob.asked]).toEqual([])
  })

  it("N8 a question while one has a call under way goes to that one", async () => {
    const { server, puppet } = await freshServer()
    const [ada, bob] = [await join(first, server), await join(second, server)]
    ada.answer()
    bob.answer()
    const hers = await work(puppet, ada)
    const his = await work(puppet, bob)
    his.finish()
    await his.result
    const { result } = await puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" })
    expect(result).toMatchObject({ action: "accept" })
    hers.finish()
    await hers.result
    expect(ada.asked).toMatchObject([{ message: "For Ada" }])
    expect(bob.asked).toEqual([])
  })

  it("N8 a late question of a call that its client gave up does not go to the other client", async () => {
    const { server, puppet } = await freshServer()
    const [ada, bob] = [await join(first, server), await join(second, server)]
    bob.answer()
    const leaving = new AbortController()
    const hers = await work(puppet, ada, { signal: leaving.signal })
    leaving.abort()
    await puppet.seen(({ method, params }) => method === "notifications/cancelled" && params.requestId === hers.id)
    const his = await work(puppet, bob)
    // The server has not looked at the cancellation yet: this is still Ada's question.
    expectRefused(await puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" }))
    his.finish()
    await his.result
    expect(bob.asked).toEqual([])
    // Its answer says that it is done with her call, so what it asks from now on is not hers.
    hers.finish()
    const next = await work(puppet, bob)
    const { result } = await puppet.ask("elicitation/create", { ...QUESTION, message: "For Bob" })
    expect(result).toMatchObject({ action: "accept" })
    next.finish()
    await next.result
  })

  it("N8 a late question of a call that took too long does not go to the other client", async () => {
    const puppet = await stage.puppet(entries.quick!)
    const [ada, bob] = [await join(first, "quick"), await join(second, "quick")]
    bob.answer()
    const hers = await work(puppet, ada)
    expect(textOf(await hers.result)).toContain("did not answer within 300 ms")
    const his = await work(puppet, bob)
    expectRefused(await puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" }))
    his.finish()
    await his.result
    expect(bob.asked).toEqual([])
    hers.finish()
  })

  // Known to fail for a client that goes away with a question: its call is taken to stand still until it comes back,
  // because one that never comes back would stop all others from asking (docs/decisions/05-questions-and-clients.md).
  const check = first === "modern" ? it.fails : it
  check("N8 a second question of a call whose client still thinks does not go to the other client", async () => {
    const { server, puppet } = await freshServer()
    const [ada, bob] = [await join(first, server), await join(second, server)]
    bob.answer()
    const hers = await work(puppet, ada)
    const question = puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" })
    await until(() => ada.asked.length > 0, "Ada to be asked")
    const his = await work(puppet, bob)
    // The same handler, working on two things at once: this one is for Ada as well, but only the server knows.
    await new Promise(resolve => setTimeout(resolve, 100))
    const another = puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada again" })
    const outcome = await Promise.race([another, until(() => bob.asked.length > 0, "Bob", 1000).catch(() => "unasked")])
    expect(bob.asked).toEqual([])
    expectRefused(outcome as Message)
    ada.answer()
    expect((await question).result).toMatchObject({ action: "accept" })
    hers.finish()
    his.finish()
    await Promise.all([hers.result, his.result])
  })
})

describe("two clients at one server", () => {
  it("N8 with the same request ids and progress tokens hear only of their own calls", async () => {
    const { server, puppet } = await freshServer()
    const people = [await join("legacy", server), await join("legacy", server), await join("modern", server)]
    const heard: number[][] = people.map(() => [])
    const calls = []
    for (const [index, { client }] of people.entries()) {
      const who = `progress ${index}`
      const onprogress = ({ progress }: { progress: number }) => void heard[index]!.push(progress)
      const result = client.callTool({ name: "work", arguments: { who } }, { onprogress })
      const { id, params } = await puppet.seen(isCallOf(who))
      calls.push({ id, token: (params._meta as Json).progressToken, result })
    }
    expect(new Set(calls.map(({ token }) => token)).size).toBe(3)
    for (const [index, { token }] of calls.entries())
      puppet.send({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, progress: index },
      })
    for (const { id } of calls.toReversed()) puppet.answer(id, text(String(id)))
    for (const { id, result } of calls) expect(textOf(await result)).toBe(String(id))
    expect(heard).toEqual([[0], [1], [2]])
  })

  it("N8 a log message that nobody can attribute goes to neither", async () => {
    const { server, puppet } = await freshServer()
    const [ada, bob] = [await join("legacy", server), await join("legacy", server)]
    const heard: unknown[] = []
    for (const { client } of [ada, bob])
      client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data))
    const [hers, his] = [await work(puppet, ada), await work(puppet, bob)]
    puppet.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "whose?" } })
    hers.finish()
    his.finish()
    await Promise.all([hers.result, his.result])
    expect(heard).toEqual([])
  })

  it.each(ERAS)(
    "N8 a call that one of them cancels is cancelled at a %s server, and the other's goes on",
    async era => {
      const { server, puppet } = await (era === "modern"
        ? { server: "modern", puppet: await stage.puppet(entries.modern as Json) }
        : freshServer())
      for (const [first, second] of PAIRS) {
        const [ada, bob] = [await join(first, server), await join(second, server)]
        const leaving = new AbortController()
        const [hers, his] = [await work(puppet, ada, { signal: leaving.signal }), await work(puppet, bob)]
        leaving.abort()
        await puppet.seen(({ method, params }) => method === "notifications/cancelled" && params.requestId === hers.id)
        await expect(hers.result).rejects.toThrow()
        hers.finish()
        his.finish()
        expect(textOf(await his.result)).toBe(his.who)
      }
    },
  )
})

describe("two programs behind one connection", () => {
  it("N8 a question for one of them does not go to the other", async () => {
    // Only questions that come within 50 ms of each other count as asked together (decision 5): on a machine that is too
    // busy for that, another attempt is made.
    for (let attempt = 1; ; attempt++) {
      const { outcome, ms } = await askTwice()
      if (outcome.result !== undefined && ms > 50 && attempt < ATTEMPTS) continue
      expectRefused(outcome)
      return
    }
  })

  async function askTwice(): Promise<{ outcome: Message; ms: number }> {
    const { server, puppet } = await freshServer()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const call = (client: string): Promise<Json> => callOver(agent, `${hub.url}/mcp/${server}`, client)
    const asking = call("ada")
    const hers = await puppet.seen(isCallOf("ada"))
    const askedAt = performance.now()
    void puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" })
    expect(await asking).toMatchObject({ result: { resultType: "input_required" } })
    const working = call("bob")
    const his = await puppet.seen(isCallOf("bob"))
    const again = puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada again" })
    try {
      const outcome = (await Promise.race([again, working])) as Message
      return { outcome, ms: performance.now() - askedAt }
    } finally {
      for (const { id } of [hers, his]) puppet.answer(id, text("done"))
      agent.destroy()
    }
  }
})

/** One call of a 2026-07-28 client that can be asked, over this agent's connection. */
function callOver(agent: Agent, url: string, who: string): Promise<Json> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    "io.modelcontextprotocol/clientInfo": { name: who, version: "1" },
  }
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "work",
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, agent }, response => {
      let body = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk
      })
      response.on("end", () => resolve(JSON.parse(body) as Json))
    })
    sent.on("error", reject)
    const params = { name: "work", arguments: { who }, _meta }
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
  })
}

describe('isolation: "session"', () => {
  it("N8 gives each client a process of its own, which asks only that client, and ends with its session", async () => {
    const before = stage.puppets(entries.own!).length
    const [ada, bob] = [await join("legacy", "own"), await join("legacy", "own")]
    ada.answer()
    bob.answer()
    const calls = [ada, bob].map(({ client }, index) =>
      client.callTool({ name: "work", arguments: { who: `own ${index}` } }),
    )
    const find = async (who: string): Promise<{ puppet: Puppet; id: Message["id"] }> => {
      let found: { puppet: Puppet; id: Message["id"] } | undefined
      await until(() => {
        for (const puppet of stage.puppets(entries.own!).slice(before)) {
          const call = puppet.received.find(isCallOf(who))
          if (call) found = { puppet, id: call.id }
        }
        return found !== undefined
      }, who)
      return found!
    }
    const [hers, his] = [await find("own 0"), await find("own 1")]
    expect(hers.puppet.pid).not.toBe(his.puppet.pid)
    const answers = await Promise.all([
      hers.puppet.ask("elicitation/create", { ...QUESTION, message: "For Ada" }),
      his.puppet.ask("elicitation/create", { ...QUESTION, message: "For Bob" }),
    ])
    for (const { result } of answers) expect(result).toMatchObject({ action: "accept" })
    expect(ada.asked).toMatchObject([{ message: "For Ada" }])
    expect(bob.asked).toMatchObject([{ message: "For Bob" }])
    hers.puppet.answer(hers.id, text("done"))
    his.puppet.answer(his.id, text("done"))
    await Promise.all(calls)

    const transport = ada.client.transport as unknown as { terminateSession(): Promise<void> }
    await transport.terminateSession()
    await hers.puppet.gone
    const again = bob.client.callTool({ name: "work", arguments: { who: "still here" } })
    const { id } = await his.puppet.seen(isCallOf("still here"))
    his.puppet.answer(id, text("yes"))
    expect(textOf(await again)).toBe("yes")
  })

  it("N8 what a client's own process says by itself reaches that client, and no other", async () => {
    const before = stage.puppets(entries.own!).length
    const [ada, bob] = [await join("legacy", "own"), await join("legacy", "own")]
    const heard: Record<string, unknown[]> = { ada: [], bob: [] }
    for (const [name, { client }] of Object.entries({ ada, bob })) {
      client.setNotificationHandler("notifications/message", ({ params }) => void heard[name]!.push(params.data))
      client.setNotificationHandler(
        "notifications/resources/updated",
        ({ params }) => void heard[name]!.push(params.uri),
      )
    }
    const call = ada.client.callTool({ name: "work", arguments: { who: "hers alone" } })
    const puppet = await stage.puppet(entries.own!, before)
    puppet.answer((await puppet.seen(isCallOf("hers alone"))).id, text("done"))
    await call
    // No call is under way any more.
    puppet.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "later" } })
    puppet.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "test://hers" } })
    await until(() => heard.ada!.length === 2, "Ada to hear")
    expect(heard).toEqual({ ada: ["later", "test://hers"], bob: [] })
  })

  it("N8 tells a client's process what that client can do, and nothing of others", async () => {
    const index = stage.puppets(entries.own!).length
    const client = await connect(`${hub.url}/mcp/own`, "legacy", { sample: () => "x" })
    const call = client.callTool({ name: "work", arguments: { who: "capable" } })
    const puppet = await stage.puppet(entries.own!, index)
    const { params } = await puppet.seen(({ method }) => method === "initialize")
    expect(params.capabilities).toEqual({ sampling: {} })
    puppet.answer((await puppet.seen(isCallOf("capable"))).id, text("ok"))
    await call
  })
})
