/** Code mode over HTTP: runs, approvals, saved scripts, the typed client, and one tool at a URL. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { RunDetails, RunReport } from "../../packages/toolyard/src/model/run.ts"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { openPlace } from "./run-cli.ts"

const execute = promisify(execFile)
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url))
const TSC_FLAGS = [
  ...["--module", "nodenext", "--target", "esnext", "--lib", "esnext,dom", "--types", ""],
  ...["--allowImportingTsExtensions", "--erasableSyntaxOnly"],
]

const object = (properties: Json = {}): Json => ({ type: "object", properties, required: Object.keys(properties) })
const NUMBER = { type: "number" }
const TOOLS: Json[] = [
  { name: "add", inputSchema: object({ a: NUMBER, b: NUMBER }), outputSchema: object({ sum: NUMBER }) },
  { name: "say", inputSchema: object() },
  { name: "fail", inputSchema: object() },
  { name: "hang", inputSchema: object() },
  { name: "wipe", inputSchema: object({ path: { type: "string" } }) },
]

let stage: Stage
let hub: Hub
let entry: Json
let offer = TOOLS

beforeAll(async () => {
  stage = await openStage()
  entry = stage.entry({
    capabilities: { tools: { listChanged: true } },
    on: {
      "tools/list": () => ({ tools: offer }),
      "tools/call": ({ name, arguments: args }) => {
        const { a, b } = args as { a: number; b: number }
        if (name === "add") return { ...text(String(a + b)), structuredContent: { sum: a + b } }
        if (name === "fail") return { ...text("the disk is full"), structuredContent: { free: 0 }, isError: true }
        return name === "hang" ? undefined : text(name === "wipe" ? "wiped" : "hello")
      },
    },
  })
  hub = await startHub({
    mcpServers: { math: entry },
    policy: { rules: [{ match: "math__wipe", do: "ask" }] },
  })
  await hub.waitUp()
})
afterEach(async () => {
  const { json } = await request("GET", "/api/approvals")
  for (const { id } of json.approvals as { id: string }[]) await post(`/api/approvals/${id}`, { decision: "deny" })
})
afterAll(async () => {
  await stopAll()
  await stage.close()
})

interface Answer {
  status: number
  json: Json
  headers: Headers
}

async function request(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(hub.url + path, {
    method,
    ...(body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  })
  return { status: response.status, json: (await response.json()) as Json, headers: response.headers }
}
const post = (path: string, body: unknown): Promise<Answer> => request("POST", path, body)
const run = async (body: Json): Promise<RunReport> => (await post("/api/runs", body)).json as unknown as RunReport
const details = async (id: string): Promise<RunDetails> =>
  (await request("GET", `/api/runs/${id}`)).json as unknown as RunDetails

const ADD = "await tools.math.add({ a: 1, b: 2 })"
const WIPE = 'return await tools.math.wipe({ path: "x" })'

describe("/api/runs", () => {
  it("T8 runs a script and gives its report", async () => {
    const { status, json } = await post("/api/runs", { code: `console.log("hi"); return ${ADD}` })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      runId: expect.stringMatching(/^run_/),
      status: "completed",
      value: { sum: 3 },
      logs: ["hi"],
      calls: [{ id: 1, tool: "math__add", status: "ok", ms: expect.any(Number) }],
      usage: { ms: expect.any(Number), cpuMs: expect.any(Number), calls: 1 },
    })
  })

  it.each([
    ['throw new Error("no")', "script_error", "Error: no"],
    ["const a: string = 1; return a", "type_error", "1:7"],
    ["await tools.math.fail({})", "tool_error", "the disk is full"],
  ])("T8 answers 200 for a script that fails: %s", async (code, error, message) => {
    const { status, json } = await post("/api/runs", { code })
    expect(status).toBe(200)
    expect(json).toMatchObject({ status: "failed", error: { code: error, message: expect.stringContaining(message) } })
  })

  it("passes on input, read-only and the limit of time", async () => {
    expect((await run({ code: "input.n + 1", input: { n: 1 } })).value).toBe(2)
    expect((await run({ code: "await tools.math.hang({})", timeoutMs: 300 })).error?.code).toBe("limit_time")
    expect((await run({ code: `return ${ADD}`, readOnly: "strict" })).error?.code).toBe("read_only")
    expect((await run({ code: "const a: string = 1; return a", check: false })).value).toBe(1)
  })

  it.each([
    ["{", "parse_error", "JSON object"],
    [[], "parse_error", "JSON object"],
    [{}, "invalid_params", "`code` and `script`"],
    [{ code: "1", script: "a" }, "invalid_params", "`code` and `script`"],
    [{ code: 1 }, "invalid_params", "`code` must be a string"],
    [{ code: "1", timeoutMs: 0 }, "invalid_params", "`timeoutMs` must be a whole number above 0"],
    [{ code: "1", readOnly: "very" }, "invalid_params", "`readOnly` must be true, false"],
    [{ code: "1", background: -1 }, "invalid_params", "`background` must be true, false"],
    [{ code: "1", waitMs: "soon" }, "invalid_params", "`waitMs` must be a whole number"],
    [{ code: "1", timeout: 5 }, "invalid_params", "`timeout`, which is not known"],
  ])("answers 400 for %j, and names the problem", async (body, code, message) => {
    const { status, json } = await post("/api/runs", body)
    expect(status).toBe(400)
    expect(json).toMatchObject({
      error: { code, message: expect.stringContaining(message), hint: expect.stringMatching(/\w/) },
    })
  })

  it.each([
    ["GET", "/api/runs/nothing", undefined, "unknown_run"],
    ["POST", "/api/runs/nothing/resume", {}, "unknown_run"],
    ["POST", "/api/runs/nothing/replay", {}, "unknown_run"],
    ["POST", "/api/runs", { script: "nothing" }, "unknown_script"],
    ["POST", "/api/approvals/nothing", { decision: "approve" }, "unknown_approval"],
    ["GET", "/api/scripts/nothing", undefined, "unknown_script"],
    ["DELETE", "/api/scripts/nothing", undefined, "unknown_script"],
    ["PUT", "/api/scripts/mine", { runId: "nothing" }, "unknown_run"],
  ])("answers 404 to %s %s", async (method, path, body, code) => {
    const { status, json } = await request(method, path, body)
    expect(status).toBe(404)
    expect(json).toMatchObject({ error: { code, message: expect.any(String), hint: expect.any(String) } })
  })

  it("T8 tells on a stream what happens, and ends with the report", async () => {
    const response = await fetch(`${hub.url}/api/runs`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({ code: `console.log("one\\ntwo"); const { sum } = ${ADD}; console.warn(sum); return sum` }),
    })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map(block => {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) as unknown as [string, string, string]
        return { event, data: JSON.parse(data) as Json }
      })
    expect(events).toMatchObject([
      { event: "log", data: { level: "log", text: "one\ntwo" } },
      { event: "call", data: { call: { tool: "math__add", status: "running" } } },
      { event: "call", data: { call: { tool: "math__add", status: "ok" } } },
      { event: "log", data: { level: "warn", text: "3" } },
      { event: "status", data: { status: "completed" } },
      { event: "report", data: { status: "completed", value: 3 } },
    ])
  })

  it("says on the stream what is wrong with a request", async () => {
    const response = await fetch(`${hub.url}/api/runs`, {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: JSON.stringify({ script: "nothing" }),
    })
    expect(await response.text()).toMatch(/^event: error\ndata: \{"error":\{"code":"unknown_script"/)
  })

  it.each(["application/json", "text/event-stream"])(
    "ends the run when a client that wants %s leaves",
    async accept => {
      const puppet = await stage.puppet(entry)
      const before = puppet.received.length
      const leaving = new AbortController()
      const asking = fetch(`${hub.url}/api/runs`, {
        method: "POST",
        headers: { Accept: accept },
        body: JSON.stringify({ code: "await tools.math.hang({})" }),
        signal: leaving.signal,
      }).then(response => response.text())
      await puppet.seen(message => puppet.received.indexOf(message) >= before && message.params.name === "hang")
      leaving.abort()
      await expect(asking).rejects.toThrow()
      const [newest] = (await request("GET", "/api/runs?limit=1")).json.runs as { runId: string }[]
      await until(
        async () => (await details(newest?.runId as string)).status === "cancelled",
        "the run to be cancelled",
      )
    },
  )

  it("goes on in the background, can be waited for, and can be ended", async () => {
    const { runId, status } = await run({ code: "await tools.math.hang({})", background: true })
    expect(status).toBe("running")
    const waited = await post(`/api/runs/${runId}/resume`, { waitMs: 50 })
    expect(waited.json).toMatchObject({ runId, status: "running" })
    const ended = await post(`/api/runs/${runId}/resume`, { cancel: true })
    expect(ended.json).toMatchObject({ runId, status: "cancelled", error: { code: "cancelled" } })
    const other = await run({ code: "await tools.math.hang({})", waitMs: 50 })
    expect(other.status).toBe("running")
    await post(`/api/runs/${other.runId}/resume`, { cancel: true })
  })

  it("N1 lists the runs page by page, shows one, and runs it again from its record", async () => {
    const { runId } = await run({ code: `console.log("hi"); return ${ADD}`, input: { a: 1 } })
    const first = (await request("GET", "/api/runs?limit=1")).json.runs as Json[]
    expect(first).toMatchObject([{ runId, status: "completed", calls: 1, startedAt: expect.any(String) }])
    const next = (await request("GET", `/api/runs?limit=1&before=${runId}`)).json.runs as Json[]
    expect(next).toHaveLength(1)
    expect(next[0]?.runId).not.toBe(runId)
    expect((await request("GET", "/api/runs?limit=0")).status).toBe(400)
    expect(await details(runId)).toMatchObject({
      code: `console.log("hi"); return ${ADD}`,
      input: { a: 1 },
      logs: [{ level: "log", text: "hi" }],
      calls: [{ tool: "math__add", args: { a: 1, b: 2 }, result: { sum: 3 }, startedAt: expect.any(String) }],
      value: { sum: 3 },
    })
    const { received } = await stage.puppet(entry)
    const before = received.length
    expect((await post(`/api/runs/${runId}/replay`, {})).json).toMatchObject({ status: "completed", value: { sum: 3 } })
    expect(received).toHaveLength(before)
  })

  it("counts the runs by how they ended", async () => {
    const before = (await request("GET", "/api/stats")).json.runs as Record<string, number>
    await run({ code: "1" })
    await run({ code: "throw 1" })
    const after = (await request("GET", "/api/stats")).json.runs as Record<string, number>
    expect([after.completed, after.failed]).toEqual([(before.completed ?? 0) + 1, (before.failed ?? 0) + 1])
  })
})

describe("/api/approvals", () => {
  it("N2 shows what a run waits for, and the run goes on when it is resumed with a decision", async () => {
    const { runId, status, approvals } = await run({ code: `${ADD}; ${WIPE}` })
    expect(status).toBe("waiting")
    const question = { runId, tool: "math__wipe", args: { path: "x" }, done: [{ tool: "math__add", status: "ok" }] }
    expect(approvals).toMatchObject([question])
    expect((await request("GET", "/api/approvals")).json.approvals).toMatchObject([question])
    expect(await details(runId)).toMatchObject({ status: "waiting", approvals: [question] })
    const { json } = await post(`/api/runs/${runId}/resume`, { decision: "approve" })
    expect(json).toMatchObject({ runId, status: "completed", value: "wiped" })
    expect((await request("GET", "/api/approvals")).json.approvals).toEqual([])
  })

  it("N2 tells the script who denied it and why", async () => {
    const code = `try { ${WIPE} } catch (error) { return [error.code, error.message] }`
    const { runId, approvals = [] } = await run({ code })
    const decided = await post(`/api/approvals/${approvals[0]?.id}`, { decision: "deny", reason: "no!", by: "ada" })
    expect(decided.json.approvals).toMatchObject([{ runId }])
    const { json } = await post(`/api/runs/${runId}/resume`, {})
    expect(json.value).toEqual(["approval_denied", expect.stringMatching(/ada.*no!/)])
  })

  it("N2 lets one decision cover the further calls of that tool in the run", async () => {
    const code = 'for (const path of ["a", "b", "c"]) await tools.math.wipe({ path }); return "done"'
    const { runId } = await run({ code })
    expect((await post(`/api/runs/${runId}/resume`, { decision: "always" })).json.value).toBe("done")
    const other = await run({ code: WIPE })
    expect(other.status).toBe("waiting")
    expect((await post(`/api/approvals/${other.runId}`, { decision: "maybe" })).status).toBe(400)
  })

  it("N2 decides a direct call too", async () => {
    const calling = post("/tools/math__wipe", { path: "x" })
    let waiting: Json[] = []
    await until(async () => {
      waiting = (await request("GET", "/api/approvals")).json.approvals as Json[]
      return waiting.length === 1
    }, "the question")
    await post(`/api/approvals/${waiting[0]?.id}`, { decision: "approve" })
    expect(await calling).toMatchObject({ status: 200, json: "wiped" })
  })
})

describe("/api/scripts", () => {
  it("N7 keeps scripts with versions and the schema of their input, from code and from a run", async () => {
    const code = "/** Adds one. */\ntype Input = { n: number }\nreturn input.n + 1"
    const made = await request("PUT", "/api/scripts/plus", { code })
    expect(made.json.script).toMatchObject({
      name: "plus",
      version: 1,
      description: "Adds one.",
      inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    })
    const { runId } = await run({ code: code.replace("+ 1", "+ 2"), input: { n: 0 } })
    const again = await request("PUT", "/api/scripts/plus", { runId, description: "Adds two." })
    expect(again.json.script).toMatchObject({ version: 2, description: "Adds two." })
    expect((await run({ script: "plus", input: { n: 1 } })).value).toBe(3)
    expect((await run({ script: "plus@1", input: { n: 1 } })).value).toBe(2)
    expect((await request("GET", "/api/scripts/plus@1")).json.script).toMatchObject({ version: 1, code })
    expect((await request("GET", "/api/scripts")).json.scripts).toMatchObject([{ name: "plus", version: 2 }])
    const saved = await run({ code: "return 7", saveAs: "seven" })
    expect(saved.script).toBe("seven@1")
    for (const name of ["plus", "seven"])
      expect((await request("DELETE", `/api/scripts/${name}`)).json).toEqual({ name })
    expect((await request("GET", "/api/scripts")).json.scripts).toEqual([])
  })

  it.each([
    [{}, "`code` and `runId`"],
    [{ code: "1", runId: "a" }, "`code` and `runId`"],
    [{ code: "return (" }, "Expected"],
  ])("N7 refuses %j, and says why", async (body, message) => {
    const { status, json } = await request("PUT", "/api/scripts/bad", body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ error: { message: expect.stringContaining(message) } })
    expect((await request("PUT", "/api/scripts/no%20name", { code: "1" })).status).toBe(400)
  })
})

