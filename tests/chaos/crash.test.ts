import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { errorOf, modernCall, openSession, type ToolResult, textOf } from "../fixtures/mcp-client.ts"
import { linesOf } from "../fixtures/processes.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

/** Far below every time-out of the hub: what takes less did not wait for one. */
const AT_ONCE_MS = 5_000

const pidOf = async (hub: Hub, name: string): Promise<number> => (await hub.server(name)).pid as number

describe("a server that is killed", () => {
  it("before a call: the call starts it again and works", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const before = await pidOf(hub, "a")
    const session = await openSession(hub.url)
    process.kill(before, "SIGKILL")
    await until(async () => (await hub.server("a")).pid !== before, "the hub to notice")
    expect(textOf(await session.call("a__echo", { text: "still here" }))).toBe("still here")
    expect(await pidOf(hub, "a")).not.toBe(before)
  })

  it.each(["legacy", "modern"])(
    "during a call of a %s client: that call gets a typed error at once, others go on, the next one works",
    async era => {
      const calls = join(tempFolder(), "calls")
      const hub = await startHub({ mcpServers: { a: rawServer("--call-log", calls), b: rawServer() } })
      await hub.waitUp()
      const session = await openSession(hub.url)
      const call = (name: string, args: object): Promise<ToolResult> =>
        era === "legacy" ? session.call(name, { ...args }) : modernCall(hub.url, name, { ...args })

      const doomed = call("a__slow", { ms: 600_000 })
      const other = call("b__slow", { ms: 300 })
      await until(() => linesOf(calls).includes("slow"), "the call to arrive")
      const killed = performance.now()
      process.kill(await pidOf(hub, "a"), "SIGKILL")

      const result = await doomed
      expect(performance.now() - killed).toBeLessThan(AT_ONCE_MS)
      expect(result.isError).toBe(true)
      expect(errorOf(result)).toMatchObject({ code: "upstream_crashed" })
      expect(textOf(result)).toContain("SIGKILL")
      expect(textOf(await other)).toBe("after 300 ms")
      expect(textOf(await call("a__echo", { text: "again" }))).toBe("again")
    },
  )

  it("fails every one of many calls under way, each exactly once", async () => {
    const calls = join(tempFolder(), "calls")
    const hub = await startHub({ mcpServers: { a: rawServer("--call-log", calls) } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const doomed = Array.from({ length: 20 }, () => session.call("a__hang"))
    await until(() => linesOf(calls).length === 20, "the calls to arrive")
    process.kill(await pidOf(hub, "a"), "SIGKILL")
    const codes = (await Promise.all(doomed)).map(result => errorOf(result)?.code)
    expect(codes).toEqual(Array.from({ length: 20 }, () => "upstream_crashed"))
    expect(await hub.metric('toolyard_calls_under_way{server="a"}')).toBe(0)
    expect(await hub.metric('toolyard_calls_total{server="a",outcome="failed"}')).toBe(20)
  })

  it("after its answer: the answer is not lost, also while many end at once", async () => {
    const names = Array.from({ length: 10 }, (_, n) => `s${n}`)
    const hub = await startHub({ mcpServers: Object.fromEntries(names.map(name => [name, rawServer()])) })
    await hub.waitUp()
    const session = await openSession(hub.url)
    for (const bytes of [10, 60_000]) {
      const answers = await Promise.all(names.map(name => session.call(`${name}__last_words`, { bytes })))
      for (const answer of answers) {
        expect(errorOf(answer)).toBeUndefined()
        expect(textOf(answer)).toBe("w".repeat(bytes))
      }
      await hub.waitUp()
    }
  })

  it("C4 gives the model an error it can act on when the server ends itself without an answer", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const result = await modernCall(hub.url, "a__die")
    expect(errorOf(result)).toMatchObject({ code: "upstream_crashed" })
    expect(textOf(result)).toContain("exit code 7")
    expect(textOf(result)).toContain("may or may not have had its effect")
  })

  it("is started once, however many calls come while it is down", async () => {
    const spawned = join(tempFolder(), "spawned")
    const hub = await startHub({ mcpServers: { a: rawServer("--spawn-log", spawned, "--slow-start", "300") } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    expect(linesOf(spawned)).toHaveLength(1)
    const before = await pidOf(hub, "a")
    process.kill(before, "SIGKILL")
    await until(async () => (await hub.server("a")).pid !== before, "the hub to notice")
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => session.call("a__echo", { text: `call ${n}` })),
    )
    expect(answers.map(textOf)).toEqual(Array.from({ length: 50 }, (_, n) => `call ${n}`))
    expect(linesOf(spawned)).toHaveLength(2)
  })

  it("again and again: the hub backs off, says so, and serves the others", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer(), b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    for (let n = 0; n < 3; n++) {
      await until(async () => (await hub.server("a")).state === "up", "the server to come back")
      process.kill(await pidOf(hub, "a"), "SIGKILL")
      await until(async () => (await hub.server("a")).state !== "up", "the hub to notice")
    }
    expect((await hub.server("a")).attempts).toBeGreaterThanOrEqual(2)
    expect(hub.stderr().match(/a is down: [^"]*SIGKILL/g)).toHaveLength(3)
    expect(textOf(await session.call("b__echo", { text: "fine" }))).toBe("fine")
    await hub.waitUp("a")
    expect(textOf(await session.call("a__echo", { text: "back" }))).toBe("back")
  })
})
