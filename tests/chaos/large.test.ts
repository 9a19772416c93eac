import { createHash } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import { rawServer, startHub, stopAll } from "../fixtures/hub.ts"
import { type Json, modernCall, modernRequest, openSession, type ToolResult, textOf } from "../fixtures/mcp-client.ts"

afterEach(stopAll)

/** What the fixture's `big50` sends, by the same rule. */
function bigText(length: number): string {
  const lines: string[] = []
  for (let size = 0, n = 0; size < length; n++) {
    const line = `line ${n} of a very large answer with “quotes” and ümläuts\n`
    lines.push(line)
    size += line.length
  }
  return lines.join("").slice(0, length)
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The link to the whole, which a shortened result ends with. */
function linkOf({ content }: ToolResult): { uri: string; size: number } {
  const link = content.find(block => block.type === "resource_link") as Json
  return { uri: String(link.uri), size: Number(link.size) }
}

describe("a server that answers with 50 MB in one line", () => {
  it("N3 keeps the whole: a valid shortened view, and a link that gives every byte back in both eras", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer("--big-line"), b: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const large = session.call("a__big50")
    let done = false
    void large.then(() => {
      done = true
    })
    // Others are served all the while: no single answer of theirs takes as long as the large one is under way.
    let slowest = 0
    let served = 0
    while (!done) {
      const asked = performance.now()
      expect(textOf(await modernCall(hub.url, "b__echo", { text: "meanwhile" }))).toBe("meanwhile")
      slowest = Math.max(slowest, performance.now() - asked)
      served++
    }
    expect(served).toBeGreaterThan(2)
    expect(slowest).toBeLessThan(3_000)

    const result = await large
    const expected = bigText(50_000_000)
    const view = String(result.content[0]?.text)
    expect(expected.startsWith(view)).toBe(true)
    expect(view.length).toBeGreaterThan(10_000)
    expect(JSON.stringify(result).length).toBeLessThan(1_000_000)
    const { uri, size } = linkOf(result)
    expect(uri).toMatch(/^cid:\/\/b[a-z2-7]+$/)
    expect(size).toBeGreaterThan(50_000_000)

    for (const request of [session.request, modernRequest.bind(undefined, hub.url)]) {
      const read = (await request("resources/read", { uri })) as { contents: { text: string }[] }
      const whole = JSON.parse(String(read.contents[0]?.text)) as ToolResult
      expect(digest(textOf(whole))).toBe(digest(expected))
    }
    expect(textOf(await session.call("a__echo", { text: "next" }))).toBe("next")
  })

  it("N3 does not touch a result just under the limit, and shortens one just over it", async () => {
    const hub = await startHub({ mcpServers: { a: rawServer() } })
    await hub.waitUp()
    const session = await openSession(hub.url)
    const whole = await session.call("a__big", { bytes: 4_900_000 })
    expect(whole.content).toHaveLength(1)
    expect(textOf(whole)).toHaveLength(4_900_000)
    const cut = await session.call("a__big", { bytes: 5_100_000 })
    const read = (await session.request("resources/read", { uri: linkOf(cut).uri })) as { contents: Json[] }
    expect(textOf(JSON.parse(String(read.contents[0]?.text)) as ToolResult)).toBe("x".repeat(5_100_000))
  })
})
