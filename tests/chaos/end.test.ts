import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { openSession, textOf } from "../fixtures/mcp-client.ts"
import { allGone, descendantsOf, isAlive, linesOf } from "../fixtures/processes.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

/** Every way in which a process can be hard to get rid of. */
async function startStubborn(): Promise<{ hub: Awaited<ReturnType<typeof startHub>>; pids: number[] }> {
  const spawned = join(tempFolder(), "spawned")
  const log = ["--spawn-log", spawned]
  const { command, args } = rawServer(...log)
  const mcpServers = {
    plain: rawServer(...log),
    stubborn: rawServer(...log, "--ignore-term"),
    family: rawServer(...log, "--grandchild"),
    clan: rawServer(...log, "--grandchild", "--ignore-term"),
    hanging: rawServer(...log, "--hang-init", "--ignore-term"),
    wrapped: { command: "/bin/sh", args: ["-c", '"$@"; exit $?', "sh", command, ...args] },
    own: { ...rawServer(...log, "--ignore-term"), isolation: "session" },
  }
  const hub = await startHub({ mcpServers })
  await hub.waitUp("plain", "stubborn", "family", "clan", "wrapped", "own")
  const session = await openSession(hub.url)
  const grandchildren = [await session.call("family__grandchild"), await session.call("clan__grandchild")]
  // A process of this session's own.
  await session.call("own__pid")
  await until(() => linesOf(spawned).length >= 8, "all to be started")
  const pids = [...linesOf(spawned).map(Number), ...grandchildren.map(result => Number(textOf(result)))]
  expect(pids.filter(isAlive)).toEqual(pids)
  return { hub, pids }
}

describe.runIf(process.platform === "linux")("when the hub ends", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "T1 by %s, no process of any server remains, however it clings",
    async signal => {
      const { hub, pids } = await startStubborn()
      const all = descendantsOf(hub.pid)
      for (const pid of pids) expect(all).toContain(pid)
      const asked = performance.now()
      await hub.kill(signal)
      expect(performance.now() - asked).toBeLessThan(10_000)
      // They end before the hub itself does.
      expect(pids.filter(isAlive)).toEqual([])
      await allGone(all)
    },
  )

  it("by SIGKILL, no process of any server remains either", async () => {
    const { hub, pids } = await startStubborn()
    const all = descendantsOf(hub.pid)
    for (const pid of pids) expect(all).toContain(pid)
    await hub.kill("SIGKILL")
    await allGone(all)
  })

  it("with calls under way, its clients' connections end and so does it", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--ignore-term") } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    await session.listen()
    const ended = expect(session.call("a__hang")).rejects.toThrow()
    await until(
      async () => (await hub.metric('toolyard_calls_under_way{server="a"}')) === 1,
      "the call to be under way",
    )
    expect(await hub.stop()).toBe(0)
    await ended
  })
})

describe.runIf(process.platform === "linux")("when a server ends", () => {
  it("by a crash, the processes it started end with it", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--grandchild") } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const grandchild = Number(textOf(await session.call("a__grandchild")))
    expect(isAlive(grandchild)).toBe(true)
    process.kill((await hub.server("a")).pid as number, "SIGKILL")
    await allGone([grandchild])
  })

  it("and is started for one client after another, no process is left over", async () => {
    const hub = await startHub({ mcpServers: { a: { ...rawServer(), isolation: "session" } } })
    await hub.waitUp()
    const before = descendantsOf(hub.pid).length
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const session = await openSession(hub.url)
          await session.call("a__echo", { text: "x" })
          await session.close()
        }),
      )
    }
    await until(() => descendantsOf(hub.pid).filter(isAlive).length <= before, "the processes of the sessions to end")
  })
})
