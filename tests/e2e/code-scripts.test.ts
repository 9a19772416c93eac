/** Scripts that are kept: named, versioned, typed tools of the server `scripts`, for agents and for other scripts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, connect, ERAS } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

let yard: CodeYard
let agent: Agent
/** All tools directly. */
let direct: Agent
beforeAll(async () => {
  yard = await openCodeYard({ policy: { rules: [{ match: "notes__delete_*", do: "ask" }] } })
  agent = await openAgent(yard.hub.url, "modern")
  direct = await openAgent(yard.hub.url, "legacy", { at: "all" })
})
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const GREET = `/** Greets somebody. */
export default function greet(input: { name: string; loud?: boolean }) {
  const text = \`hello \${input.name}\`
  return { text: input.loud ? text.toUpperCase() : text }
}`
const toolOf = async (name: string): Promise<Json | undefined> =>
  (await direct.tools()).find(tool => tool.name === `scripts__${name}`)

describe("a script that is saved", () => {
  it("N7 is a tool with a schema from its types, of which clients are told", async () => {
    const client = await connect(`${yard.hub.url}/mcp/all`, "legacy")
    let changes = 0
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes++)
    expect(await toolOf("greet")).toBeUndefined()
    const saved = await agent.execute({ code: GREET, input: { name: "ada" }, saveAs: "greet" })
    expect(saved).toMatchObject({ status: "completed", value: { text: "hello ada" }, script: "greet@1" })
    expect(saved.text).toContain("saved as greet@1")
    await expect.poll(() => changes).toBeGreaterThan(0)
    expect(await toolOf("greet")).toMatchObject({
      description: "Greets somebody.",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" }, loud: { type: "boolean" } },
        required: ["name"],
      },
    })
  })

  it.each(ERAS)("N7 is called directly like any other tool (%s)", async era => {
    const own = await openAgent(yard.hub.url, era, { at: "all" })
    expect(await own.call("scripts__greet", { name: "bob", loud: true })).toMatchObject({
      text: '{"text":"HELLO BOB"}',
      structuredContent: { text: "HELLO BOB" },
    })
    expect(await own.call("scripts__greet", { nam: "bob" })).toMatchObject({ code: "invalid_arguments" })
  })

  it("N7 is called from another script, checked like any other tool", async () => {
    expect(await agent.execute("return await tools.scripts.greet({ name: 'cleo' })")).toMatchObject({
      value: { text: "hello cleo" },
      calls: [{ tool: "scripts__greet", status: "ok" }],
    })
    const { error } = await agent.execute("await tools.scripts.greet({ name: 5 })")
    expect(error).toMatchObject({ code: "type_error" })
    expect(error?.message).toContain("tools.scripts.greet(params: { name: string; loud?: boolean })")
  })

  it("N7 is run by name, without its code being sent again", async () => {
    expect(await agent.execute({ script: "greet", input: { name: "dan" } })).toMatchObject({
      value: { text: "hello dan" },
    })
  })

  it("N7 stands in execute's description and is found", async () => {
    const [, execute] = await agent.tools()
    expect((execute as { description: string }).description).toContain("# scripts (1 tool): Saved scripts")
    const { signatures } = await agent.search({ query: "greet somebody" })
    expect(signatures[0]).toContain("tools.scripts.greet(params: { name: string; loud?: boolean })")
  })

  it("N7 gets a new version when it is saved again, and the old ones stay", async () => {
    const code = GREET.replace("hello", "good day")
    expect(await agent.execute({ code, input: { name: "x" }, saveAs: "greet" })).toMatchObject({ script: "greet@2" })
    expect(await agent.execute({ code, input: { name: "y" }, saveAs: "greet" })).toMatchObject({ script: "greet@2" })
    for (const [script, text] of [
      ["greet", "good day eve"],
      ["greet@2", "good day eve"],
      ["greet@1", "hello eve"],
    ])
      expect(await agent.execute({ script, input: { name: "eve" } })).toMatchObject({ value: { text } })
    expect(await direct.call("scripts__greet", { name: "eve" })).toMatchObject({ text: '{"text":"good day eve"}' })
  })

  it("N7 is named when it, or a version of it, is not there", async () => {
    expect(await agent.call("execute", { script: "gret" })).toMatchObject({
      code: "unknown_script",
      text: expect.stringContaining('did you mean "greet"?'),
    })
    expect(await agent.call("execute", { script: "greet@9" })).toMatchObject({
      code: "unknown_script",
      text: expect.stringContaining("there are 1, 2"),
    })
  })

  it("N7 may take something else than an object, which then stands under `input`", async () => {
    const code = "export default function twice(input: number) { return input * 2 }"
    await agent.execute({ code, input: 4, saveAs: "twice" })
    await expect
      .poll(() => toolOf("twice"))
      .toMatchObject({
        inputSchema: { properties: { input: { type: "number" } }, required: ["input"] },
      })
    expect(await direct.call("scripts__twice", { input: 21 })).toMatchObject({ text: "42" })
    expect(await agent.execute({ script: "twice", input: 5 })).toMatchObject({ value: 10 })
  })

  it("N7 is there after a restart", async () => {
    const hub = await startHub(yard.config())
    const first = await openAgent(hub.url, "modern")
    await first.execute({ code: GREET, input: { name: "x" }, saveAs: "kept" })
    await hub.stop()
    const again = await startHub(yard.config(), { folder: hub.folder })
    const later = await openAgent(again.url, "modern")
    expect(await later.execute("tools.scripts.kept({ name: 'fay' })")).toMatchObject({ value: { text: "hello fay" } })
    await again.stop()
  })
})

