/** Agent loops on the built package: the example as a program, and the SDKs that people use, against a scripted model. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { createAnthropic } from "@ai-sdk/anthropic"
import Anthropic from "@anthropic-ai/sdk"
import { generateText, stepCountIs } from "ai"
import OpenAI from "openai"
import { aiSdkTools, anthropicTools, openAiTools, openYard } from "toolyard"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allGone, linesOf } from "../fixtures/processes.ts"
import { type Asked, anthropic, chat, openModel, responses } from "./library-model.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const raw = { command: process.execPath, args: [join(ROOT, "tests/fixtures/raw-server.mjs")] }
const open = () => openYard({ cwd: folder, config: { mcpServers: { one: raw } } })
const apiKey = "none"

let folder: string
beforeAll(() => {
  // It has something to say about the made-up name of the model.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-agent-")))
  // The package as another project has it.
  mkdirSync(join(folder, "node_modules/@anthropic-ai"), { recursive: true })
  symlinkSync(join(ROOT, "packages/toolyard"), join(folder, "node_modules/toolyard"))
  symlinkSync(join(ROOT, "node_modules/@anthropic-ai/sdk"), join(folder, "node_modules/@anthropic-ai/sdk"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("examples/agent-loop", () => {
  it("C1 asks the model, runs its tools and prints the answer", async () => {
    const example = join(folder, "agent-loop")
    cpSync(join(ROOT, "examples/agent-loop"), example, {
      recursive: true,
      filter: source => !source.includes(".toolyard"),
    })
    await using model = await openModel(
      anthropic.use(["shop__stock", { article: "lamp" }], ["shop__reserve", { article: "chair", count: 1 }]),
      anthropic.say("There are twelve lamps, but no chairs."),
    )
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["agent.ts", "What is there?"], {
      cwd: example,
      env: { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: model.url },
    })
    expect(stdout).toBe("There are twelve lamps, but no chairs.\n")
    expect(stderr).toContain('→ shop__stock {"article":"lamp"}\n')

    const [first, second] = model.requests(2) as [Asked, Asked]
    expect(first.messages).toEqual([{ role: "user", content: "What is there?" }])
    const names = first.tools.map(({ name }) => name)
    expect(names.toSorted()).toEqual(["shop__reserve", "shop__stock"])
    for (const tool of first.tools) expect(Object.keys(tool)).toEqual(["name", "description", "input_schema"])
    expect(second.messages.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "toolu_0", content: '{"article":"lamp","pieces":12}' },
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: expect.stringContaining("only 0 pieces of chair are left"),
        is_error: true,
      },
    ])
  })
})

describe("agent loops of SDKs", () => {
  it("C1 run with the tool runner of @anthropic-ai/sdk", async () => {
    await using model = await openModel(
      anthropic.use(["one__echo", { text: "hello" }], ["one__fail", {}]),
      anthropic.say("done"),
    )
    await using yard = await open()
    const client = new Anthropic({ apiKey, baseURL: model.url })
    const final = await client.beta.messages.toolRunner({
      model: "scripted",
      max_tokens: 100,
      messages: [{ role: "user", content: "go" }],
      tools: anthropicTools(yard),
    })
    expect(final.content).toMatchObject([{ type: "text", text: "done" }])
    const [, second] = model.requests(2) as [Asked, Asked]
    expect(second.messages.at(-1)?.content).toMatchObject([
      { tool_use_id: "toolu_0", content: "hello" },
      { tool_use_id: "toolu_1", content: expect.stringContaining("it failed"), is_error: true },
    ])
  })

  it("C4 go on in the AI SDK when a server dies in the middle of a call", async () => {
    await using model = await openModel(
      anthropic.use(["one__echo", { text: "hello" }]),
      anthropic.use(["one__die", {}]),
      anthropic.say("It died."),
    )
    await using yard = await open()
    const tools = aiSdkTools(yard)
    const { text, steps } = await generateText({
      model: createAnthropic({ apiKey, baseURL: `${model.url}/v1` })("scripted"),
      tools,
      stopWhen: stepCountIs(5),
      prompt: "go",
    })
    expect(text).toBe("It died.")
    expect(steps[0]?.toolResults).toMatchObject([{ toolName: "one__echo", output: { text: "hello", isError: false } }])
    const [first, second, third] = model.requests(3) as [Asked, Asked, Asked]
    const echo = first.tools.find(({ name }) => name === "one__echo")
    expect(echo?.input_schema).toEqual(yard.tools({ include: "one__echo" })[0]?.inputSchema)
    expect(first.tools.map(({ name }) => name)).toEqual(yard.tools().map(({ id }) => id))
    expect(second.messages.at(-1)?.content).toMatchObject([{ type: "tool_result", content: "hello" }])
    expect(third.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", is_error: true, content: expect.stringContaining("it is being restarted") },
    ])
  })

  it("C1 run with the Chat Completions of OpenAI", async () => {
    await using model = await openModel(chat.use("one__echo", { text: "hello" }), chat.say("done"))
    await using yard = await open()
    const client = new OpenAI({ apiKey, baseURL: model.url })
    const tools = openAiTools(yard, { include: "one__e*" })
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }]
    const first = await client.chat.completions.create({ model: "scripted", messages, tools })
    const reply = first.choices[0]?.message as OpenAI.ChatCompletionMessage
    const answers = await Promise.all((reply.tool_calls ?? []).map(call => tools.handle(call)))
    messages.push(reply, ...answers)
    const last = await client.chat.completions.create({ model: "scripted", messages, tools })
    expect(last.choices[0]?.message.content).toBe("done")
    const [asked, again] = model.requests(2) as [Asked, Asked]
    expect(asked.tools).toEqual([
      {
        type: "function",
        function: {
          name: "one__echo",
          description: "The echo tool",
          parameters: yard.tools({ include: "one__echo" })[0]?.inputSchema,
        },
      },
      expect.objectContaining({ type: "function" }),
    ])
    expect(again.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "call_1", content: "hello" })
    // A tool that the model was not given stays out of its reach.
    const refused = await tools.handle({
      id: "call_2",
      type: "function",
      function: { name: "one__fail", arguments: "{}" },
    })
    expect(refused.content).toMatch(/^Error: there is no tool "one__fail"/)
  })

  it("C1 run with the Responses of OpenAI", async () => {
    await using model = await openModel(responses.use("one__echo", { text: "hello" }), responses.say("done"))
    await using yard = await open()
    const client = new OpenAI({ apiKey, baseURL: model.url })
    const tools = openAiTools(yard, { api: "responses", include: "one__echo" })
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "go" }]
    const first = await client.responses.create({ model: "scripted", input, tools })
    for (const item of first.output) if (item.type === "function_call") input.push(item, await tools.handle(item))
    const last = await client.responses.create({ model: "scripted", input, tools })
    expect(last.output_text).toBe("done")
    const [asked, again] = model.requests(2) as [Asked, Asked]
    expect(Object.keys(asked.tools[0] as object).toSorted()).toEqual([
      "description",
      "name",
      "parameters",
      "strict",
      "type",
    ])
    expect(again.input.at(-1)).toEqual({ type: "function_call_output", call_id: "call_1", output: "hello" })
  })
})

describe("a program that uses the library", () => {
  const write = (name: string, code: string): string => {
    writeFileSync(join(folder, name), code)
    return name
  }

  it("C2 is not touched by the import: no output, no handlers, nothing left to wait for", async () => {
    const program = write(
      "import.mjs",
      `const count = () => process.eventNames().map(name => [name, process.listenerCount(name)])
      const before = JSON.stringify(count())
      await import("toolyard")
      if (JSON.stringify(count()) !== before) throw new Error("the import added handlers to the process")`,
    )
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { cwd: folder })
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" })
  })

  it.each(["SIGINT", "SIGKILL"] as const)("leaves no process behind when it ends by %s", async signal => {
    const log = join(folder, `spawned-${signal}`)
    const program = write(
      "stay.mjs",
      `import { openYard } from "toolyard"
      const args = [${JSON.stringify(raw.args[0])}, "--spawn-log", process.argv[2], "--grandchild", "--ignore-term"]
      const yard = await openYard({ config: { mcpServers: { one: { command: process.execPath, args } } } })
      console.log(await yard.call("one__grandchild"))`,
    )
    const child = spawn(process.execPath, [program, log], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    const [grandchild] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
    child.kill(signal)
    await allGone([child.pid as number, Number(grandchild), ...linesOf(log).map(Number)])
  })
})
