import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { type HostCase, startHost, textOf } from "./host-case.ts"

async function toolsOf(host: HostCase): Promise<Record<string, JsonObject>> {
  const { tools } = (await host.request("tools/list")).result as { tools: (JsonObject & { name: string })[] }
  return Object.fromEntries(tools.map(tool => [tool.name, tool]))
}

describe("the tools of a module", () => {
  it("V10 are its functions in their order, with what types and comments say; private ones are left out", async () => {
    await using host = startHost({
      "m.ts": `/** Sums and such. */

        /** Adds. @param a - first */
        export function add(a: number, b = 2): number { return a + b }
        export function _hidden() {}
        export const late = async (words: string[]) => ({ count: words.length })
        export const VALUE = 5
        export default function main() { return "main" }`,
    })
    const { result } = await host.request("initialize")
    expect(result).toMatchObject({ instructions: "Sums and such.", serverInfo: { name: "m" } })
    const tools = await toolsOf(host)
    expect(Object.keys(tools)).toEqual(["add", "late", "main"])
    expect(tools.add).toMatchObject({
      description: "Adds.",
      inputSchema: { properties: { a: { type: "number", description: "first" }, b: { default: 2 } }, required: ["a"] },
      outputSchema: { properties: { result: { type: "number" } }, "x-toolyard-wrapped": true },
    })
    expect((await host.call("add", { a: 1 })).structuredContent).toEqual({ result: 3 })
    expect((await host.call("late", { words: ["a"] })).structuredContent).toEqual({ count: 1 })
    expect(textOf(await host.call("main"))).toBe("main")
  })

  it("take a Standard Schema wherever the author puts one, over what the types say", async () => {
    await using host = startHost({
      "m.ts": `import { z } from "zod"
        export function greet({ name }: { name: any }) { return "hi " + name }
        greet.inputSchema = z.object({ name: z.string().min(2).describe("whom") })
        greet.description = "Greets."
        greet.annotations = { readOnlyHint: true }
        export const weather = {
          name: "get_weather", title: "Weather", description: "Tells.",
          parameters: z.object({ city: z.string().trim().default("Bonn"), at: z.date().optional() }),
          output: z.object({ city: z.string() }),
          prefix: "in ",
          async execute({ city }: any, { signal }: any) { return { city: this.prefix + city, secret: signal.aborted } },
        }
        export const plain = {
          inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
          run: (args: any) => args.n,
        }
        export function twice(n: number, times: number) { return n * times }
        export const schemas = { twice: { input: z.object({ n: z.coerce.number(), times: z.number().default(2) }), output: z.number() } }`,
    })
    const tools = await toolsOf(host)
    expect(Object.keys(tools).toSorted()).toEqual(["get_weather", "greet", "plain", "twice"])
    expect(tools.greet).toMatchObject({
      description: "Greets.",
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { name: { type: "string", minLength: 2, description: "whom" } } },
    })
    expect(tools.get_weather).toMatchObject({
      title: "Weather",
      description: "Tells.",
      inputSchema: { type: "object", properties: { city: { default: "Bonn" }, at: {} } },
      outputSchema: { type: "object", properties: { city: { type: "string" } } },
    })
    expect(tools.plain).toMatchObject({ inputSchema: { properties: { n: { type: "integer" } } } })
    expect(tools.twice).toMatchObject({ outputSchema: { properties: { result: { type: "number" } } } })

    expect(textOf(await host.call("greet", { name: "Bo" }))).toBe("hi Bo")
    expect(await host.call("greet", { name: "B" })).toMatchObject({ isError: true })
    expect((await host.call("get_weather", { city: " Köln " })).structuredContent).toEqual({ city: "in Köln" })
    expect(textOf(await host.call("plain", { n: 4 }))).toBe("4")
    expect((await host.call("twice", { n: "4" })).structuredContent).toEqual({ result: 8 })
  })

  it("take schemas by property name, as MCP's own SDK does", async () => {
    await using host = startHost({
      "m.js": `import { z } from "zod"
        export const add = { inputSchema: { a: z.number(), b: z.number().default(2), c: z.string().optional() }, run: args => args }`,
    })
    expect((await toolsOf(host)).add?.inputSchema).toMatchObject({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", default: 2 }, c: { type: "string" } },
      required: ["a"],
    })
    expect((await host.call("add", { a: 1, other: 1 })).structuredContent).toEqual({ a: 1, b: 2 })
    expect(textOf(await host.call("add", { c: 5 }))).toMatch(/\na: .+\nc: /)
  })

  it("name the path and message of every issue", async () => {
    await using host = startHost({
      "m.js": `export const save = { input: schema(async value => ({ issues: [
          { message: "too short", path: ["title"] }, { message: "no tag", path: [{ key: "tags" }, 0] }, { message: "bad" } ] })),
          run: () => "never" }
        export const broken = { output: schema(value => ({ issues: [{ message: "not mine" }] })), run: () => 5 }
        function schema(validate) { return { "~standard": { version: 1, vendor: "own", validate } } }`,
    })
    expect((await toolsOf(host)).save?.inputSchema).toEqual({ type: "object" })
    const result = await host.call("save")
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe("the arguments do not fit:\ntitle: too short\ntags.0: no tag\nbad")
    expect(textOf(await host.call("broken"))).toContain("output schema:\nnot mine")
  })

  it("ask any library for its JSON Schema in the ways that there are", async () => {
    await using host = startHost({
      "m.js": `const validate = value => ({ value })
        const standard = (vendor, jsonSchema) => ({ version: 1, vendor, validate, jsonSchema })
        const schema = { type: "object", title: "found" }
        export const one = { input: { "~standard": standard("a", { input: ({ target }) => ({ ...schema, target }) }) }, run() {} }
        export const two = { input: Object.assign(() => {}, { "~standard": standard("b"), toJSONSchema: () => schema }), run() {} }
        export const bad = { input: { "~standard": standard("c", { input() { throw new Error() } }) }, run() {} }
        export const union = { input: { anyOf: [schema] }, run() {} }
        export const self = { output: { type: "array", items: { $ref: "#" } }, run: () => [[]] }
        export const parts = { output: { $ref: "#/$defs/N", $defs: { N: { type: "number" } } }, run: () => 1 }`,
    })
    const tools = await toolsOf(host)
    expect(tools.one?.inputSchema).toMatchObject({ title: "found", target: "draft-2020-12" })
    expect(tools.two?.inputSchema).toMatchObject({ title: "found" })
    expect(tools.bad?.inputSchema).toEqual({ type: "object" })
    expect(tools.union?.inputSchema).toEqual({ type: "object", anyOf: [{ type: "object", title: "found" }] })
    expect(tools.self?.outputSchema).toBeUndefined()
    expect(tools.parts?.outputSchema).toMatchObject({
      properties: { result: { $ref: "#/$defs/N" } },
      $defs: { N: { type: "number" } },
    })
  })

  it("are only what is meant as one, not whatever has an `execute`", async () => {
    await using host = startHost({
      "m.ts": `class Pool { name = "pool"; execute(sql: string) { return sql } }
        export const pool = new Pool()
        export const settings = { run: (all: boolean) => all }
        export class Service { run() {} }
        /** Says so. */
        export const documented = { run: (all: boolean) => all }
        export const described = { description: "Says so, too.", execute: () => 1 }
        export const made = new (class { inputSchema = { type: "object" }; execute() { return "made" } })()`,
    })
    expect(Object.keys(await toolsOf(host)).toSorted()).toEqual(["described", "documented", "made"])
    expect(textOf(await host.call("documented", { all: true }))).toBe("true")
    expect(textOf(await host.call("made"))).toBe("made")
  })

  it("are named once each", async () => {
    await using host = startHost({
      "m.ts": `export function add() { return "function" }
        export const other = { name: "add", inputSchema: { type: "object" }, run: () => "object" }`,
    })
    expect(Object.keys(await toolsOf(host))).toEqual(["add"])
    expect(textOf(await host.call("add"))).toBe("function")
    expect(host.stderr()).toContain("two tools are named add")
  })
})
