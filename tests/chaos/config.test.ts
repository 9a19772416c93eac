import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { modernRequest, openSession, RpcFailure, textOf } from "../fixtures/mcp-client.ts"
import { allGone, linesOf } from "../fixtures/processes.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

async function pids(hub: Hub): Promise<Record<string, number | undefined>> {
  return Object.fromEntries((await hub.servers()).map(({ name, pid }) => [name, pid]))
}

const logged = (hub: Hub, text: string | RegExp): Promise<void> =>
  until(
    () => (typeof text === "string" ? hub.stderr().includes(text) : text.test(hub.stderr())),
    () => `the log to say ${text}:\n${hub.stderr()}`,
  )

describe("the configuration, edited while the hub serves", () => {
  it.each([
    ["text that is no JSON", "}{ this is not json"],
    ["an empty file", ""],
    ["half of a file", '{ "mcpServers": { "a": { "command": '],
    ["a list", "[]"],
  ])("V2 to %s and back: everything goes on, with a warning", async (_what, nonsense) => {
    const config = { mcpServers: { a: rawServer(), b: rawServer() } }
    const hub = await startHub(config)
    await hub.waitUp()
    const before = await pids(hub)
    const session = await openSession(hub.url)
    const underWay = session.call("a__slow", { ms: 800 })

    hub.configure(nonsense)
    await logged(hub, "cannot be read; everything goes on as before")
    expect(await pids(hub)).toEqual(before)
    expect(textOf(await session.call("b__echo", { text: "on" }))).toBe("on")

    hub.configure(config)
    await logged(hub, "the configuration changed")
    expect(await pids(hub)).toEqual(before)
    expect(textOf(await underWay)).toBe("after 800 ms")
  })

  it("adds, changes and removes exactly the servers whose entries did, and tells its clients", async () => {
    const spawned = join(tempFolder(), "spawned")
    const a = rawServer("--spawn-log", spawned)
    const hub = await startHub({ mcpServers: { a, b: rawServer("--name", "one") } })
    await hub.waitUp()
    const first = await pids(hub)
    const session = await openSession(hub.url)
    // A client that came before this edit and after all others hears of it.
    const edit = async (mcpServers: object): Promise<void> => {
      const watcher = await openSession(hub.url)
      await watcher.listen()
      hub.configure({ mcpServers })
      await watcher.hear("notifications/tools/list_changed")
      await watcher.close()
    }

    await edit({ a, b: rawServer("--name", "one"), c: rawServer() })
    await hub.waitUp("c")
    expect(textOf(await session.call("c__echo", { text: "new" }))).toBe("new")
    expect(await pids(hub)).toMatchObject(first)

    await edit({ a, b: rawServer("--name", "two"), c: rawServer() })
    await until(async () => {
      const { b } = await pids(hub)
      return b !== undefined && b !== first.b
    }, "b to be started again")
    expect((await pids(hub)).a).toBe(first.a)
    await allGone([first.b as number])

    const last = await pids(hub)
    await edit({ a })
    expect(Object.keys(await pids(hub))).toEqual(["a"])
    await allGone([last.b as number, last.c as number])
    await expect(session.call("c__echo", { text: "x" })).rejects.toThrow(RpcFailure)
    // Nothing of all this touched the one whose entry stayed.
    expect(linesOf(spawned)).toEqual([String(first.a)])
    expect(textOf(await session.call("a__echo", { text: "on" }))).toBe("on")
  })

  it("tells clients of the newer era as well, on their streams", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const changed = Promise.withResolvers<void>()
    const acknowledged = Promise.withResolvers<void>()
    const leaving = new AbortController()
    const wanted = { notifications: { toolsListChanged: true } }
    const stream = modernRequest(hub.url, "subscriptions/listen", wanted, {
      signal: leaving.signal,
      onMessage: ({ method }) => {
        if (method === "notifications/subscriptions/acknowledged") acknowledged.resolve()
        if (method === "notifications/tools/list_changed") changed.resolve()
      },
    }).catch(() => {})
    await acknowledged.promise
    hub.configure({ mcpServers: {} })
    await changed.promise
    const { tools } = (await modernRequest(hub.url, "tools/list")) as { tools: unknown[] }
    expect(tools).toEqual([])
    leaving.abort()
    await stream
  })

  it("ends a call under way at a server that is removed with an error, and only that call", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer(), b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const removed = session.call("a__hang")
    const kept = session.call("b__slow", { ms: 500 })
    await until(
      async () => (await hub.metric('toolyard_calls_under_way{server="a"}')) === 1,
      "the call to be under way",
    )
    hub.configure({ mcpServers: { b: rawServer() } })
    expect((await removed).isError).toBe(true)
    expect(textOf(await kept)).toBe("after 500 ms")
  })

  it("settles on the last of many edits in a row", async () => {
    const spawned = join(tempFolder(), "spawned")
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    for (let n = 0; n < 20; n++)
      hub.configure({ mcpServers: { a: rawServer("--name", `${n}`, "--spawn-log", spawned) } })
    hub.configure({ mcpServers: { z: rawServer("--spawn-log", spawned) } })
    await hub.waitUp("z")
    expect((await hub.servers()).map(({ name }) => name)).toEqual(["z"])
    const { z } = await pids(hub)
    await allGone(
      linesOf(spawned)
        .map(Number)
        .filter(pid => pid !== z),
    )
  })
})