describe("/tools", () => {
  it("T7 calls one tool, and gives its value or its envelope", async () => {
    expect(await post("/tools/math__add", { a: 1, b: 2 })).toMatchObject({ status: 200, json: { sum: 3 } })
    expect(await post("/tools/math__say", "")).toMatchObject({ status: 200, json: "hello" })
    expect(await post("/tools/math__add?raw=1", { a: 1, b: 2 })).toMatchObject({
      status: 200,
      json: { ...text("3"), structuredContent: { sum: 3 } },
    })
  })

  it("T7 says with 422 that the tool failed, and with its own status what else went wrong", async () => {
    const failed = await post("/tools/math__fail", {})
    expect(failed.status).toBe(422)
    expect(failed.json).toMatchObject({ error: { code: "tool_error", message: "the disk is full" } })
    expect((await post("/tools/math__fail?raw=1", {})).json).toMatchObject({ isError: true })
    const wrong = await Promise.all([
      post("/tools/math__ad", {}),
      post("/tools/math__add", { a: 1 }),
      post("/tools/math__add", "["),
    ])
    expect(wrong.map(({ status, json }) => [status, (json.error as Json).code])).toEqual([
      [404, "unknown_tool"],
      [400, "invalid_arguments"],
      [400, "parse_error"],
    ])
    expect(JSON.stringify(wrong[0]?.json)).toContain('did you mean \\"math__add\\"?')
  })
})

