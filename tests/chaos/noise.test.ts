import { afterEach, describe, expect, it } from "vitest"
import { rawServer, startHub, stopAll } from "../fixtures/hub.ts"
import { modernCall, openSession, textOf } from "../fixtures/mcp-client.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

const MB = 1024 * 1024

describe("a server that is noisy", () => {
  it("on stderr without end: the hub answers, keeps the last 200 lines and no more memory", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--flood-stderr"), b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const memoryBefore = await hub.metric("toolyard_memory_bytes")
    // Some hundred calls pass while it floods.
    for (let n = 0; n < 150; n++) {
      expect(textOf(await session.call("b__echo", { text: `${n}` }))).toBe(`${n}`)
      expect(textOf(await session.call("a__echo", { text: `${n}` }))).toBe(`${n}`)
    }
    const { logs } = await hub.server("a")
    expect(logs).toHaveLength(200)
    expect(logs.slice(0, -1).every(line => /^flood line \d+ #+$/.test(line))).toBe(true)
    const grown = (await hub.metric("toolyard_memory_bytes")) - memoryBefore
    expect(grown).toBeLessThan(200 * MB)
  })

  it("on stdout between its messages: the messages count, the noise is in its log", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--garbage") } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`)
    const answers = await Promise.all(texts.map(text => session.call("a__echo", { text })))
    expect(answers.map(textOf)).toEqual(texts)
    expect(textOf(await modernCall(hub.url, "a__progress", { steps: 3 }))).toBe("3 steps")
    const { logs, state } = await hub.server("a")
    expect(state).toBe("up")
    expect(logs).toContain("[not JSON on stdout] DEBUG: about to answer { not json")
  })
})

describe("a server that answers strangely", () => {
  it("out of order: every caller gets its own answer", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--out-of-order") } })
    await hub.waitUp()
    const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(hub.url)))
    const texts = Array.from({ length: 40 }, (_, n) => `for caller ${n}`)
    const answers = await Promise.all(
      texts.map((text, n) => (sessions[n % 4] as (typeof sessions)[0]).call("a__echo", { text })),
    )
    expect(answers.map(textOf)).toEqual(texts)
  })

  it("twice: the first answer counts, the second disturbs nobody", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--answer-twice") } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    for (let n = 0; n < 10; n++) expect(textOf(await session.call("a__echo", { text: `${n}` }))).toBe(`${n}`)
    await until(
      async () => (await hub.server("a")).logs.some(line => line.includes("not waiting for one")),
      "the second answers to be noted",
    )
    expect((await hub.server("a")).state).toBe("up")
  })
})
