import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { allGone, isAlive, linesOf } from "../../../../tests/fixtures/processes.ts"
import { until } from "../../../../tests/fixtures/until.ts"
import {
  aiSdkTools,
  anthropicTools,
  type OpenYardOptions,
  openAiTools,
  openYard,
  ToolError,
  YardError,
} from "./library.ts"

const fixture = (name: string): string => fileURLToPath(new URL(`../../../../tests/fixtures/${name}`, import.meta.url))
const raw = (...args: string[]) => ({ command: process.execPath, args: [fixture("raw-server.mjs"), ...args] })
const cli = (...args: string[]) => ({ command: process.execPath, args: [fixture("cli-server.mjs"), ...args] })
const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))
const every = { command: process.execPath, args: [everything, "stdio"] }

let folder: string
const open = (mcpServers: Record<string, ReturnType<typeof raw>>, more: OpenYardOptions = {}) =>
  openYard({ cwd: folder, config: { mcpServers }, ...more })

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-library-")))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("a yard in a program", () => {
  it("C1 gives definitions that route to their servers when they are executed", async () => {
    await using yard = await open({ one: raw(), "two.b": cli() })
    const tools = yard.tools()
    expect(tools.map(({ id }) => id)).toEqual(expect.arrayContaining(["one__echo", "two_b__echo"]))
    const echo = tools.find(({ id }) => id === "two_b__echo")
    expect(JSON.parse(JSON.stringify(echo))).toEqual({
      id: "two_b__echo",
      server: "two.b",
      name: "echo",
      description: "Says the same again.\nOn as many lines as it takes.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", description: "What to say" } },
        required: ["text"],
      },
    })
    expect(await echo?.execute({ text: "hello" })).toMatchObject({ text: "hello", isError: false })
  })

  it("gives values as scripts get them, or the result as it came", async () => {
    await using yard = await open({ one: cli() })
    expect(await yard.call<{ sum: number }>("one__add", { a: 1, b: 2 })).toEqual({ sum: 3 })
    expect(await yard.call("one.echo", { text: "hi" })).toBe("hi")
    expect(await yard.callRaw("one__fail")).toEqual({
      content: [{ type: "text", text: "the disk is full" }],
      isError: true,
    })
  })

  it("throws what a tool said when it failed, and what toolyard says when it refuses", async () => {
    await using yard = await open({ one: cli() })
    const failed = yard.call("one__fail")
    await expect(failed).rejects.toBeInstanceOf(ToolError)
    await expect(failed).rejects.toMatchObject({
      code: "tool_error",
      server: "one",
      tool: "fail",
      message: "the disk is full",
    })
    await expect(yard.call("one__ech")).rejects.toMatchObject({ code: "unknown_tool" })
    await expect(yard.call("one__add", { a: "x" })).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("finds tools, shows servers and types", async () => {
    await using yard = await open({ one: cli() })
    expect(yard.search("add numbers", { limit: 1 })).toMatchObject([{ id: "one__add", server: "one" }])
    expect(yard.servers()).toMatchObject([{ name: "one", type: "stdio", state: "up", tools: yard.tools().length }])
    expect(yard.types({ server: "one", tool: "add" })).toContain("OneAddParams")
  })

  it("runs scripts, whose value is whole however large it is", async () => {
    await using yard = await open({ one: cli() })
    const run = await yard.run("return await tools.one.add({ a: 1, b: 2 })")
    expect(run).toMatchObject({ status: "completed", value: { sum: 3 }, calls: [{ tool: "one__add", status: "ok" }] })
    const large = await yard.run("return 'line of text\\n'.repeat(20_000)")
    expect(large).toMatchObject({ value: "line of text\n".repeat(20_000) })
    expect(large.more).toBeUndefined()
    const failed = await yard.run({ code: "throw new Error(`no ${input}`)" }, { input: "way" })
    expect(failed).toMatchObject({ status: "failed", error: { code: "script_error" } })
    expect(failed.error?.message).toContain("no way")
  })

  it("tells progress, and ends a call when its signal fires", async () => {
    await using yard = await open({ one: raw() })
    const heard: unknown[] = []
    await yard.call("one__progress", { steps: 3 }, { onProgress: ({ progress }) => heard.push(progress) })
    expect(heard).toEqual([1, 2, 3])
    const controller = new AbortController()
    const hanging = yard.call("one__hang", {}, { signal: controller.signal })
    controller.abort(new Error("enough"))
    await expect(hanging).rejects.toMatchObject({ code: "cancelled", cause: { message: "enough" } })
    const [tool] = yard.tools({ include: "one__hang", signal: controller.signal })
    await expect(tool?.execute()).rejects.toMatchObject({ code: "cancelled" })
  })

  it("C2 starts nothing that is not configured, and leaves no trace where nothing is", async () => {
    await using yard = await openYard({ cwd: folder, config: {} })
    expect(yard.tools()).toEqual([])
    expect(yard.servers()).toEqual([])
    expect(existsSync(join(folder, ".toolyard"))).toBe(false)
  })

  it("C2 starts only the servers that are asked for", async () => {
    const log = join(folder, "spawned")
    await using yard = await open({ one: cli(), two: raw("--spawn-log", log) }, { only: ["one"] })
    expect(yard.servers().map(({ name }) => name)).toEqual(["one"])
    expect(linesOf(log)).toEqual([])
  })

  it("C3 leaves out and refuses what changes things, whichever guard says so", async () => {
    await using yard = await open({ one: cli() })
    const ids = (tools: { id: string }[]): string[] => tools.map(({ id }) => id)
    expect(ids(yard.tools())).toContain("one__wipe")
    expect(ids(yard.tools({ readOnly: true }))).not.toContain("one__wipe")
    expect(yard.tools({ readOnly: "strict" })).toEqual([])
    await expect(yard.call("one__wipe", {}, { readOnly: true })).rejects.toMatchObject({ code: "read_only" })

    await using guarded = await open({ one: cli() }, { readOnly: true })
    expect(ids(guarded.tools({ readOnly: false }))).not.toContain("one__wipe")
    await expect(guarded.call("one__wipe", {}, { readOnly: false })).rejects.toMatchObject({ code: "read_only" })
    const run = await guarded.run("return await tools.one.wipe({})", { readOnly: false })
    expect(run.error?.message).toContain("one__wipe")
    const answer = await anthropicTools(guarded).handle({ type: "tool_use", id: "1", name: "one__wipe", input: {} })
    expect(answer).toMatchObject({ is_error: true })
  })

  it("C4 opens without a server that is down, and says so", async () => {
    const warnings: string[] = []
    const servers = { broken: raw("--exit-at-once"), one: cli() }
    await using yard = await open(servers, { onWarning: message => warnings.push(message) })
    expect(yard.tools({ servers: ["broken"] })).toEqual([])
    expect(await yard.call("one__echo", { text: "still here" })).toBe("still here")
    expect(warnings).toEqual([expect.stringContaining("the license has expired")])
    // It is tried again and again, so that it is either down or on its way.
    expect(yard.servers()[0]).toMatchObject({ name: "broken", state: expect.stringMatching(/^(down|connecting)$/) })
  })

  it("C4 gives an error that the model can act on when the server dies in the middle of a call", async () => {
    await using yard = await open({ one: raw() })
    const [tool] = yard.tools({ include: "one__die" })
    const output = await tool?.execute({})
    expect(output).toMatchObject({ isError: true })
    expect(output?.text).toContain("restarted")
    const content = await openAiTools(yard).handle({
      id: "1",
      type: "function",
      function: { name: "one__echo", arguments: "{ not json" },
    })
    expect(content).toMatchObject({ role: "tool", tool_call_id: "1" })
    expect(content.content).toMatch(/^Error: the arguments of one__echo are not JSON/)
  })

  it("C5 loses nothing of a result over 5 MB", async () => {
    await using yard = await open({ one: raw() })
    const [tool] = yard.tools({ include: "one__big" })
    const output = await tool?.execute({ bytes: 6_000_000 })
    const uri = /cid:\/\/\w+/.exec(output?.text ?? "")?.[0] as string
    const { contents } = (await yard.read(uri)) as { contents: [{ text: string }] }
    expect(JSON.parse(contents[0].text)).toEqual({ content: [{ type: "text", text: "x".repeat(6_000_000) }] })
  })

  it("C6 puts what arrives late at the end, and keeps everything else in its place", async () => {
    const gate = join(folder, "gate")
    const late = raw("--gate", gate)
    await using yard = await open({ late, one: cli() }, { connectTimeoutMs: 500 })
    const before = yard.tools().map(({ id }) => id)
    expect(before.every(id => id.startsWith("one__"))).toBe(true)
    const arrived = new Promise<void>(resolve => {
      yard.on("changed", ({ server }) => server === "late" && yard.tools({ servers: ["late"] }).length > 0 && resolve())
    })
    writeFileSync(gate, "")
    await arrived
    const after = yard.tools().map(({ id }) => id)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length)).toEqual(yard.tools({ servers: ["late"] }).map(({ id }) => id))
    expect(anthropicTools(yard).map(({ name }) => name)).toEqual(after)
  })

  it("C6 lists the tools in the order of the configuration, whoever answers first", async () => {
    await using yard = await open({ slow: raw("--slow-start", "300"), quick: cli() })
    const servers = yard.tools().map(({ server }) => server)
    expect(servers).toEqual([...servers].sort((one, other) => (one === other ? 0 : one === "slow" ? -1 : 1)))
    expect(new Set(servers)).toEqual(new Set(["slow", "quick"]))
  })

  it("asks the program what a rule leaves to people", async () => {
    const policy = { rules: [{ match: "one__wipe", do: "ask" as const }] }
    const asked: string[] = []
    await using yard = await openYard({
      cwd: folder,
      config: { mcpServers: { one: cli() }, policy },
      client: "my-agent",
      onAsk: {
        elicitation({ message }) {
          asked.push(String(message))
          return { action: "accept", content: { decision: asked.length === 1 ? "approve" : "deny" } }
        },
      },
    })
    expect(await yard.call("one__wipe")).toBe("wiped")
    expect(asked[0]).toContain("my-agent")
    await expect(yard.call("one__wipe")).rejects.toMatchObject({ code: "approval_denied" })
  })

  it("lets the program decide later where it answers nothing at once", async () => {
    const policy = { rules: [{ match: "one__wipe", do: "ask" as const }] }
    await using yard = await openYard({ cwd: folder, config: { mcpServers: { one: cli() }, policy } })
    yard.on("asked", ({ id }) => void yard.decide(id, "deny", "not today"))
    await expect(yard.call("one__wipe")).rejects.toMatchObject({
      code: "approval_denied",
      message: expect.stringContaining("not today"),
    })
  })

  it("gives pictures to each API as it takes them", async () => {
    await using yard = await open({ every })
    const name = "every__get-tiny-image"
    const data = expect.stringMatching(/^iVBOR/)
    const named = expect.stringMatching(/\[image: image\/png, \d+ bytes\]/)
    const anthropic = await anthropicTools(yard).handle({ type: "tool_use", id: "1", name, input: {} })
    expect(anthropic.content).toEqual([
      { type: "text", text: named },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ])
    const tool = aiSdkTools(yard)[name]
    const output = await tool?.execute({})
    expect(output && tool?.toModelOutput({ output })).toEqual({
      type: "content",
      value: [
        { type: "text", text: named },
        { type: "file", mediaType: "image/png", data: { type: "data", data } },
      ],
    })
    const openAi = await openAiTools(yard).handle({ id: "1", type: "function", function: { name, arguments: "" } })
    expect(openAi.content).toEqual(named)
  })

  it("reads resources and prompts of every server, and answers what a server asks", async () => {
    const asked: unknown[] = []
    const onAsk = {
      sampling: (params: object) => {
        asked.push(params)
        return { role: "assistant", model: "scripted", content: { type: "text", text: "a poem" } }
      },
    }
    await using yard = await open({ every, one: cli() }, { onAsk })
    const [resource] = yard.resources() as { uri: string }[]
    expect(await yard.read(resource?.uri as string)).toMatchObject({ contents: [{ uri: resource?.uri }] })
    await expect(yard.read("test://nobody")).rejects.toMatchObject({ code: "unknown_resource" })
    const names = yard.prompts().map(({ name }) => name)
    expect(names).toContain("every__args-prompt")
    const prompt = await yard.prompt("every__args-prompt", { city: "Lisbon" })
    expect(JSON.stringify(prompt)).toContain("Lisbon")
    await expect(yard.prompt("every__nothing")).rejects.toMatchObject({ code: "unknown_prompt" })
    const sampled = await yard.callRaw("every__trigger-sampling-request", { prompt: "a poem", maxTokens: 10 })
    expect(JSON.stringify(sampled)).toContain("a poem")
    expect(asked).toHaveLength(1)
  })

  it("reads a file, keeps what must last beside it, and follows its edits when told to", async () => {
    const file = join(folder, "toolyard.json")
    writeFileSync(file, JSON.stringify({ mcpServers: { one: cli() } }))
    await using yard = await openYard({ cwd: folder, config: "toolyard.json", watch: true })
    expect(existsSync(join(folder, ".toolyard"))).toBe(true)
    const renamed = new Promise<void>(resolve => {
      yard.on("changed", ({ server }) => server === "two" && yard.tools({ servers: ["two"] }).length > 0 && resolve())
    })
    writeFileSync(file, JSON.stringify({ mcpServers: { two: cli() } }))
    await renamed
    expect(yard.servers().map(({ name }) => name)).toEqual(["two"])
  })

  it("refuses a file that is not there or cannot be read", async () => {
    const missing = openYard({ cwd: folder, config: "nothing.json" })
    await expect(missing).rejects.toBeInstanceOf(YardError)
    await expect(missing).rejects.toMatchObject({ code: "config_invalid" })
    writeFileSync(join(folder, "toolyard.json"), "{ not json")
    await expect(openYard({ cwd: folder })).rejects.toMatchObject({ code: "config_invalid" })
  })

  it("leaves nothing behind when it is given up while it opens", async () => {
    const log = join(folder, "spawned")
    const controller = new AbortController()
    const opening = open({ one: raw("--spawn-log", log, "--hang-init") }, { signal: controller.signal })
    await until(() => linesOf(log).length === 1, "the server to be started")
    controller.abort(new Error("never mind"))
    await expect(opening).rejects.toThrow("never mind")
    await allGone(linesOf(log).map(Number))
  })

  it("opens as often as one likes in one program, and leaves no process behind", async () => {
    const log = join(folder, "spawned")
    const first = await open({ one: raw("--spawn-log", log, "--grandchild") })
    const controller = new AbortController()
    const second = await open({ one: raw("--spawn-log", log) }, { signal: controller.signal })
    const grandchild = Number(await first.call("one__grandchild"))
    const pids = [...linesOf(log).map(Number), grandchild]
    expect(pids).toHaveLength(3)
    expect(pids.every(isAlive)).toBe(true)
    await first.close()
    await first.close()
    await expect(first.call("one__echo", { text: "hi" })).rejects.toMatchObject({ code: "interrupted" })
    expect(await second.call("one__echo", { text: "hi" })).toBe("hi")
    controller.abort()
    await allGone(pids)
  })
})
