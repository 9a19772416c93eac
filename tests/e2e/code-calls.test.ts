/** The calls that a script makes: how they fail, who may make them, and that runs don't disturb one another. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, MATH, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients } from "./mcp-clients.ts"

let yard: CodeYard
let agent: Agent
beforeAll(async () => {
  yard = await openCodeYard()
  agent = await openAgent(yard.hub.url, "modern")
})
afterEach(() => yard.called())
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

describe("a call that fails", () => {
  it("throws a ToolError that the script can catch, and the run goes on", async () => {
    const { status, value, calls } = await agent.execute(`
      try {
        await tools.notes.break()
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        const { name, server, tool, code, message } = error
        return { name, server, tool, code, message, next: await tools.math.add({ a: 1, b: 1 }) }
      }
    `)
    expect({ status, value }).toEqual({
      status: "completed",
      value: {
        name: "ToolError",
        server: "notes",
        tool: "break",
        code: "tool_error",
        message: "the disk is full",
        next: { sum: 2 },
      },
    })
    expect(calls).toMatchObject([
      { tool: "notes__break", status: "error", error: { code: "tool_error", message: "the disk is full" } },
      { tool: "math__add", status: "ok" },
    ])
  })

  it("fails the run when it is not caught, with the line in the original TypeScript, the calls and the logs", async () => {
    const { status, error, calls, logs, text } = await agent.execute(`interface Note {
  id: number
  title: string
}
const first: Note = (await tools.notes.listNotes({})).notes[0] as Note
console.log("first is", first.title)
async function save(note: Note): Promise<void> {
  await tools.notes.break({})
}
await save(first)`)
    expect(status).toBe("failed")
    expect(error).toMatchObject({ code: "tool_error", message: "the disk is full", line: 8, column: 21 })
    expect(error?.stack).toMatch(/script\.ts:8:\d+\n.*script\.ts:10:\d+/)
    expect(logs).toEqual(["first is milk"])
    expect(calls.map(({ tool, status: how }) => [tool, how])).toEqual([
      ["notes__list_notes", "ok"],
      ["notes__break", "error"],
    ])
    for (const part of ["the disk is full", "line 8", "first is milk", "notes__list_notes: ok", "notes__break: "])
      expect(text).toContain(part)
  })

  it("says which arguments were wrong when a script is not checked, and the server hears nothing", async () => {
    const { error, calls } = await agent.execute({
      code: "await tools.notes.addNote({ titel: 'x' } as any)",
      check: false,
    })
    expect(error).toMatchObject({ code: "invalid_arguments" })
    expect(error?.message).toContain("title")
    expect(calls).toMatchObject([{ tool: "notes__add_note", status: "error" }])
    expect(await yard.called()).toEqual([])
  })

  it("rejects only its own promise among many", async () => {
    const { value } = await agent.execute(`
      const settled = await Promise.allSettled([tools.math.add({ a: 1, b: 1 }), tools.notes.break({})])
      return settled.map(one => one.status)
    `)
    expect(value).toEqual(["fulfilled", "rejected"])
  })
})

describe("a run", () => {
  it("G3 has a world of its own: nothing is left of it in the next one", async () => {
    await agent.execute("globalThis.left = 1; Array.prototype.map = () => 'broken'; JSON.parse = () => 'broken'")
    expect(await agent.execute("return [typeof left, [1].map(n => n + 1), JSON.parse('2')]")).toMatchObject({
      value: ["undefined", [2], 2],
    })
  })

  it("gets its own answers and logs among many at once", async () => {
    const code = "console.log('of ' + input)\nreturn (await tools.math.add({ a: input, b: 1000 })).sum"
    const answers = await Promise.all(Array.from({ length: 20 }, (_, input) => agent.execute({ code, input })))
    expect(answers.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, n) => 1000 + n))
    expect(answers.map(({ logs }) => logs)).toEqual(Array.from({ length: 20 }, (_, n) => [`of ${n}`]))
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(20)
  })

  it("C4 is told by a ToolError when a server dies under it, and may use the others", async () => {
    const dies = yard.stage.entry({ tools: MATH, on: { "tools/call": (_params, puppet) => puppet.drop() } })
    const hub = await startHub({ mcpServers: { dies, math: yard.entries.math } })
    await hub.waitUp()
    const own = await openAgent(hub.url, "legacy")
    const { value } = await own.execute(`const code = await tools.dies.add({ a: 1, b: 1 }).catch(error => error.code)
      return [code, (await tools.math.add({ a: 1, b: 1 })).sum]`)
    expect(value).toEqual(["upstream_crashed", 2])
    await hub.stop()
  })
})

describe("a read-only run", () => {
  it.each<[string, unknown, string, string | undefined]>([
    ["refuses a tool that changes something", true, "tools.notes.addNote({ title: 'x' })", "read_only"],
    ["refuses a tool that destroys something", true, "tools.notes.deleteNote({ id: 1 })", "read_only"],
    ["calls what only reads", true, "tools.notes.listNotes({})", undefined],
    ["calls what says nothing of itself", true, "tools.math.big({ length: 1 })", undefined],
    ["refuses what says nothing of itself when strict", "strict", "tools.math.big({ length: 1 })", "read_only"],
  ])("C3 %s", async (_what, readOnly, code, expected) => {
    const { error } = await agent.execute({ code, readOnly })
    expect(error?.code).toBe(expected)
    expect(await yard.called()).not.toContain("add_note")
  })
})
