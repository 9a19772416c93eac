/** A script is checked before it acts: what is wrong with it costs one round trip, and no tool is called. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"

let yard: CodeYard
let agent: Agent
beforeAll(async () => {
  yard = await openCodeYard()
  agent = await openAgent(yard.hub.url, "legacy")
})
afterEach(() => yard.called())
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const WRITES = 'console.log("begun"); await tools.notes.addNote({ title: "written" })\n'

/** A script that would write a note before the mistake in its second line. */
async function refused(mistake: string): Promise<string> {
  const { status, error, calls, logs, isError, ...rest } = await agent.execute(WRITES + mistake)
  expect({ status, isError, calls, logs, code: error?.code }).toEqual({
    status: "failed",
    isError: true,
    calls: [],
    logs: [],
    code: "type_error",
  })
  expect(rest).not.toHaveProperty("value")
  expect(await yard.called()).toEqual([])
  return error?.message ?? ""
}

describe("a script that is wrong", () => {
  it.each(ERAS)("T9 calls no tool, not even before the mistake, and says line and column (%s)", async era => {
    const own = await openAgent(yard.hub.url, era)
    const { error, text } = await own.execute(`${WRITES}const n: number = "text"`)
    expect(error).toMatchObject({ code: "type_error", data: { problems: [{ line: 2, column: 7 }] } })
    expect(text).toContain("2:7 Type 'string' is not assignable to type 'number'.")
    expect(await yard.called()).toEqual([])
  })

  it("T9 gets the nearest name for a tool that is not there, with its signature", async () => {
    const message = await refused("await tools.notes.listNote({})")
    expect(message).toContain("2:19 `tools.notes` has no tool `listNote`: did you mean `listNotes`?")
    expect(message).toContain("tools.notes.listNotes(params")
  })

  it("T9 gets the nearest name for a server that is not there, and the names that are", async () => {
    const message = await refused("await tools.note.listNotes({})")
    expect(message).toContain("There is no server `note`: did you mean `notes`?")
    expect(message).toContain("Servers: math, notes")
  })

  it.each([
    [
      "has the wrong type",
      "await tools.math.add({ a: '1', b: 2 })",
      "Type 'string' is not assignable to type 'number'",
    ],
    ["is missing", "await tools.math.add({ a: 1 })", "'b' is missing"],
    ["is unknown", "await tools.math.add({ a: 1, b: 2, c: 3 })", "'c' does not exist"],
  ])("T9 gets the signature when an argument %s", async (_what, code, problem) => {
    const message = await refused(code)
    expect(message).toContain(problem)
    expect(message).toContain("tools.math.add(params: { a: number; b: number })")
  })

  it("T9 is told when it uses a result as something that it is not", async () => {
    expect(await refused("return (await tools.math.add({ a: 1, b: 2 })).total")).toContain("'total' does not exist")
  })

  it("T9 is told of a forgotten await", async () => {
    expect(await refused("return tools.math.add({ a: 1, b: 2 }).sum")).toContain("await")
  })

  it("T9 is told where the syntax is broken", async () => {
    expect(await refused("return { a: [1, 2 }")).toMatch(/^2:\d+ /)
  })

  it("T9 gets all that is wrong at once", async () => {
    const { error } = await agent.execute("const a: number = 'x'\nconst b: string = 1\ntools.math.sub()")
    expect(error).toMatchObject({ data: { problems: [{ line: 1 }, { line: 2 }, { line: 3 }] } })
  })

  it("names a server of another script's mistake by nothing but what it knows", async () => {
    expect(await refused("import x from 'lodash'\nreturn x")).toContain('Cannot import "lodash"')
  })
})

describe("the check", () => {
  it("can be left out, and the script then acts until it fails", async () => {
    const code = `${WRITES}const n: number = "text"\nreturn n`
    expect(await agent.execute({ code, check: false })).toMatchObject({ status: "completed", value: "text" })
    expect(await yard.called()).toEqual(["add_note"])
  })

  it("follows the catalog: a tool that came later may be used, one that went may not", async () => {
    const code = "return (await tools.later.add({ a: 20, b: 22 })).sum"
    const { error } = await agent.execute(code)
    expect(error?.message).toContain("There is no server `later`")
    yard.hub.configure(yard.config({ mcpServers: { ...yard.entries, later: yard.entries.math } }))
    await yard.hub.waitUp("later")
    expect(await agent.execute(code)).toMatchObject({ status: "completed", value: 42 })
    yard.hub.configure(yard.config())
    await expect.poll(async () => (await agent.execute(code)).error?.code).toBe("type_error")
  })

  it("lets through what JavaScript without types would do", async () => {
    const { status, value } = await agent.execute(`
      const counts = {}
      for (const note of (await tools.notes.listNotes()).notes) counts[note.title] = (counts[note.title] ?? 0) + 1
      function twice(x) { return x * 2 }
      return [counts, twice(4)]
    `)
    expect({ status, value }).toEqual({ status: "completed", value: [{ milk: 1, bread: 1 }, 8] })
  })

  it("has no complaint about a script of 1,000 lines", async () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `const v${n}: number = ${n} + ${n ? `v${n - 1}` : 0}`)
    expect(await agent.execute(`${lines.join("\n")}\nreturn v999`)).toMatchObject({ value: 499_500 })
  })
})
