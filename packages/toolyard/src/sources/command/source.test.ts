import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { allGone, isAlive } from "../../../../../tests/fixtures/processes.ts"
import { until } from "../../../../../tests/fixtures/until.ts"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import type { CommandEntry, ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { describeSource, testContext } from "../source.contract.ts"
import { startWatchdog } from "../upstream/watchdog.ts"
import { CommandSource } from "./source.ts"

const CALLER: Caller = { surface: "library", principal: "test" }
const PROGRAM = join(import.meta.dirname, "program.fixture.mjs")
const watchdog = startWatchdog()
const opened: CommandSource[] = []
let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolyard-command-")))
})
afterEach(() => Promise.all(opened.splice(0).map(source => source.close())))
afterAll(async () => {
  watchdog.close()
  await rm(folder, { recursive: true })
})

function sourceOf(entry: Partial<CommandEntry> = {}, more: Partial<ServerConfig> = {}): CommandSource {
  const config: ServerConfig = {
    name: "prog",
    entry: {
      type: "command",
      command: process.execPath,
      args: [PROGRAM, "{{mode}}", "{{text?}}"],
      env: {},
      cwd: folder,
      parameters: {},
      ...entry,
    },
    enabled: true,
    rename: {},
    readOnly: false,
    timeoutMs: 60_000,
    concurrency: 64,
    isolation: "shared",
    network: [],
    tools: {},
    additions: { tools: {}, resources: {}, prompts: {} },
    transforms: {},
    discover: true,
    hash: "test",
    ...more,
  }
  const source = new CommandSource(config, watchdog)
  opened.push(source)
  return source
}

async function open(entry?: Partial<CommandEntry>, more?: Partial<ServerConfig>): Promise<CommandSource> {
  const source = sourceOf(entry, more)
  await source.open(testContext())
  return source
}

class ListeningCall extends Call {
  override wantsProgress = true
  readonly heard: string[] = []
  override progress(params: JsonObject): void {
    this.heard.push(params.message as string)
  }
}

const run = (source: CommandSource, mode: string, text?: string): Promise<JsonObject> =>
  source.call("prog", { mode, ...(text !== undefined && { text }) }, new Call(CALLER))

describeSource("command", {
  open: () => sourceOf(),
  openBroken: () => sourceOf({ command: "no-such-command-anywhere" }),
  echo: { tool: "prog", args: { mode: "echo", text: "hello there" }, text: "hello there" },
  progress: { tool: "prog", args: { mode: "progress" } },
  slow: { tool: "prog", args: { mode: "slow" } },
  failing: { tool: "prog", args: { mode: "fail" } },
})

