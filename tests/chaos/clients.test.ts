import { afterEach, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll } from "../fixtures/hub.ts"
import { modernCall, modernRequest, openSession, textOf } from "../fixtures/mcp-client.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

const CLIENTS = 200
const MB = 1024 * 1024
const each = <T>(work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CLIENTS }, (_, n) => work(n)))

const noSessions = (hub: Hub): Promise<void> =>
  until(async () => (await hub.metric("toolyard_sessions")) === 0, "the sessions to end")

async function legacyWave(hub: Hub): Promise<void> {
  const sessions = await each(async n => {
    const session = await openSession(hub.url)
    await session.listen()
    expect(textOf(await session.call("a__echo", { text: `${n}` }))).toBe(`${n}`)
    return session
  })
  expect(await hub.metric("toolyard_sessions")).toBe(CLIENTS)
  await Promise.all(sessions.map(session => session.close()))
  await noSessions(hub)
}

async function modernWave(hub: Hub): Promise<void> {
  const leaving = new AbortController()
  const streams: Promise<unknown>[] = []
  await each(async n => {
    const acknowledged = Promise.withResolvers<void>()
    const wanted = { notifications: { toolsListChanged: true } }
    const options = { signal: leaving.signal, onMessage: () => acknowledged.resolve() }
    streams.push(modernRequest(hub.url, "subscriptions/listen", wanted, options).catch(() => {}))
    await acknowledged.promise
    expect(textOf(await modernCall(hub.url, "a__echo", { text: `${n}` }))).toBe(`${n}`)
  })
  leaving.abort()
  await Promise.all(streams)
}

/** The older transport: the stream is the session. */
async function sseWave(hub: Hub): Promise<void> {
  const leaving = new AbortController()
  const options = { headers: { Accept: "text/event-stream" }, signal: leaving.signal }
  // Held on to: a response that nobody can reach any more is closed by the garbage collector.
  const responses = await each(() => fetch(`${hub.url}/mcp/a/sse`, options))
  expect(responses.every(({ status }) => status === 200)).toBe(true)
  expect(await hub.metric("toolyard_sessions")).toBe(CLIENTS)
  leaving.abort()
  await Promise.allSettled(responses.map(response => response.text()))
  await noSessions(hub)
}

describe("two hundred clients that come and go", () => {
  it("leave nothing behind, wave after wave", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const waves = async (): Promise<number> => {
      await legacyWave(hub)
      await modernWave(hub)
      await sseWave(hub)
      return hub.metric("toolyard_memory_bytes")
    }
    await waves()
    const second = await waves()
    const third = await waves()
    expect(third - second).toBeLessThan(60 * MB)
    expect(await hub.metric('toolyard_calls_under_way{server="a"}')).toBe(0)
    expect((await hub.server("a")).state).toBe("up")
  })

  it("and vanish in the middle of a call: the calls are given up, the server serves on", async () => {
    const hub = await startHub({ mcpServers: { a: { ...rawServer(), concurrency: CLIENTS } } })
    await hub.waitUp()
    const underWay = 'toolyard_calls_under_way{server="a"}'
    const leaving = new AbortController()
    const calls = each(() => modernCall(hub.url, "a__hang", {}, { signal: leaving.signal }).catch(() => "left"))
    await until(async () => (await hub.metric(underWay)) === CLIENTS, "all calls to be under way")
    leaving.abort()
    expect(new Set(await calls)).toEqual(new Set(["left"]))
    await until(async () => (await hub.metric(underWay)) === 0, "all calls to be given up")
    expect(textOf(await modernCall(hub.url, "a__cancelled"))).toBe(String(CLIENTS))
  })
})
