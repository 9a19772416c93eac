import { afterEach, describe, expect, it } from "vitest"
import { rawServer, startHub, stopAll } from "../fixtures/hub.ts"
import { errorOf, modernCall, openSession, textOf } from "../fixtures/mcp-client.ts"
import { type Misbehaviour, type RawHttpServer, type Refusal, startRawHttpServer } from "../fixtures/raw-http-server.ts"
import { until } from "../fixtures/until.ts"

const servers: RawHttpServer[] = []
async function startServer(port?: number): Promise<RawHttpServer> {
  const server = await startRawHttpServer(port)
  servers.push(server)
  return server
}

afterEach(async () => {
  await stopAll()
  await Promise.all(servers.splice(0).map(server => server.close()))
})

describe("a server over HTTP", () => {
  it.each<[Misbehaviour, string]>([
    ["drop", "server_down"],
    ["half", "upstream_crashed"],
    ["bad-gateway", "server_down"],
    ["page", "upstream_bad_reply"],
    ["hang", "timeout"],
  ])("that answers a call with %j: the call gets the typed error %s, the next one works", async (how, code) => {
    const server = await startServer()
    const a = { type: "http", url: server.url, timeoutMs: 1_500 }
    const hub = await startHub({ mcpServers: { a, b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    server.misbehaviour = how
    const failing = session.call("a__echo", { text: "x" })
    expect(textOf(await session.call("b__echo", { text: "meanwhile" }))).toBe("meanwhile")
    const result = await failing
    expect(errorOf(result)).toMatchObject({ code })
    server.misbehaviour = "none"
    expect(textOf(await session.call("a__echo", { text: "next" }))).toBe("next")
  })

  it.each<Refusal>(["404 in JSON", "404 in text", "400 in JSON"])(
    "that forgets the hub's session and says so by %s: no call fails, none is carried out twice",
    async refusal => {
      const server = await startServer()
      const hub = await startHub({ mcpServers: { a: { type: "http", url: server.url } } })
      await hub.waitUp()
      expect(server.introductions).toBe(1)
      server.forget(refusal)
      expect(textOf(await modernCall(hub.url, "a__echo", { text: "one" }))).toBe("one")
      expect(server.introductions).toBe(2)

      server.forget(refusal)
      const texts = Array.from({ length: 20 }, (_, n) => `${n}`)
      const answers = await Promise.all(texts.map(text => modernCall(hub.url, "a__echo", { text })))
      expect(answers.map(textOf)).toEqual(texts)
      expect(server.calls).toBe(21)
      expect(server.introductions).toBe(3)
    },
  )

  it("that fails one call: the others under way still get their answers", async () => {
    const server = await startServer()
    const hub = await startHub({ mcpServers: { a: { type: "http", url: server.url } } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    server.misbehaviour = "hang"
    const slow = session.call("a__echo", { text: "slow" })
    await until(() => server.held === 1, "the slow call to arrive")
    server.misbehaviour = "bad-gateway"
    expect(errorOf(await session.call("a__echo", { text: "x" }))).toMatchObject({ code: "server_down" })
    server.misbehaviour = "none"
    expect(textOf(await session.call("a__echo", { text: "next" }))).toBe("next")
    server.release()
    expect(textOf(await slow)).toBe("slow")
  })

  it("that goes away and comes back: calls say so meanwhile, and work again by themselves", async () => {
    const server = await startServer()
    const hub = await startHub({ mcpServers: { a: { type: "http", url: server.url }, b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    await server.close()
    const refused = await session.call("a__echo", { text: "x" })
    expect(errorOf(refused)).toMatchObject({ code: "server_down" })
    expect(textOf(refused)).toContain("ECONNREFUSED")
    expect(textOf(await session.call("b__echo", { text: "fine" }))).toBe("fine")

    await startServer(server.port)
    await until(async () => !(await session.call("a__echo", { text: "back" })).isError, "it to be back")
    expect(await hub.server("a")).toMatchObject({ state: "up" })
  })
})
