/** What agents send that is wrong, odd or huge: each mistake is named, and the hub goes on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"
import { post, request } from "./mcp-wire.ts"

let yard: CodeYard
let agent: Agent
beforeAll(async () => {
  yard = await openCodeYard()
  agent = await openAgent(yard.hub.url, "modern")
})
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const WRONG: [string, Json, string][] = [
  ["execute", {}, "exactly one of `code` and `script`"],
  ["execute", { code: "1", script: "a" }, "exactly one of `code` and `script`"],
  ["execute", { code: 5 }, "`code` of execute: must be a string"],
  ["execute", { code: null }, "`code` of execute: must be a string"],
  ["execute", { script: ["a"] }, "`script` of execute: must be a string"],
  ["execute", { code: "1", cod: "2" }, "did you mean `code`?"],
  ["execute", { code: "1", timeout: 5 }, "`timeout` of execute: is not known; did you mean `timeoutMs`?"],
  ["execute", { code: "1", timeoutMs: 0 }, "must be a whole number from 1"],
  ["execute", { code: "1", timeoutMs: 1.5 }, "must be a whole number"],
  ["execute", { code: "1", timeoutMs: "5" }, "must be a whole number"],
  ["execute", { code: "1", readOnly: "yes" }, 'must be true, false or "strict"'],
  ["execute", { code: "1", background: "yes" }, "must be true, false or a number of ms"],
  ["execute", { code: "1", background: -1 }, "must be a whole number"],
  ["execute", { code: "1", check: 1 }, "must be true or false"],
  ["execute", { code: "1", saveAs: 1 }, "`saveAs` of execute: must be a string"],
  ["resume", {}, "`runId` of resume: is needed"],
  ["resume", { runId: 1 }, "`runId` of resume: must be a string"],
  ["resume", { runId: "x", decision: "yes" }, "must be one of approve, always, deny"],
  ["resume", { runId: "x", cancel: "true" }, "must be true or false"],
  ["resume", { runId: "x", wait: 1 }, "did you mean `waitMs`?"],
  ["search", {}, "`query` of search: is needed"],
  ["search", { query: 1 }, "`query` of search: must be a string"],
  ["search", { query: "x", limit: 0 }, "must be a whole number from 1"],
  ["search", { query: "x", limit: 1e9 }, "must be a whole number from 1"],
  ["search", { query: "x", offset: -1 }, "must be a whole number from 0"],
]

describe.each(ERAS)("a %s client that sends wrong arguments", era => {
  it.each(WRONG)("to %s, %j, is told what is wrong as a result it can read", async (tool, args, said) => {
    const own = await openAgent(yard.hub.url, era)
    const { code, text } = await own.call(tool, args)
    expect(code).toBe("invalid_arguments")
    expect(text).toContain(said)
  })

  it("is told when there is no such run, script or server", async () => {
    const own = await openAgent(yard.hub.url, era)
    expect(await own.call("resume", { runId: "run_nothing" })).toMatchObject({ code: "unknown_run" })
    expect(await own.call("resume", { runId: "" })).toMatchObject({ code: "unknown_run" })
    expect(await own.call("resume", { runId: "../x\u0000" })).toMatchObject({ code: "unknown_run" })
    expect(await own.call("execute", { script: "nothing" })).toMatchObject({ code: "unknown_script" })
    expect(await own.call("execute", { script: "" })).toMatchObject({ code: "unknown_script" })
  })
})

describe("search", () => {
  it("names the nearest server when there is none of that name", async () => {
    const search = agent.client.callTool({ name: "search", arguments: { query: "add", server: "note" } })
    await expect(search).rejects.toThrow('there is no server "note"; did you mean "notes"?')
  })

  it.each(["", " ", "???", "\u0000", "\ud800", "the of a", "x".repeat(100_000)])(
    "finds nothing for %j, and says so",
    async query => {
      const { signatures, text } = await agent.search({ query })
      expect(signatures).toEqual([])
      expect(text).toContain("No tool fits")
    },
  )
})

describe("odd code", () => {
  it.each<[string, string, unknown]>([
    ["nothing at all", "", undefined],
    ["white space", " \n\t ", undefined],
    ["a comment", "// nothing", undefined],
    ["a byte order mark", "\ufeffreturn 1", 1],
    ["Windows line ends", "const a = 1\r\nreturn a", 1],
    ["a hash-bang", "#!/usr/bin/env node\nreturn 1", 1],
    ["text beyond the basic plane", "return '😀'.length + '𝕏'", "2𝕏"],
    ["line separators in a text", "return 'a\u2028b'", "a\u2028b"],
  ])("may be %s", async (_what, code, value) => {
    const { status, value: given } = await agent.execute(code)
    expect({ status, given }).toEqual({ status: "completed", given: value })
  })

  it("may make half a character: the answer is valid text all the same", async () => {
    const { status, value } = await agent.execute("return { half: '\\ud83d', ['\\udc00']: 1 }")
    expect(status).toBe("completed")
    expect(JSON.stringify(value)).toMatch(/^\{"half":".+",".+":1\}$/)
  })

  it("may hold half a character itself", async () => {
    const { status } = await agent.execute("return 'a\ud800b'.length")
    expect(status).toBe("completed")
  })

  it("may hold a NUL in a text, which comes back as it is", async () => {
    expect(await agent.execute("return 'a\u0000b'")).toMatchObject({ status: "completed", value: "a\u0000b" })
  })

  it("with a NUL outside a text is refused with its place", async () => {
    const { error } = await agent.execute("const a = 1\n\u0000\nreturn a")
    expect(error).toMatchObject({ code: "type_error" })
  })

  it("of one megabyte runs", async () => {
    const code = `const data = ${JSON.stringify("x".repeat(1_000_000))}\nreturn data.length`
    expect(await agent.execute(code)).toMatchObject({ status: "completed", value: 1_000_000 })
  })

  it("may be given four megabytes of input", async () => {
    const input = Array.from({ length: 40_000 }, (_, n) => `${n}`.padEnd(90, "."))
    expect(await agent.execute({ code: "return [input.length, input.at(-1).length]", input })).toMatchObject({
      value: [40_000, 90],
    })
  })

  it("that is nested too deeply is refused, and the hub goes on", async () => {
    const deep = `return ${"[".repeat(50_000)}${"]".repeat(50_000)}`
    const { status, error } = await agent.execute(deep)
    expect(status).toBe("failed")
    expect(["type_error", "script_error", "limit_memory", "sandbox_crashed"]).toContain(error?.code)
    expect(await agent.execute("1 + 1")).toMatchObject({ value: 2 })
  })

  it("may have any input that is JSON", async () => {
    const input = JSON.parse('{"constructor":1,"":[null,1e300,"\\u0000"],"😀":{"then":"x","toJSON":1}}') as Json
    expect((await agent.execute({ code: "return input", input })).value).toEqual(input)
  })

  it("may be sent with `__proto__` among the arguments, which changes nothing", async () => {
    const params =
      '{"name":"execute","arguments":{"code":"return ({}).polluted ?? input.x","input":{"x":"clean"},"__proto__":{"polluted":1}}}'
    const init = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
    const opened = await post(`${yard.hub.url}/mcp/code`, request("initialize", init))
    const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`
    const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" }
    const { answer } = await post(`${yard.hub.url}/mcp/code`, body, session)
    expect(answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("`__proto__` of execute") }],
    })
  })
})