describe("/runtime", () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${hub.url}/runtime/${path}`, { headers })

  it.each(["tools.ts", "tools.d.ts"])("T7 serves %s for all, for a server and for a tool", async file => {
    const [all, server, tool] = await Promise.all(
      ["", "?server=math", "?server=math&tool=add"].map(async query => {
        const response = await get(file + query)
        expect(response.status).toBe(200)
        expect(response.headers.get("content-type")).toBe("application/typescript; charset=utf-8")
        expect(response.headers.get("cache-control")).toBe("no-cache")
        return response.text()
      }),
    )
    expect(all).toContain("MathAddParams")
    expect(server).toContain("MathWipeParams")
    expect(tool).toContain("MathAddParams")
    expect(tool).not.toContain("MathWipeParams")
  })

  it.each([
    ["?server=mth", 404, "unknown_server", 'did you mean "math"?'],
    ["?server=math&tool=ad", 404, "unknown_tool", "add"],
    ["?tool=add", 400, "invalid_params", "`server`"],
  ])("T7 answers %s with %i and what was probably meant", async (query, status, code, message) => {
    for (const file of ["tools.ts", "tools.d.ts"]) {
      const response = await get(file + query)
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ error: { code, message: expect.stringContaining(message) } })
    }
  })

  it("T7 is sent again only when a server has changed, and then it is", async () => {
    const first = await get("tools.d.ts")
    const tag = first.headers.get("etag") as string
    expect(tag).toMatch(/^(W\/)?"/)
    expect((await get("tools.d.ts", { "If-None-Match": tag })).status).toBe(304)
    offer = [...TOOLS, { name: "brand_new", inputSchema: object() }]
    const puppet = await stage.puppet(entry)
    puppet.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
    await until(async () => (await get("tools.d.ts", { "If-None-Match": tag })).status === 200, "the new types")
    expect(await (await get("tools.d.ts")).text()).toContain("brandNew")
    offer = TOOLS
    puppet.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
    await until(async () => (await get("tools.d.ts", { "If-None-Match": tag })).status === 304, "the old types")
  })

  it("T7 is a client for a plain program outside, which finds the hub and its token in TOOLYARD_URL", async () => {
    const place = openPlace()
    try {
      place.configure({ math: entry })
      const { line } = await place.serve()
      const source = await fetch(`${line.url}/runtime/tools.ts?token=${line.token}`)
      const program = (body: string): string => `import { ToolError, tools } from "./tools.ts"\n${body}\n`
      place.write("package.json", { type: "module" })
      place.write("tools.ts", await source.text())
      place.write(
        "program.ts",
        program(`const { sum } = await tools.math.add({ a: 1, b: 2 })
const failed: unknown = await tools.math.fail({}).catch((error: unknown) => error)
console.log(JSON.stringify([sum.toFixed(1), failed instanceof ToolError && [failed.code, failed.message]]))`),
      )
      const env = { TOOLYARD_URL: line.mcp }
      const ran = await execute(process.execPath, ["program.ts"], { cwd: place.folder, env })
      expect(JSON.parse(ran.stdout)).toEqual(["3.0", ["tool_error", "the disk is full"]])
      const refused = execute(process.execPath, ["program.ts"], {
        cwd: place.folder,
        env: { TOOLYARD_URL: line.url },
      })
      await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("unauthorized") })

      const check = (file: string) =>
        execute(process.execPath, [TSC, "--noEmit", "--strict", ...TSC_FLAGS, file], { cwd: place.folder })
      await check("program.ts")
      place.write("wrong.ts", program('await tools.math.add({ a: "1", b: 2 })\nconsole.log(ToolError)'))
      await expect(check("wrong.ts")).rejects.toMatchObject({
        stdout: expect.stringMatching(/^wrong\.ts\(2,24\): .*TS2322/),
      })
    } finally {
      await place.close()
    }
  })
})
