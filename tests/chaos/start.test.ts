import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { errorOf, modernCall, openSession, type Session, textOf } from "../fixtures/mcp-client.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

async function toolNames(session: Session): Promise<string[]> {
  const { tools } = (await session.request("tools/list")) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

const echoes = (hub: Hub, names: string[]): Promise<string[]> =>
  Promise.all(names.map(async name => textOf(await modernCall(hub.url, `${name}__echo`, { text: name }))))

describe("a server that does not start", () => {
  it("C4 is retried ever later, and everybody can see why and when", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--exit-at-once") } })
    const failed = async (times: number): Promise<boolean> => {
      const { state, attempts } = await hub.server("a")
      return state === "down" && (attempts ?? 0) >= times
    }
    await until(() => failed(4), "it to fail four times")
    const { state, reason, tools, nextRetryAt, attempts = 0, since } = await hub.server("a")
    expect({ state, tools }).toEqual({ state: "down", tools: 0 })
    expect(reason).toContain("exit code 3")
    expect(reason).toContain("the license has expired")
    expect(Date.parse(String(nextRetryAt))).toBeGreaterThan(Date.now())
    // Doubled with every failure, and at least half of that.
    const pause = Date.parse(String(nextRetryAt)) - Date.parse(String(since))
    expect(pause).toBeGreaterThanOrEqual(50 * 2 ** (attempts - 1) - 5)
    expect(pause).toBeLessThanOrEqual(100 * 2 ** (attempts - 1) + 100)
    expect(hub.stderr()).toContain("the license has expired")

    const result = await modernCall(hub.url, "a__echo", { text: "x" })
    expect(errorOf(result)).toMatchObject({ code: "server_down" })
    expect(textOf(result)).toContain("the license has expired")
  })

  it("C6 but does so later: its tools appear by themselves, and clients are told", async () => {
    const file = join(tempFolder(), "license")
    const hub = await startHub({ mcpServers: { a: rawServer("--needs", file), b: rawServer() } })
    await hub.waitUp("b")
    const session = await openSession(hub.url)
    await session.listen()
    expect(await toolNames(session)).not.toContain("a__echo")
    writeFileSync(file, "")
    await session.hear("notifications/tools/list_changed")
    const names = await toolNames(session)
    expect(names).toContain("a__echo")
    // The order is that of the configuration, not of arrival.
    expect(names.indexOf("a__echo")).toBeLessThan(names.indexOf("b__echo"))
    expect(await echoes(hub, ["a"])).toEqual(["a"])
  })

  const nine = Array.from({ length: 9 }, (_, n) => `good${n}`)
  const broken: Record<string, object> = {
    "ends at once": rawServer("--exit-at-once"),
    "never answers": rawServer("--hang-init"),
    "is no program": { command: "no-such-program-anywhere" },
    "has no folder": { ...rawServer(), cwd: "/no/such/folder" },
    "is not there": { type: "http", url: "http://127.0.0.1:9/mcp" },
    "lacks a variable": { ...rawServer(), env: { KEY: "${TOOLYARD_TEST_NOT_SET}" } },
    "floods its log": rawServer("--hang-init", "--flood-stderr"),
    "is no MCP server": { command: process.execPath, args: ["-e", "console.log('hello')"] },
    "is nonsense": { type: 5, url: [] },
  }
  it.each(Object.keys(broken))("C4 one of ten %s: the nine serve at once", async kind => {
    const started = performance.now()
    const entries = nine.map(name => [name, rawServer()])
    const hub = await startHub({ mcpServers: Object.fromEntries([["bad", broken[kind]], ...entries]) })
    await hub.waitUp(...nine)
    expect(await echoes(hub, nine)).toEqual(nine)
    expect(performance.now() - started).toBeLessThan(10_000)
    // So many definitions that /mcp would offer code mode.
    const names = await toolNames(await openSession(hub.url, { server: "all" }))
    for (const name of nine) expect(names).toContain(`${name}__echo`)
    const bad = (await hub.servers()).find(({ name }) => name === "bad")
    if (kind === "is nonsense") expect(hub.stderr()).toMatch(/toolyard\.json:\d+.*bad/)
    else expect(bad?.state).toMatch(/down|connecting|disabled/)
  })
})

describe("servers that start slowly", () => {
  it("all start at the same time", async () => {
    const names = Array.from({ length: 10 }, (_, n) => `s${n}`)
    const entries = names.map(name => [name, rawServer("--slow-start", "1500")])
    const started = performance.now()
    const hub = await startHub({ mcpServers: Object.fromEntries(entries) })
    await hub.waitUp(...names)
    // One after the other they would take fifteen seconds.
    expect(performance.now() - started).toBeLessThan(7_500)
    expect(await echoes(hub, names)).toEqual(names)
  })

  it("G5 are listed at once from the last time, and a call waits for them", async () => {
    const gate = join(tempFolder(), "gate")
    writeFileSync(gate, "")
    const config = { mcpServers: { a: rawServer("--gate", gate) } }
    const first = await startHub(config)
    await first.waitUp()
    const before = await toolNames(await openSession(first.url))
    await first.stop()

    rmSync(gate)
    const hub = await startHub(config, { folder: first.folder })
    const session = await openSession(hub.url)
    expect(await toolNames(session)).toEqual(before)
    expect((await hub.server("a")).state).toBe("connecting")
    const call = session.call("a__echo", { text: "patience" })
    await until(async () => (await hub.metric('toolyard_calls_under_way{server="a"}')) === 1, "the call to wait")
    writeFileSync(gate, "")
    expect(textOf(await call)).toBe("patience")
  })

  it("G5 are listed from the last time even when they no longer start at all", async () => {
    const file = join(tempFolder(), "license")
    writeFileSync(file, "")
    const config = { mcpServers: { a: rawServer("--needs", file), b: rawServer() } }
    const first = await startHub(config)
    await first.waitUp()
    const before = await toolNames(await openSession(first.url))
    await first.stop()

    rmSync(file)
    const hub = await startHub(config, { folder: first.folder })
    const session = await openSession(hub.url)
    expect(await toolNames(session)).toEqual(before)
    await until(async () => ((await hub.server("a")).attempts ?? 0) >= 2, "it to fail more than once")
    expect(await toolNames(session)).toEqual(before)
    const result = await session.call("a__echo", { text: "x" })
    expect(errorOf(result)).toMatchObject({ code: "server_down" })
    expect(textOf(result)).toContain("the license has expired")
    expect(textOf(await session.call("b__echo", { text: "fine" }))).toBe("fine")
  })
})
