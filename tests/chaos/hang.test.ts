import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { errorOf, modernCall, openSession, RpcFailure, textOf } from "../fixtures/mcp-client.ts"
import { isAlive, linesOf } from "../fixtures/processes.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

describe("a server that hangs", () => {
  it("V14 on a call: the call ends with a message that says so, nothing else waits, the next call works", async () => {
    const hub = await startHub({ mcpServers: { a: { ...rawServer(), timeoutMs: 700 }, b: rawServer() } })
    await hub.waitUp()
    const { pid } = await hub.server("a")
    const session = await openSession(hub.url)
    const hanging = session.call("a__hang")
    let ended = false
    void hanging.then(() => {
      ended = true
    })
    expect(textOf(await session.call("b__echo", { text: "other server" }))).toBe("other server")
    expect(textOf(await session.call("a__echo", { text: "same server" }))).toBe("same server")
    expect(ended).toBe(false)

    const result = await hanging
    expect(errorOf(result)).toMatchObject({ code: "timeout" })
    expect(textOf(result)).toContain("a__hang did not answer within 700 ms")
    expect(textOf(result)).toContain("timeoutMs")
    expect(textOf(await session.call("a__echo", { text: "next" }))).toBe("next")
    // It was told that nobody waits any more, and it is still the same process.
    expect(textOf(await session.call("a__cancelled"))).toBe("1")
    expect((await hub.server("a")).pid).toBe(pid)
  })

  it("V14 on every call: a tool's own limit counts, and what hangs uses up no place for ever", async () => {
    const a = { ...rawServer("--hang-call"), timeoutMs: 60_000, concurrency: 2, tools: { echo: { timeoutMs: 150 } } }
    const hub = await startHub({ mcpServers: { a } })
    await hub.waitUp()
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) => modernCall(hub.url, "a__echo", { text: `${n}` })),
    )
    expect(results.map(result => errorOf(result)?.code)).toEqual(Array.from({ length: 6 }, () => "timeout"))
    expect(await hub.metric('toolyard_calls_under_way{server="a"}')).toBe(0)
  })

  it("on a call that its client gives up: the server hears of it, in both eras", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const underWay = 'toolyard_calls_under_way{server="a"}'

    const leaving = new AbortController()
    const modern = modernCall(hub.url, "a__hang", {}, { signal: leaving.signal })
    await until(async () => (await hub.metric(underWay)) === 1, "the call to be under way")
    leaving.abort()
    await expect(modern).rejects.toThrow("abort")
    await until(async () => (await hub.metric(underWay)) === 0, "the call to be given up")

    const legacy = session.call("a__hang", {}, { id: "mine" })
    await until(async () => (await hub.metric(underWay)) === 1, "the call to be under way")
    await session.notify("notifications/cancelled", { requestId: "mine" })
    await expect(legacy).rejects.toBeInstanceOf(RpcFailure)
    expect(textOf(await session.call("a__cancelled"))).toBe("2")
  })

  it("on its start: it is shown as connecting, its calls are refused in time, the others serve", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--hang-init"), b: rawServer() } })
    await hub.waitUp("b")
    const session = await openSession(hub.url)
    expect(textOf(await session.call("b__echo", { text: "fine" }))).toBe("fine")
    const { tools } = (await session.request("tools/list")) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain("b__echo")
    expect(await hub.server("a")).toMatchObject({ state: "connecting", tools: 0 })

    const asked = performance.now()
    const result = await session.call("a__echo", { text: "x" })
    expect(errorOf(result)).toMatchObject({ code: "server_down", message: "a is connecting" })
    expect(performance.now() - asked).toBeLessThan(15_000)
  })

  it("on its start: the hub still ends at once, and the process with it", async () => {
    const spawned = join(tempFolder(), "spawned")
    const entry = rawServer("--hang-init", "--spawn-log", spawned)
    const hub = await startHub({ mcpServers: { a: entry, b: entry } })
    await until(() => linesOf(spawned).length === 2, "both to be started")
    const pids = linesOf(spawned).map(Number)
    expect(pids.filter(isAlive)).toEqual(pids)
    const asked = performance.now()
    expect(await hub.stop()).toBe(0)
    expect(performance.now() - asked).toBeLessThan(5_000)
    expect(pids.filter(isAlive)).toEqual([])
  })
})
