import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CommandEntry, ServerConfig } from "../../model/config.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Source } from "../../model/source.ts"
import { CommandSource } from "../command/source.ts"
import { describeSource } from "../source.contract.ts"
import { startWatchdog } from "../upstream/watchdog.ts"
import { StaticSource } from "./source.ts"
import { cidFor, configOf, newCall, type Project, StaticSourceInYard, startProject, yardIn } from "./static.fixture.ts"

const watchdog = startWatchdog()
let project: Project
beforeAll(async () => {
  project = await startProject()
})
afterAll(async () => {
  await project.end()
  watchdog.close()
})

const PROGRAM = join(import.meta.dirname, "../command/program.fixture.mjs")
function command(entry: Partial<CommandEntry> = {}): { config: Partial<ServerConfig>; source: Source } {
  const whole: CommandEntry = {
    type: "command",
    command: process.execPath,
    args: [PROGRAM, "{{mode}}", "{{text?}}"],
    env: {},
    cwd: tmpdir(),
    parameters: {},
    ...entry,
  }
  const config = { name: "prog", entry: whole }
  return { config, source: new CommandSource(configOf({}, config), watchdog) }
}
function broken(): Source {
  const { config, source } = command({ command: "no-such-command-anywhere" })
  return new StaticSource(configOf({}, config), source)
}

const TOOLS = {
  echo: { text: "You said {{text}}" },
  progress: { call: "other__progress" },
  slow: { call: "other__slow" },
  failing: { call: "other__fail" },
}

describeSource("static", {
  open: () => new StaticSourceInYard(configOf({ tools: TOOLS }), yardIn(tmpdir())),
  openBroken: broken,
  echo: { tool: "echo", args: { text: "hello there" }, text: "You said hello there" },
  progress: { tool: "progress", args: {} },
  slow: { tool: "slow", args: {} },
  failing: { tool: "failing", args: {} },
})

describeSource("static, laid over a command", {
  open: () => {
    const { config, source } = command()
    return new StaticSource(configOf({ tools: TOOLS, resources: { "variable://a": "b" } }, config), source)
  },
  openBroken: broken,
  echo: { tool: "prog", args: { mode: "echo", text: "hello there" }, text: "hello there" },
  progress: { tool: "prog", args: { mode: "progress" } },
  slow: { tool: "prog", args: { mode: "slow" } },
  failing: { tool: "prog", args: { mode: "fail" } },
})

