/** The yard that `npm start` shows, as it stands in the repository. */
import { cpSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { closeClients, connect, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
let hub: Hub

beforeAll(async () => {
  const folder = tempFolder()
  cpSync(join(ROOT, "examples/starter"), folder, { recursive: true, filter: path => !path.endsWith(".toolyard") })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  hub = await startHub(readFileSync(join(folder, "toolyard.json"), "utf8"), { folder })
  await hub.waitUp("echo", "markdown", "jq", "date", "disk", "notes")
}, 90_000)
afterAll(async () => {
  await closeClients()
  await stopAll()
})

const call = async (server: string, tool: string, args: Json = {}): Promise<Json> => {
  const client = await connect(`${hub.url}/mcp/${server}`, "modern")
  return (await client.callTool({ name: tool, arguments: args })) as unknown as Json
}
const resultOf = ({ structuredContent }: Json): unknown => (structuredContent as Json).result

describe("the starter yard", () => {
  it("V15 echo gives back what it is given, at once or word by word", async () => {
    expect(textOf(await call("echo", "echo", { text: "hello 😀" }))).toBe("hello 😀")
    expect(textOf(await call("echo", "shout", { text: "hello" }))).toBe("HELLO!")
    const words: unknown[] = []
    const client = await connect(`${hub.url}/mcp/echo`, "modern")
    const slowly = await client.callTool(
      { name: "slowly", arguments: { text: "one two three", pauseMs: 1 } },
      { onprogress: ({ message }) => words.push(message) },
    )
    expect(words).toEqual(["one ", "two ", "three"])
    expect(textOf(slowly as Json)).toBe("one two three")
  })

  it("V15 markdown becomes HTML, in which nothing of the text is followed", async () => {
    const html = textOf(await call("markdown", "toHtml", { markdown: "# Hi *you*\n\n<script>alert(1)</script>" }))
    expect(html).toContain("<h1>Hi <em>you</em></h1>")
    expect(html).not.toContain("<script>")
    expect(resultOf(await call("markdown", "outline", { markdown: "# A\n\ntext\n\n## B" }))).toEqual([
      { level: 1, text: "A" },
      { level: 2, text: "B" },
    ])
    expect(
      resultOf(await call("markdown", "links", { markdown: "See [this](https://a.example) and *[that](b)*" })),
    ).toEqual([
      { text: "this", href: "https://a.example" },
      { text: "that", href: "b" },
    ])
  })

  it("V15 jq filters JSON, and says what is wrong with a filter", async () => {
    const data = { items: [{ n: 1 }, { n: 5 }] }
    expect(resultOf(await call("jq", "query", { filter: ".items[] | select(.n > 2)", data }))).toEqual([{ n: 5 }])
    expect(textOf(await call("jq", "queryText", { filter: ".a", json: '{"a":[1]} {"a":2}' }))).toBe("[1]\n2")
    const wrong = await call("jq", "query", { filter: ".a | nonsense", data })
    expect(wrong.isError).toBe(true)
    expect(textOf(wrong)).toContain("nonsense/0 is not defined")
  })

  it("V15 date knows moments, time zones and what lies between", async () => {
    const date = "2026-01-31T12:00:00Z"
    expect((await call("date", "convert", { date, timeZone: "Asia/Tokyo" })).structuredContent).toEqual({
      iso: "2026-01-31T12:00:00.000Z",
      text: expect.stringContaining("21:00:00"),
      timeZone: "Asia/Tokyo",
      weekday: "Saturday",
    })
    expect((await call("date", "add", { date, amount: -2, unit: "weeks" })).structuredContent).toMatchObject({
      iso: "2026-01-17T12:00:00.000Z",
    })
    expect(resultOf(await call("date", "between", { from: date, to: "2026-02-01T00:00:00Z", unit: "hours" }))).toBe(12)
    expect(await call("date", "add", { date: "yesterday", amount: 1, unit: "days" })).toMatchObject({ isError: true })
    expect(await call("date", "add", { date, amount: 1, unit: "fortnights" })).toMatchObject({ isError: true })
  })

  it("V15 has a command, and tools, resources and prompts with no program behind them", async () => {
    expect(textOf(await call("disk", "disk"))).toMatch(/\d+%/)
    expect(textOf(await call("notes", "greeting", { name: "you" }))).toBe("Hello, you!")
    const client = await connect(`${hub.url}/mcp/notes`, "modern")
    expect((await client.readResource({ uri: "variable://motto" })).contents).toMatchObject([
      { text: "One place for every tool." },
    ])
    const [time] = (await client.readResource({ uri: "server://date/now?timeZone=Europe%2FBerlin" })).contents as Json[]
    expect(JSON.parse(String(time?.text))).toMatchObject({ timeZone: "Europe/Berlin" })
    const { messages } = await client.getPrompt({ name: "summarize", arguments: { length: "a page" } })
    expect(messages).toMatchObject([{ content: { text: "Summarize what we have so far in a page." } }])
  })
})
