/** What an agent sees of code mode: three tools, at every address and over every transport that leads to it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, connect, ERAS } from "./mcp-clients.ts"
import { type Json, openStage, type Puppet, type Stage, text } from "./mcp-stage.ts"
import { openStdioHub } from "./mcp-stdio-hub.ts"
import { request } from "./mcp-wire.ts"

const THREE = ["search", "execute", "resume"]
const namesOf = (tools: Json[]): string[] => tools.map(({ name }) => name as string)
const executeIn = (tools: Json[]): string => tools.find(({ name }) => name === "execute")?.description as string

let yard: CodeYard
beforeAll(async () => {
  yard = await openCodeYard()
})
afterEach(closeClients)
afterAll(async () => {
  await yard.close()
  await stopAll()
})

describe.each(ERAS)("a %s client at /mcp/code", era => {
  it("has three tools with object schemas, of which search says that it only reads", async () => {
    const tools = await (await openAgent(yard.hub.url, era)).tools()
    expect(namesOf(tools)).toEqual(THREE)
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object" })
    expect(tools[0]).toMatchObject({ annotations: { readOnlyHint: true } })
  })

  it("reads in execute's description which servers there are, and all it needs to call a small yard", async () => {
    const description = executeIn(await (await openAgent(yard.hub.url, era)).tools())
    expect(description).toContain("Catalog (COMPLETE)")
    expect(description).toContain("# notes (5 tools): Notes of the team")
    expect(description).toContain("# math (2 tools)")
    expect(description).toContain("tools.notes.addNote(params: { title: string })")
    expect(description).toContain("tools.math.add(params: { a: number; b: number }): Promise<{ sum: number }>")
  })

  it("finds a tool by what it does, with the line that calls it", async () => {
    const agent = await openAgent(yard.hub.url, era)
    const { signatures, text: said } = await agent.search({ query: "remove a note" })
    expect(signatures[0]).toContain("tools.notes.deleteNote(params: { id: number })")
    expect(said.split("\n")[0]).toBe(signatures[0])
    const own = await agent.search({ query: "add", server: "math", limit: 1 })
    expect(own.signatures).toEqual([expect.stringContaining("tools.math.add")])
    const next = await agent.search({ query: "add", limit: 1, offset: 1 })
    expect(next.signatures).not.toEqual(own.signatures)
  })
})

describe("over stdio", () => {
  it("G1 the same three tools answer when `surface` says code", async () => {
    const hub = openStdioHub({ ...yard.config(), surface: "code" })
    await hub.initialize()
    hub.send(request("tools/list", {}, 1))
    expect(namesOf((await hub.next()).result?.tools as Json[])).toEqual(THREE)
    const code = "return (await tools.math.add({ a: 1, b: 2 })).sum"
    hub.send(request("tools/call", { name: "execute", arguments: { code } }, 2))
    expect((await hub.next()).result).toMatchObject({ structuredContent: { status: "completed", value: 3 } })
    expect(await hub.close()).toBe(0)
  })
})

describe("what the policy forbids", () => {
  it.each(ERAS)("is not in execute's description nor found, and can't be called (%s)", async era => {
    const policy = { rules: [{ match: "notes__delete_*", do: "deny" }] }
    const hub = await startHub(yard.config({ policy }))
    await hub.waitUp()
    const agent = await openAgent(hub.url, era)
    const description = executeIn(await agent.tools())
    expect(description).toContain("# notes (4 tools)")
    expect(description).not.toContain("deleteNote")
    const { signatures } = await agent.search({ query: "delete a note" })
    expect(signatures.join()).not.toContain("deleteNote")
    const { value } = await agent.execute("(await search('delete note')).map(hit => hit.id)")
    expect(value).not.toContain("notes__delete_note")
    const { error } = await agent.execute("await tools.notes.deleteNote({ id: 1 })")
    expect(error).toMatchObject({ code: "denied", line: 1 })
    await hub.stop()
  })

  it("for a surface is forbidden in the scripts that come from there", async () => {
    const rules = [{ match: "notes__*", caller: "mcp", annotations: { destructiveHint: true }, do: "deny" }]
    const hub = await startHub(yard.config({ policy: { rules } }))
    await hub.waitUp()
    const agent = await openAgent(hub.url, "legacy")
    const { error } = await agent.execute({ code: "await tools.notes.deleteNote({ id: 1 })" })
    expect(error).toMatchObject({ code: "denied" })
    await hub.stop()
  })

  it.each(["legacy", "modern"] as const)("C3 to a read-only address, no run there can allow itself (%s)", async era => {
    const agent = await openAgent(yard.hub.url, era, { at: "code?readOnly=true" })
    expect(executeIn(await agent.tools())).not.toContain("addNote")
    for (const readOnly of [undefined, false, true])
      expect(await agent.execute({ code: "await tools.notes.addNote({ title: 'x' })", readOnly })).toMatchObject({
        error: { code: "read_only" },
      })
    expect(await yard.called()).toEqual([])
  })
})

describe("/mcp", () => {
  let stage: Stage
  let hub: Hub
  let tools: Json[]
  let puppet: Puppet
  let config: (surface: string) => Json

  beforeAll(async () => {
    stage = await openStage()
    tools = wide(3)
    const on = { "tools/list": () => ({ tools }), "tools/call": () => text("done") }
    const entry = stage.entry({ capabilities: { tools: { listChanged: true } }, on })
    config = surface => ({ mcpServers: { growing: entry }, surface })
    hub = await startHub(config("auto"))
    await hub.waitUp()
    puppet = await stage.puppet(entry)
  })
  afterAll(() => stage.close())

  /** Tools of about 220 tokens each. */
  const wide = (count: number): Json[] =>
    Array.from({ length: count }, (_, n) => ({
      name: `tool_${n}`,
      description: `Does the thing number ${n} with everything that it is given, and says how it went. `.repeat(10),
      inputSchema: { type: "object", properties: { what: { type: "string" } } },
    }))
  const grow = (count: number): void => {
    tools = wide(count)
    puppet.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
  }
  /** The names at `/mcp`, now and after each change that the client is told of. */
  const follow = async (era: (typeof ERAS)[number]) => {
    const client = await connect(`${hub.url}/mcp`, era)
    let changes = 0
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes++)
    if (era === "modern") await client.listen({ toolsListChanged: true })
    return { list: async () => namesOf((await client.listTools()).tools), changes: () => changes }
  }

  it.each(ERAS)("N5 turns from tools to code mode when the yard grows over 4,000 tokens, and back (%s)", async era => {
    const { list, changes } = await follow(era)
    expect(await list()).toEqual(["growing__tool_0", "growing__tool_1", "growing__tool_2"])
    grow(40)
    await expect.poll(changes).toBeGreaterThan(0)
    expect(await list()).toEqual(THREE)
    const before = changes()
    grow(3)
    await expect.poll(changes).toBeGreaterThan(before)
    expect(await list()).toHaveLength(3)
    expect(await list()).not.toEqual(THREE)
  })

  it("N5 still takes a call of a tool that was listed before the yard grew", async () => {
    const agent = await openAgent(hub.url, "legacy", { at: "" })
    grow(40)
    await expect.poll(async () => namesOf(await agent.tools())).toEqual(THREE)
    expect(await agent.call("growing__tool_1", {})).toMatchObject({ text: "done" })
    grow(3)
    await expect.poll(async () => namesOf(await agent.tools())).not.toEqual(THREE)
  })

  it.each(ERAS)("N5 introduces itself as what it offers, before anything was listed (%s)", async era => {
    const large = await startHub({ ...config("auto"), mcpServers: { large: stage.entry({ tools: wide(40) }) } })
    await large.waitUp()
    const client = await connect(`${large.url}/mcp`, era)
    expect(client.getInstructions()).toContain("`execute`")
    await large.stop()
  })

  it.each(ERAS)("N5 follows an edit of `surface` at once, and tells its clients (%s)", async era => {
    const { list, changes } = await follow(era)
    for (const [surface, expected] of [
      ["code", THREE],
      ["direct", ["growing__tool_0", "growing__tool_1", "growing__tool_2"]],
      ["code", THREE],
      ["auto", ["growing__tool_0", "growing__tool_1", "growing__tool_2"]],
    ] as const) {
      const before = changes()
      hub.configure(config(surface))
      await expect.poll(changes, { timeout: 5_000 }).toBeGreaterThan(before)
      expect(await list()).toEqual(expected)
    }
  })

  it("N5 offers every tool with `direct`, however many there are", async () => {
    grow(40)
    hub.configure(config("direct"))
    const agent = await openAgent(hub.url, "modern", { at: "" })
    await expect.poll(async () => (await agent.tools()).length).toBe(40)
  })
})
