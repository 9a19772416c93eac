/** A client whose connection breaks in the middle of a call comes back for the rest. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, openSession, rawServer, startHub, stopAll } from "../fixtures/hub.ts"

describe("a broken stream", () => {
  let hub: Hub
  beforeAll(async () => {
    hub = await startHub({ mcpServers: { raw: rawServer() } })
    await hub.waitUp()
  })
  afterAll(stopAll)

  async function callAndLeave(sessionId: string, id: number): Promise<string> {
    const leaving = new AbortController()
    const response = await fetch(`${hub.url}/mcp/raw`, {
      method: "POST",
      signal: leaving.signal,
      headers: {
        "Content-Type": "application/json",
        Accept: "text/event-stream, application/json",
        "Mcp-Session-Id": sessionId,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "slow", arguments: { ms: 300 } },
      }),
    })
    const { value } = await (response.body as ReadableStream<Uint8Array>).getReader().read()
    const primed = new TextDecoder().decode(value)
    leaving.abort()
    expect(primed).toMatch(/^id: \d+_0\nretry: \d+\ndata: \n\n$/)
    return (/^id: (\S+)/.exec(primed) as RegExpExecArray)[1] as string
  }

  const resume = (sessionId: string, lastEventId: string): Promise<Response> =>
    fetch(`${hub.url}/mcp/raw`, {
      headers: { Accept: "text/event-stream", "Mcp-Session-Id": sessionId, "Last-Event-ID": lastEventId },
    })

  it("N3 gives a client that comes back what it missed, while the call runs and after it", async () => {
    const session = await openSession(hub.url, { server: "raw" })
    const event = await callAndLeave(session.sessionId, 41)
    const first = await (await resume(session.sessionId, event)).text()
    expect(first).toContain('"id":41')
    expect(first).toContain("after 300 ms")
    // The connection may have broken once more: the same is there for the asking.
    expect(await (await resume(session.sessionId, event)).text()).toBe(first)
    await session.close()
  })

  it("V13 gives nobody else's streams, and nothing for an event that never was", async () => {
    const session = await openSession(hub.url, { server: "raw" })
    const other = await openSession(hub.url, { server: "raw" })
    const event = await callAndLeave(session.sessionId, 42)
    expect((await resume(other.sessionId, event)).status).toBe(404)
    for (const unknown of ["999_1", "nonsense", "1_", "_1", "-1_0"])
      expect((await resume(session.sessionId, unknown)).status).toBe(404)
    await Promise.all([session.close(), other.close()])
  })
})