describe("a script that is not saved", () => {
  it.each<[string, Json]>([
    ["because it failed", { code: "throw new Error('no')", saveAs: "failing" }],
    ["because it is wrong", { code: "const n: number = 'x'", saveAs: "failing" }],
  ])("is one %s", async (_why, args) => {
    const answer = await agent.execute(args)
    expect(answer.status).toBe("failed")
    expect(answer).not.toHaveProperty("script")
    expect(await toolOf("failing")).toBeUndefined()
  })

  it.each(["", "a b", "../x", "9lives", "x".repeat(60), "a@1", "__proto__"])(
    "is one that would be called %j: it is refused before it runs",
    async saveAs => {
      const { code, text } = await agent.call("execute", { code: "await tools.notes.addNote({ title: 'x' })", saveAs })
      expect(code).toBe("invalid_arguments")
      expect(text).toContain("cannot be a script's name")
      expect(await yard.called()).toEqual([])
    },
  )
})

describe("a script in a script", () => {
  it("fails as a call that can be caught, with what went wrong inside", async () => {
    // It must end well once to be saved.
    const code = "export default (input: { fail: boolean }) => { if (input.fail) throw new Error('inner trouble') }"
    await agent.execute({ code, input: { fail: false }, saveAs: "fails" })
    const { value } = await agent.execute(
      "try { await tools.scripts.fails({ fail: true }) } catch (error) { return [error.tool, error.message] }",
    )
    expect(value).toEqual(["fails", expect.stringContaining("inner trouble")])
    expect(await direct.call("scripts__fails", { fail: true })).toMatchObject({
      text: expect.stringContaining("inner trouble"),
    })
  })

  it("is stopped when scripts run each other without end", async () => {
    await agent.execute({ code: "export default (input: {}) => 'the end'", input: {}, saveAs: "pong" })
    const ping = "export default async (input: {}) => await tools.scripts.pong({})"
    expect(await agent.execute({ code: ping, input: {}, saveAs: "ping" })).toMatchObject({ value: "the end" })
    // It completes, since the ping that it calls still finds the old pong; from now on there is no end.
    await agent.execute({ code: ping.replace("pong", "ping"), input: {}, saveAs: "pong" })
    const { status, error } = await agent.execute({ script: "ping", input: {} })
    expect(status).toBe("failed")
    expect(error?.message).toContain("scripts may run one another 8 deep")
    expect(await agent.execute("1 + 1")).toMatchObject({ value: 2 })
  })

  it("is as read-only as the script around it", async () => {
    const code = "export default async (input: { title: string }) => await tools.notes.addNote(input)"
    await agent.execute({ code, input: { title: "x" }, saveAs: "note" })
    const { error } = await agent.execute({ code: "await tools.scripts.note({ title: 'y' })", readOnly: true })
    expect(error?.message).toContain("read-only")
    await yard.called()
  })

  it("N2 waits for approval, and the script around it with it", async () => {
    const code = "export default async (input: { id: number }) => input.id > 0 && (await tools.notes.deleteNote(input))"
    await agent.execute({ code, input: { id: 0 }, saveAs: "remove" })
    const { status, runId, approvals } = await agent.execute("return [await tools.scripts.remove({ id: 6 })]")
    expect({ status, asked: approvals?.map(({ tool, args }) => [tool, args]) }).toEqual({
      status: "waiting",
      asked: [["notes__delete_note", { id: 6 }]],
    })
    expect(await agent.resume({ runId, decision: "approve" })).toMatchObject({
      status: "completed",
      value: ["deleted"],
    })
  })

  it.each(ERAS)("N2 is approved by the user of the client that runs the script around it (%s)", async era => {
    const asked: Json[] = []
    const user = (params: Json): Json => {
      asked.push(params)
      return { action: "accept", content: { decision: "approve" } }
    }
    const own = await openAgent(yard.hub.url, era, { user })
    expect(await own.execute("return [await tools.scripts.remove({ id: 7 })]")).toMatchObject({ value: ["deleted"] })
    expect(asked).toMatchObject([{ message: expect.stringContaining("wants to call notes__delete_note") }])
  })

  it("N2 ends with the script around it, and nothing waits any more", async () => {
    const { runId } = await agent.execute("return [await tools.scripts.remove({ id: 8 })]")
    expect(await agent.resume({ runId, cancel: true })).toMatchObject({ status: "cancelled" })
    const left = async () => (await (await fetch(`${yard.hub.url}/api/approvals`)).json()) as { approvals: unknown[] }
    await expect.poll(async () => (await left()).approvals).toEqual([])
  })
})