describe("a command as a tool", () => {
  it("V10 is named after its server and described by its command line where nothing else is written", async () => {
    const plain = await open({ command: "ls", args: ["-l", "a b", "{{path}}"] }, { name: "my.list" })
    expect(plain.list()?.tools[0]).toMatchObject({ name: "my_list", description: 'ls -l "a b" {{path}}' })
    const described = await open({}, { description: "Does it" })
    expect(described.list()?.tools[0]).toMatchObject({ name: "prog", description: "Does it" })
  })

  it("gives what the program writes, without its last newline, as text, and objects as structured content too", async () => {
    const source = await open()
    expect(await run(source, "echo", "one\ntwo\n")).toEqual({ content: [{ type: "text", text: "one\ntwo\n" }] })
    expect(await run(source, "echo", "äöü → 🙂")).toEqual({ content: [{ type: "text", text: "äöü → 🙂" }] })
    expect(await run(source, "json", "x")).toEqual({
      content: [{ type: "text", text: '{"text":"x"}' }],
      structuredContent: { text: "x" },
    })
    expect(await run(source, "bytes", "")).toEqual({ content: [] })
  })

  it("V6 gives bytes as base64: a picture as a picture, anything else as a resource", async () => {
    const source = await open()
    const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1").toString("base64")
    expect(await run(source, "bytes", png)).toEqual({ content: [{ type: "image", data: png, mimeType: "image/png" }] })
    const other = Buffer.from([1, 0xff, 0xfe]).toString("base64")
    expect(await run(source, "bytes", other)).toMatchObject({
      content: [{ type: "resource", resource: { mimeType: "application/octet-stream", blob: other } }],
    })
  })

  it("writes the filled text to the program's input", async () => {
    const source = await open({ args: [PROGRAM, "stdin"], stdin: "Dear {{who}}, {{n:integer=2}}" })
    const result = await source.call("prog", { who: "-Ünï" }, new Call(CALLER))
    expect(result.content).toEqual([{ type: "text", text: "Dear -Ünï, 2" }])
  })

  it("fails with what the program said and how it ended", async () => {
    const source = await open()
    const textOf = async (mode: string): Promise<unknown> => {
      const { isError, content } = await run(source, mode)
      return [isError, (content as { text: string }[])[0]?.text]
    }
    expect(await textOf("fail")).toEqual([true, expect.stringMatching(/ended with exit code 3:\nit went wrong$/)])
    expect(await textOf("fail-on-stdout")).toEqual([true, expect.stringMatching(/exit code 4:\nsaid on stdout$/)])
    expect(await textOf("killed")).toEqual([true, expect.stringContaining("was ended by SIGKILL")])
    expect(source.logs()).toContain("it went wrong")
  })

  it("runs where the entry says, with its own variables and none of the hub's secrets", async () => {
    process.env.TOOLYARD_TEST_SECRET = "hub's own"
    const source = await open({ args: [PROGRAM, "{{mode}}", "{{text?}}"], env: { KEY: "s3cr3t-value" } })
    const { env, cwd } = (await run(source, "env")).structuredContent as { env: JsonObject; cwd: string }
    delete process.env.TOOLYARD_TEST_SECRET
    expect(cwd).toBe(folder)
    expect(env).toMatchObject({ KEY: "s3cr3t-value", PATH: expect.any(String) })
    expect(env).not.toHaveProperty("TOOLYARD_TEST_SECRET")
  })

  it("is ended when it writes more than the limit, and says so", async () => {
    const { isError, content } = await run(await open(), "flood")
    expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringContaining("more than 100 MB") }]])
  })

  it("says so when the arguments are too long for a command line", async () => {
    await expect(run(await open(), "echo", "x".repeat(4_000_000))).rejects.toMatchObject({ code: "invalid_arguments" })
  })

  it("reports complete lines of stderr as progress", async () => {
    const call = new ListeningCall(CALLER)
    await (await open()).call("prog", { mode: "progress" }, call)
    expect(call.heard).toEqual(["step 1", "step 2", "step 3"])
  })

  it.each(["the caller leaves", "the source is closed"])(
    "leaves no process behind when %s, whatever it does about it",
    async how => {
      const source = await open()
      const call = new ListeningCall(CALLER)
      const calling = source.call("prog", { mode: "stubborn" }, call)
      const failed = expect(calling).rejects.toBeInstanceOf(YardError)
      await until(() => call.heard.length === 2, "both processes to run")
      const pids = call.heard.map(Number)
      expect(pids.every(isAlive)).toBe(true)
      if (how === "the caller leaves") call.abort(new YardError("cancelled", "left"))
      else await source.close()
      await failed
      await allGone(pids)
    },
  )

  it("answers although a process it left behind holds its output open, and ends that", async () => {
    const { content } = await run(await open(), "leave-behind")
    const pid = Number((content as { text: string }[])[0]?.text)
    expect(pid).toBeGreaterThan(0)
    await allGone([pid])
  })
})

describe("a command that can't be run", () => {
  it("is down with the reason where a placeholder is malformed", async () => {
    const source = await open({ args: ["{{oh no}}"] })
    expect(source.health()).toMatchObject({ state: "down", reason: expect.stringContaining("{{oh no}} is malformed") })
    await expect(run(source, "echo")).rejects.toMatchObject({ code: "server_down" })
  })

  it("says which folder or permission is missing", async () => {
    const gone = await open({ cwd: join(folder, "gone") })
    expect(gone.health().reason).toContain("gone of `cwd` is not there")
    await writeFile(join(folder, "plain.sh"), "#!/bin/sh\necho hi\n", { mode: 0o644 })
    const plain = await open({ command: "./plain.sh", args: [] })
    expect(plain.health().reason).toContain("chmod +x")
  })

  it("comes up by itself when the program appears, goes down when it disappears, and tells of it", async () => {
    const file = join(folder, "late.sh")
    const source = sourceOf({ command: "./late.sh", args: [] })
    const states: string[] = []
    const changes: unknown[] = []
    source.on("health", ({ state }) => states.push(state))
    source.on("changed", lists => changes.push(lists))
    await source.open(testContext())
    await writeFile(file, "#!/bin/sh\necho hi\n")
    await chmod(file, 0o755)
    await until(() => source.health().state === "up", "the program to be found")
    expect(await source.call("prog", {}, new Call(CALLER))).toMatchObject({ content: [{ text: "hi" }] })
    await rm(file)
    await expect(source.call("prog", {}, new Call(CALLER))).rejects.toMatchObject({ code: "server_down" })
    expect(source.health()).toMatchObject({ state: "down", nextRetryAt: expect.any(Number) })
    expect(source.list()?.tools).toHaveLength(1)
    expect([changes, states.at(0), states.at(-1)]).toEqual([[["tools"]], "down", "down"])
  })
})