describe("tools written in the configuration", () => {
  const call = async (tool: JsonObject, args: JsonObject = {}): Promise<JsonObject> =>
    (await project.open({ tools: { it: tool } })).call("it", args, newCall())

  it("V5 are offered as they are written, with a schema made of their placeholders", async () => {
    const source = await project.open({
      tools: {
        hello: {
          title: "Hello",
          description: "Greets",
          annotations: { readOnlyHint: true },
          text: "Hi {{name}}, {{n?}}",
        },
        add: { inputSchema: { properties: { a: { type: "number" } }, required: ["a"] }, structured: { a: "{{a}}" } },
      },
    })
    expect(source.list()?.tools).toEqual([
      {
        name: "hello",
        title: "Hello",
        description: "Greets",
        annotations: { readOnlyHint: true },
        inputSchema: {
          type: "object",
          properties: { name: { type: "string" }, n: { type: "string" } },
          required: ["name"],
          additionalProperties: false,
        },
      },
      {
        name: "add",
        inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      },
    ])
    expect(source.list()).toBe(source.list())
    expect(source.list()?.capabilities).toEqual({ tools: {} })
  })

  it("give texts, blocks and structured results with the values in their places", async () => {
    expect(await call({ text: "Hi {{name}}{{last?}}" }, { name: "Ünï" })).toEqual({
      content: [{ type: "text", text: "Hi Ünï" }],
    })
    expect(
      await call(
        {
          content: [
            { type: "text", text: "{{n}}" },
            { type: "image", data: "aGk=", mimeType: "{{m}}" },
          ],
        },
        { n: 4, m: "image/png" },
      ),
    ).toEqual({
      content: [
        { type: "text", text: "4" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
    })
    expect(await call({ structured: { n: "{{n}}", gone: "{{g?}}", all: ["{{n}}"] } }, { n: 4 })).toEqual({
      content: [{ type: "text", text: '{"n":4,"all":[4]}' }],
      structuredContent: { n: 4, all: [4] },
    })
  })

  it("call other tools with arguments of their own and those they are given", async () => {
    const tool = { call: "other__structured", arguments: { fixed: 1, n: "{{n}}", text: "<{{n}}>", gone: "{{g?}}" } }
    expect((await call(tool, { n: 2 })).structuredContent).toEqual({ fixed: 1, n: 2, text: "<2>" })
    expect(await call({ call: "other__fail" })).toMatchObject({ isError: true })
    await expect(call({ call: "nobody__here" })).rejects.toMatchObject({ code: "unknown_tool" })
  })

  it("V6 give the content under a content id: text as text, a picture as a picture", async () => {
    const [words, picture, gone] = [cidFor("words"), cidFor("picture"), cidFor("gone")]
    project.blobs.push(
      { cid: words, bytes: Buffer.from("wörds"), mediaType: "text/plain" },
      { cid: picture, bytes: Buffer.from([0xff, 0xd8, 0xff, 0]), mediaType: "application/octet-stream" },
    )
    expect(await call({ cid: words })).toEqual({ content: [{ type: "text", text: "wörds" }] })
    expect(await call({ cid: `cid://${picture}` })).toEqual({
      content: [{ type: "image", data: "/9j/AA==", mimeType: "image/jpeg" }],
    })
    expect(await call({ cid: gone })).toMatchObject({ isError: true })
  })

  it("take defaults from their schema, and say what is missing", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "integer", default: 3 }, b: {} }, required: ["b"] }
    expect(await call({ inputSchema, text: "{{a}}{{b}}" }, { b: "x" })).toMatchObject({ content: [{ text: "3x" }] })
    await expect(call({ inputSchema, text: "{{a}}{{b}}" })).rejects.toMatchObject({
      code: "invalid_arguments",
      message: '"b" is missing',
    })
  })
})

describe("what is faulty in the configuration", () => {
  it.each([
    ["tools", { description: "nothing" }, "says nothing of what calling it gives"],
    ["tools", { text: "a", cid: "b" }, "has text and cid: keep one"],
    ["tools", { text: "{{a b}}" }, "{{a b}} is malformed"],
    ["tools", { text: 5 }, "not a string"],
    ["tools", { text: "a", inputSchema: "x" }, "`inputSchema` that is not"],
    ["tools", { text: "a", inputSchema: { type: "string" } }, "`inputSchema` that is not"],
    ["tools", { text: "{{a}}", inputSchema: { properties: { b: {} } } }, "uses {{a}}"],
    ["tools", { text: "a", outputSchema: { type: "object" } }, "`outputSchema`"],
    ["tools", { text: "a", arguments: {} }, "only go with `call`"],
    ["tools", { call: "a__b", arguments: [] }, "not an object"],
    ["tools", { content: ["a"] }, "not a list of blocks"],
    ["tools", { structured: [] }, "not an object"],
    ["tools", { cid: "../../x" }, "no content id"],
    ["tools", { text: "a", description: 4 }, "`description` that is not a string"],
    ["tools", "text", "must be an object"],
    ["prompts", { description: "nothing" }, "says nothing"],
    ["prompts", { text: "a", messages: [] }, "keep one"],
    ["prompts", { messages: [{ role: "system", content: "a" }] }, "role"],
    ["prompts", { messages: [{ content: 5 }] }, "neither a text nor a block"],
    ["prompts", { text: "{{a", arguments: [] }, "never closed"],
    ["prompts", { text: "a", arguments: [{ name: "x" }, { name: "x" }] }, 'two arguments named "x"'],
    ["prompts", { text: "a", arguments: { x: { type: "date" } } }, "type is not one of"],
    ["prompts", { text: "a", arguments: { x: { type: "integer", default: "y" } } }, "must be a whole number"],
    ["prompts", { text: "a", arguments: 5 }, "neither a list nor an object"],
  ])("under %s, %j, is left out and told of: %s", async (kind, item, why) => {
    const good = kind === "tools" ? { text: "good" } : { text: "good" }
    project.logged.length = 0
    const source = await project.open({ [kind]: { faulty: item, good } })
    expect(source.health().state).toBe("up")
    expect(source.list()?.[kind as "tools" | "prompts"].map(({ name }) => name)).toEqual(["good"])
    expect(project.logged).toEqual([expect.stringContaining(why)])
    expect(project.logged[0]).toContain('"faulty" is left out: ')
    expect(source.logs()).toEqual(project.logged)
  })

  it.each([
    ["no scheme", "text", "is not a URI"],
    ["variable://a b", "text", "is not a URI"],
    ["variable://%z", "text", "is not a URI"],
    ["variable://a", {}, "says nothing of its content"],
    ["https://example.com/a", {}, "says nothing of its content"],
    ["variable://a", { text: "a", json: 1 }, "keep one"],
    ["variable://a", { blob: "not base64!" }, "not base64"],
    ["variable://a", { text: 5 }, "not a string"],
    ["variable://a", 5, "must be a text or an object"],
    ["variable://{a", "text", "brace"],
    ["variable://{a}", "{{b}}", "has no {b}"],
    ["server://only", {}, "must be server://"],
    ["server://w/get?city={+city}", {}, "has {+…}"],
    ["file://../x", {}, "not within the project"],
    ["file://a/%2e%2e/../x", {}, "not within the project"],
    ["file://.toolyard/{name}", {}, "not within the project"],
    ["file://{+path}", { arguments: { path: { enum: 4 } } }, "not a list"],
  ])("under resources, %s: %j, is left out and told of: %s", async (uri, item, why) => {
    project.logged.length = 0
    const source = await project.open({ resources: { [uri]: item, "variable://good": "good" } })
    expect(source.list()).toMatchObject({ resources: [{ uri: "variable://good" }], templates: [] })
    expect(project.logged).toEqual([expect.stringContaining(why)])
  })
})

