/** What a script can be, what it gives, and how it fails, through the hub as built and in both protocol eras. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"

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

describe.each(ERAS)("a %s client", era => {
  it("G3 runs a script that uses several servers, and is told of every call", async () => {
    const own = await openAgent(yard.hub.url, era)
    const { status, value, calls, usage, isError } = await own.execute(`
      const { notes } = await tools.notes.listNotes({})
      const { sum } = await tools.math.add({ a: notes.length, b: 40 })
      return { sum, titles: notes.map(note => note.title) }
    `)
    expect({ status, value, isError }).toEqual({
      status: "completed",
      value: { sum: 42, titles: ["milk", "bread"] },
      isError: false,
    })
    expect(calls).toMatchObject([
      { id: 1, tool: "notes__list_notes", status: "ok", ms: expect.any(Number) },
      { id: 2, tool: "math__add", status: "ok", ms: expect.any(Number) },
    ])
    expect(usage).toEqual({ ms: expect.any(Number), cpuMs: expect.any(Number), calls: 2 })
  })

  it("gets a failed run as a result that it can read, not as a protocol error", async () => {
    const own = await openAgent(yard.hub.url, era)
    const { status, isError, error, text } = await own.execute("throw new Error('no luck')")
    expect({ status, isError }).toEqual({ status: "failed", isError: true })
    expect(error).toMatchObject({ code: "script_error", message: "Error: no luck", line: 1 })
    expect(text).toContain("script_error: Error: no luck (line 1, column")
  })
})

describe("the value of a script", () => {
  it.each<[string, string, unknown]>([
    ["its last expression", "const a = 1\na + 1", 2],
    ["its last expression, awaited", "tools.math.add({ a: 1, b: 2 })", { sum: 3 }],
    ["an object as its last expression", "({ a: [1, null], b: 'x' })", { a: [1, null], b: "x" }],
    ["what it returns", "if (1 < 2) return 'early'\nreturn 'late'", "early"],
    ["its default export", "export default { ok: true }", { ok: true }],
    ["what its default function gives", "export default function main() { return [1, 2] }", [1, 2]],
    [
      "what its default async function gives",
      "export default async () => (await tools.math.add({ a: 2, b: 2 })).sum",
      4,
    ],
    ["null", "return null", null],
    ["false", "false", false],
    ["zero", "0", 0],
    ["an empty text", "''", ""],
    ["a map as an object", "return new Map([['a', 1]])", { a: 1 }],
    ["a set as a list", "return new Set([1, 2])", [1, 2]],
    ["a date as text", "return new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["a big number as text", "return 2n ** 64n", "18446744073709551616"],
  ])("T8 is %s", async (_what, code, value) => {
    expect(await agent.execute(code)).toMatchObject({ status: "completed", value })
  })

  it("T8 is nothing when it gives nothing, and the text says so", async () => {
    const { status, text, ...rest } = await agent.execute("const a = 1")
    expect({ status, text }).toEqual({ status: "completed", text: "(no value)" })
    expect(rest).not.toHaveProperty("value")
  })

  it("T8 comes from a default function that is given the input", async () => {
    const code = `interface Input { names: string[] }
      export default function greet(input: Input) { return input.names.map(name => \`hello \${name}\`) }`
    expect(await agent.execute({ code, input: { names: ["ada", "bob"] } })).toMatchObject({
      value: ["hello ada", "hello bob"],
    })
  })

  it("T8 can be made of the global input", async () => {
    expect(await agent.execute({ code: "return input.a + input.b", input: { a: 1, b: 2 } })).toMatchObject({ value: 3 })
  })

  it.each<[string, string, string]>([
    ["an object", "return { a: 1 }", '{"a":1}'],
    ["a text as it is", "return 'line 1\\nline 2'", "line 1\nline 2"],
    ["a list", "return [1, 'x', null]", '[1,"x",null]'],
  ])("is the same in structured content and as text: %s", async (_what, code, text) => {
    const answer = await agent.execute(code)
    expect(answer.text).toBe(text)
    expect(typeof answer.value === "string" ? answer.value : JSON.stringify(answer.value)).toBe(text)
  })
})

describe("what a script finds", () => {
  it("T8 imports tools, and what else there is, from toolyard", async () => {
    const code = `import { tools, ToolError, search, results, input } from "toolyard"
      return [typeof tools.math.add, typeof ToolError, typeof search, typeof results.get, input]`
    expect(await agent.execute({ code, input: 7 })).toMatchObject({
      value: ["function", "function", "function", "function", 7],
    })
  })

  it("T8 logs, with the level where it matters, in order", async () => {
    const { logs, text } = await agent.execute(
      "console.log('one', { a: [1] }); console.info('two'); console.warn('three'); console.error('four'); 1",
    )
    expect(logs).toEqual(["one { a: [1] }", "two", "warn: three", "error: four"])
    expect(text).toBe("1\n\nlogs:\none { a: [1] }\ntwo\nwarn: three\nerror: four")
  })

  it("finds tools by search, with what it takes to call them", async () => {
    const { value } = await agent.execute("(await search('delete a note', { limit: 1 }))[0]")
    expect(value).toMatchObject({ id: "notes__delete_note", server: "notes", name: "delete_note" })
    expect((value as { signature: string }).signature).toContain("tools.notes.deleteNote(params: { id: number })")
  })

  it("takes the value of an earlier run by its id", async () => {
    const { runId } = await agent.execute("return { kept: [1, 2, 3] }")
    const { value } = await agent.execute(`(await results.get("${runId}")).kept.length`)
    expect(value).toBe(3)
  })

  it("lists its servers and tools by name", async () => {
    const { value } = await agent.execute("[Object.keys(tools), Object.keys(tools.math)]")
    expect(value).toEqual([
      ["notes", "math"],
      ["add", "big"],
    ])
  })

  it.each(["process.env", "require('fs')", "eval('1')", "new Function('return 1')()", "await import('node:fs')"])(
    "G4 is told why there is no %s, before anything runs",
    async code => {
      const { status, error } = await agent.execute(`await tools.notes.addNote({ title: "x" })\n${code}`)
      expect({ status, code: error?.code }).toEqual({ status: "failed", code: "type_error" })
      expect(error?.message).toMatch(/sandbox/)
      expect(await yard.called()).toEqual([])
    },
  )
})

describe("an earlier result", () => {
  it.each<[string, string, string]>([
    ["of a run that there never was", 'results.get("run_nothing")', "unknown_run"],
    [
      "under an address where nothing is",
      'results.get("cid://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy")',
      "unknown_resource",
    ],
    ["under no address at all", 'results.get("cid://../../../etc/passwd")', "unknown_resource"],
    ["of something that is no id", "results.get(5 as any)", "invalid_arguments"],
  ])("%s is a ToolError", async (_what, code, expected) => {
    const { value } = await agent.execute(`return await ${code}.catch(error => [error.name, error.code])`)
    expect(value).toEqual(["ToolError", expected])
  })

  it("of a run that gave nothing says so", async () => {
    const { runId } = await agent.execute("const nothing = 1")
    const { error } = await agent.execute(`await results.get("${runId}")`)
    expect(error?.message).toContain("has no value")
  })
})
