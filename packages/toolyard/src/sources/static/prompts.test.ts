import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../model/json.ts"
import type { StaticSource } from "./source.ts"
import { newCall, type Project, startProject } from "./static.fixture.ts"

let project: Project
let source: StaticSource
beforeAll(async () => {
  project = await startProject()
  await mkdir(join(project.root, "docs/deep"), { recursive: true })
  await mkdir(join(project.root, "docs/node_modules"))
  for (const name of ["a.md", "b c.md", "deep/about.md", ".hidden.md", "x,y.txt", "node_modules/n.md"]) {
    await writeFile(join(project.root, "docs", name), "")
  }
  source = await project.open({
    prompts: {
      plain: { description: "Plain", text: "Just this" },
      short: "Hello {{name}}",
      review: {
        title: "Review",
        description: "Reviews code",
        arguments: [
          { name: "tone", description: "How", enum: ["kind", "strict"], default: "kind" },
          { name: "depth", type: "integer", required: true },
          { name: "verbose", type: "boolean" },
          { name: "language", values: ["TypeScript", "Rust", "JavaScript"] },
        ],
        messages: [
          { role: "assistant", content: "I am {{tone}}." },
          { content: { type: "resource_link", uri: "file://{{file}}", name: "{{file}}" } },
          "Depth {{depth}}, verbose {{verbose}}.",
        ],
      },
      byName: { text: "{{who}} {{since=monday}}", arguments: { who: "Who it is", extra: {} } },
    },
    resources: {
      "variable://one": "1",
      "variable://two": "2",
      "variable://{name}": {},
      "file://docs/{name}.md": {},
      "file://./docs/{+path}": {},
      "file://{+path}": {},
      "server://other/echo{?unit}": { arguments: { unit: { enum: ["celsius", "fahrenheit"] } } },
    },
  })
})
afterAll(() => project.end())

const get = (name: string, args: JsonObject = {}): Promise<JsonObject> => source.prompt(name, args, newCall())

describe("prompts written in the configuration", () => {
  it("V8 are listed with their arguments, those that are only used included", () => {
    expect(source.list()?.prompts).toEqual([
      { name: "plain", description: "Plain" },
      { name: "short", arguments: [{ name: "name", required: true }] },
      {
        name: "review",
        title: "Review",
        description: "Reviews code",
        arguments: [
          { name: "tone", description: "How One of: kind, strict. Default: kind.", required: false },
          { name: "depth", description: "Type: integer.", required: true },
          { name: "verbose", description: "Type: boolean.", required: false },
          { name: "language", required: false },
          { name: "file", required: true },
        ],
      },
      {
        name: "byName",
        arguments: [
          { name: "who", description: "Who it is", required: false },
          { name: "extra", required: false },
          { name: "since", description: "Default: monday.", required: false },
        ],
      },
    ])
  })

  it("V8 become messages, with and without arguments", async () => {
    expect(await get("plain")).toEqual({
      description: "Plain",
      messages: [{ role: "user", content: { type: "text", text: "Just this" } }],
    })
    expect(await get("short", { name: "{{name}} <b>" })).toEqual({
      messages: [{ role: "user", content: { type: "text", text: "Hello {{name}} <b>" } }],
    })
    expect(await get("review", { depth: "3", file: "a.ts" })).toEqual({
      description: "Reviews code",
      messages: [
        { role: "assistant", content: { type: "text", text: "I am kind." } },
        { role: "user", content: { type: "resource_link", uri: "file://a.ts", name: "a.ts" } },
        { role: "user", content: { type: "text", text: "Depth 3, verbose ." } },
      ],
    })
    expect(await get("byName")).toMatchObject({ messages: [{ content: { text: " monday" } }] })
    // Forms send what was left empty as an empty text.
    expect(await get("review", { depth: 3, file: "", tone: "", verbose: "" })).toMatchObject({
      messages: [{ content: { text: "I am kind." } }, {}, {}],
    })
  })

  it.each([
    ["review", { file: "x" }, 'the argument "depth" is missing'],
    ["review", { file: "x", depth: "" }, 'the argument "depth" is missing'],
    ["review", { file: "x", depth: "deep" }, 'the argument "depth" must be a whole number'],
    ["review", { file: "x", depth: "1.5" }, 'the argument "depth" must be a whole number'],
    ["review", { file: "x", depth: "1", verbose: "yes" }, 'the argument "verbose" must be true or false'],
    ["review", { file: "x", depth: "1", tone: "rude" }, 'the argument "tone" must be one of "kind", "strict"'],
    ["review", { file: { a: 1 }, depth: "1" }, 'the argument "file" must be a text'],
    ["short", { name: "x", nmae: "y" }, 'there is no argument "nmae"; its arguments are name'],
    ["plain", { x: "y" }, 'there is no argument "x"; it has none'],
    ["short", { toString: "y" }, 'there is no argument "toString"'],
  ])("V8 %s refuses %j: %s", async (name, args, message) => {
    await expect(get(name, args)).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining(message),
    })
  })

  it("V8 are not found under any other name", async () => {
    for (const name of ["Plain", "", "__proto__"]) {
      await expect(get(name)).rejects.toMatchObject({ code: "unknown_prompt" })
    }
  })
})