describe("laid over another source", () => {
  it("comes after what that one has, goes before it under the same name, and leaves it its tools", async () => {
    const { config, source: inner } = command()
    const over = await project.open({ tools: { more: { text: "more" } }, prompts: { p: { text: "p" } } }, inner, config)
    expect(over.type).toBe("command")
    expect(over.list()?.tools.map(({ name }) => name)).toEqual(["prog", "more"])
    expect(over.list()?.tools[0]).toBe(inner.list()?.tools[0])
    expect(over.list()?.capabilities).toEqual({ tools: {}, prompts: {}, completions: {} })
    const replacing = await project.open({ tools: { prog: { text: "mine" } } }, command().source, config)
    expect(replacing.list()?.tools).toHaveLength(1)
    expect(await replacing.call("prog", {}, newCall())).toEqual({ content: [{ type: "text", text: "mine" }] })
  })

  it("offers only what is written or named when nothing is to be discovered", async () => {
    const { config, source } = command()
    const none = await project.open({ tools: { more: { text: "m" } } }, source, { ...config, discover: false })
    expect(none.list()?.tools.map(({ name }) => name)).toEqual(["more"])
    await expect(none.call("prog", { mode: "echo" }, newCall())).rejects.toMatchObject({ code: "unknown_tool" })
    await expect(none.read("variable://x", newCall())).rejects.toMatchObject({ code: "unknown_resource" })
    const named = await project.open({}, command().source, { ...config, discover: false, tools: { prog: {} } })
    expect(named.list()?.tools.map(({ name }) => name)).toEqual(["prog"])
    expect(await named.call("prog", { mode: "echo", text: "a" }, newCall())).toMatchObject({ content: [{ text: "a" }] })
  })

  it("keeps what is written when the other one is down", async () => {
    const { config, source } = command({ command: "no-such-command-anywhere" })
    const over = await project.open({ tools: { more: { text: "m" } } }, source, config)
    expect(over.health().state).toBe("down")
    // Nothing is known of what the other one can do, so nothing is ruled out.
    expect(over.list()).toMatchObject({ tools: [{ name: "more" }], capabilities: {} })
    expect(await over.call("more", {}, newCall())).toMatchObject({ content: [{ text: "m" }] })
  })
})