describe("completion", () => {
  const complete = async (ref: JsonObject, name: string, value: string, context?: JsonObject): Promise<unknown> => {
    const { completion } = await source.complete(
      { ref, argument: { name, value }, ...(context && { context }) },
      newCall(),
    )
    return (completion as { values: string[] }).values
  }
  const prompt = (name: string, value: string): Promise<unknown> =>
    complete({ type: "ref/prompt", name: "review" }, name, value)
  const template = (uri: string, name: string, value: string): Promise<unknown> =>
    complete({ type: "ref/resource", uri }, name, value)

  it("V8 proposes the values of prompts: what begins so first, then what has it elsewhere", async () => {
    expect(await prompt("tone", "")).toEqual(["kind", "strict"])
    expect(await prompt("tone", "STR")).toEqual(["strict"])
    expect(await prompt("verbose", "f")).toEqual(["false"])
    expect(await prompt("language", "script")).toEqual(["TypeScript", "JavaScript"])
    expect(await prompt("language", "r")).toEqual(["Rust", "TypeScript", "JavaScript"])
    expect(await prompt("depth", "1")).toEqual([])
    expect(await prompt("nothing", "")).toEqual([])
  })

  it("proposes the project's files for templates, hidden ones and dependencies left out", async () => {
    expect(await template("file://docs/{name}.md", "name", "")).toEqual(["a", "b c"])
    expect(await template("file://./docs/{+path}", "path", "")).toEqual(["a.md", "b c.md", "x,y.txt", "deep/about.md"])
    expect(await template("file://{+path}", "path", "docs/d")).toEqual(["docs/deep/about.md"])
    expect(await template("file://docs/{name}.md", "other", "")).toEqual([])
  })

  it("proposes declared values and what is written out for other templates", async () => {
    expect(await template("server://other/echo{?unit}", "unit", "f")).toEqual(["fahrenheit"])
    expect(await template("variable://{name}", "name", "t")).toEqual(["two"])
  })

  it("gives at most a hundred, and says how many there are", async () => {
    const values = Array.from({ length: 250 }, (_, index) => `v${index}`)
    const many = await project.open({ prompts: { p: { text: "{{a}}", arguments: { a: { values } } } } })
    const ref = { type: "ref/prompt", name: "p" }
    expect(await many.complete({ ref, argument: { name: "a", value: "v" } }, newCall())).toEqual({
      completion: { values: values.slice(0, 100), total: 250, hasMore: true },
    })
  })

  it("refuses what is not there", async () => {
    for (const ref of [{ type: "ref/prompt", name: "none" }, { type: "ref/resource", uri: "x://{y}" }, {}]) {
      await expect(complete(ref, "a", "")).rejects.toMatchObject({ code: "invalid_params" })
    }
  })
})
