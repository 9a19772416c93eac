import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { describeFiles, describeSource } from "./describe-files.ts"

const exportsOf = (code: string) => describeSource(code).functions.map(one => one.export)

describe("V10 what of a module becomes a tool", () => {
  it("is every exported function, however it is written, in the order of the file", () => {
    expect(
      exportsOf(`
        export const arrow = (a: string) => a
        function later() {}
        export async function wait() {}
        export const expression = function (a: string) { return a }
        export function* numbers() { yield 1 }
        export async function* lines() { yield "a" }
        export { later as renamed }
        export default function main() {}`),
    ).toEqual(["arrow", "renamed", "wait", "expression", "numbers", "lines", "default"])
  })

  it("is nothing else: no class, type, enum, value, private name or hidden function", () => {
    expect(
      exportsOf(`
        export class Box { open() {} }
        export interface Shape { area(): number }
        export type Run = () => void
        export enum Color { Red }
        export const size = 3, list = [() => 1]
        export namespace Deep { export function inner() {} }
        export function _private() {}
        /** @internal */ export function a() {}
        /** @hidden */ export function b() {}
        /** Says something. @ignore */ export const c = () => 1
        function local() {}
        export function shown() {}`),
    ).toEqual(["shown"])
  })

  it("comes after the rest when it is another file's", () => {
    const { functions, get } = describeFiles({
      "module.ts": `export * from "./more.ts"\nexport { one as uno } from "./more.ts"\nexport function own() {}`,
      "more.ts": "/** One. */\nexport function one(a: string) { return a }\nexport function two() {}\n",
    })
    expect(functions.map(one => one.export)).toEqual(["own", "one", "uno", "two"])
    expect(get("uno").definition).toMatchObject({ name: "uno", description: "One." })
  })

  it("names a default export after its function, else after the file", () => {
    expect(describeSource("export default function greet() {}").get("default").definition.name).toBe("greet")
    expect(describeSource("const hi = () => 1\nexport default hi").get("default").definition.name).toBe("hi")
    const { get } = describeFiles({ "my tools.ts": "export default (a: string) => a" })
    expect(get("default").definition.name).toBe("my_tools")
  })

  it("has each name once, and says what it leaves out", () => {
    const same = describeSource("export function f() {}\nexport default f")
    expect([same.functions.map(one => one.export), same.problems]).toEqual([["f"], []])
    const other = describeSource(
      "export function f() {}\n\nexport default function module() {}\nexport { f as module }",
    )
    expect(other.functions.map(one => one.export)).toEqual(["f", "module"])
    expect(other.problems).toEqual(["module.ts:3: module: there is a tool of that name already"])
  })

  it("is an object with run or execute, too", () => {
    const { get } = describeSource(`
      /** Greets. */
      export const hello = { description: "x", run(input: { who: string }, context: ToolContext) { return input.who } }
      export const other = { execute: async (a: number) => a }`)
    expect(get("hello")).toMatchObject({
      definition: { name: "hello", description: "Greets.", inputSchema: { properties: { who: { type: "string" } } } },
      parameters: [{ kind: "whole" }, { kind: "context" }],
    })
    expect(get("other").parameters).toEqual([{ kind: "named", name: "a" }])
    const alone = describeSource("export default { run(a: string) { return a } }").get("default")
    expect(alone.definition.name).toBe("module")
  })

  it("takes of overloads the last that has a comment, else the first", () => {
    const { get } = describeSource(`
      /** By id. */ export function find(id: number): string
      /** By name. */ export function find(name: string): string
      export function find(x: boolean): string
      export function find(x: unknown) { return "" }
      export function plain(id: number): string
      export function plain(name: string): string
      export function plain(x: unknown) { return "" }`)
    expect(get("find").definition).toMatchObject({ description: "By name.", inputSchema: { required: ["name"] } })
    expect(get("plain").definition).toMatchObject({ inputSchema: { required: ["id"] } })
  })
})

describe("V10 arguments become parameters", () => {
  const plan = (signature: string) => describeSource(`export function f${signature} {}`).get("f")

  it.each<[string, unknown[]]>([
    ["()", []],
    [
      "(a: string, b?: number)",
      [
        { kind: "named", name: "a" },
        { kind: "named", name: "b" },
      ],
    ],
    ["(...all: string[])", [{ kind: "named", name: "all", rest: true }]],
    ["(input: { a: string })", [{ kind: "whole" }]],
    ["(input?: { a: string })", [{ kind: "whole" }]],
    ["({ a, b = 2 }: { a: string; b?: number })", [{ kind: "whole" }]],
    ["<T extends { a: string }>(input: T)", [{ kind: "whole" }]],
    ["(a: string[])", [{ kind: "named", name: "a" }]],
    ["(at: Date)", [{ kind: "named", name: "at" }]],
    ["(data: Uint8Array)", [{ kind: "named", name: "data" }]],
    ["(map: Map<string, number>)", [{ kind: "named", name: "map" }]],
    ["(any: unknown)", [{ kind: "named", name: "any" }]],
    ["(input: { a: 1 } | { b: 2 })", [{ kind: "named", name: "input" }]],
    ["(input: { a: 1 } | null)", [{ kind: "named", name: "input" }]],
    ["(this: Window, a: string)", [{ kind: "named", name: "a" }]],
    ["(input: { a: 1 }, context: ToolContext)", [{ kind: "whole" }, { kind: "context" }]],
    ["(ctx: ToolContext, a: string)", [{ kind: "context" }, { kind: "named", name: "a" }]],
    ["(a: string, ctx?: yard.ToolContext | undefined)", [{ kind: "named", name: "a" }, { kind: "context" }]],
    ['(ctx: import("toolyard").ToolContext)', [{ kind: "context" }]],
  ])("%s", (signature, parameters) => {
    expect(plan(signature).parameters).toEqual(parameters)
  })

  it("keeps the context out of the schema", () => {
    expect(plan("(a: string, ctx: ToolContext)").definition.inputSchema).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    })
  })

  it("has defaults that are constants, and asks for nothing that has one", () => {
    const { get } = describeSource(`
      const LIMIT = 20
      enum Color { Red = "r" }
      export function f(a = 1, b = -2, c = "x", d = [1, "y"], e = { k: true }, g = null, h = LIMIT, i = Color.Red,
        j = Date.now(), k = \`t\` as const) {}
      export function g({ a = 1, b: { c = "d" } = {}, e }: { a: number; b?: { c?: string }; e: string }) {}
      type Handler = (input: { n?: number }) => void
      export const h: Handler = ({ n = 7 }) => {}`)
    const { properties, required } = get("f").definition.inputSchema as {
      properties: Record<string, { default: unknown }>
      required?: string[]
    }
    const defaults = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.default]))
    expect(defaults).toEqual({
      a: 1,
      b: -2,
      c: "x",
      d: [1, "y"],
      e: { k: true },
      g: null,
      h: 20,
      i: "r",
      j: undefined,
      k: "t",
    })
    expect(required).toBeUndefined()
    expect(get("g").definition.inputSchema).toMatchObject({
      properties: { a: { default: 1 }, b: { properties: { c: { default: "d" } } } },
      required: ["e"],
    })
    expect(get("h").definition.inputSchema).toMatchObject({ properties: { n: { default: 7 } } })
  })

  it("says which parameters can't come as JSON, and where", () => {
    const { get, problems } = describeSource("\nexport function f(a: string, done: () => void, s: symbol) {}")
    expect(get("f").definition.inputSchema).toMatchObject({ properties: { a: { type: "string" } }, required: ["a"] })
    expect(get("f").parameters).toHaveLength(3)
    expect(problems).toEqual([
      "module.ts:2: f: the parameter done can't come as JSON and is left out",
      "module.ts:2: f: the parameter s can't come as JSON and is left out",
    ])
  })

  it("says when a type is too large, and describes the rest", () => {
    const { get, problems } = describeSource(`
      type D = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
      type Large = { [K in \`\${D}\${D}\${D}-\${"a" | "b"}\`]: { key: K } }
      export function f(all: Large, more: string) {}`)
    expect(problems).toEqual(["module.ts:4: f: its parameters are too large to be described whole"])
    expect(get("f").definition.inputSchema).toMatchObject({
      properties: { all: { type: "object" }, more: { type: "string" } },
    })
  })

  it("sees through functions that wrap others", () => {
    const { get } = describeSource(`
      const wrap = <A extends unknown[], R>(f: (...args: A) => R) => (...args: A) => f(...args)
      export const f = wrap((city: string, days?: number) => city.length)`)
    expect(get("f")).toMatchObject({
      parameters: [
        { kind: "named", name: "city" },
        { kind: "named", name: "days" },
      ],
      definition: {
        inputSchema: { properties: { city: { type: "string" }, days: { type: "number" } }, required: ["city"] },
      },
    })
  })

  it("marks what has to be revived", () => {
    const { get } = describeSource(
      "export function f(a: Date, b: Uint8Array, c: Map<string, Set<bigint>>, d: URL, e: RegExp) {}",
    )
    expect(get("f").definition.inputSchema).toMatchObject({
      properties: {
        a: { "x-toolyard-type": "Date", format: "date-time" },
        b: { "x-toolyard-type": "Uint8Array", contentEncoding: "base64" },
        c: {
          "x-toolyard-type": "Map",
          additionalProperties: { "x-toolyard-type": "Set", items: { "x-toolyard-type": "bigint" } },
        },
        d: { "x-toolyard-type": "URL" },
        e: { "x-toolyard-type": "RegExp" },
      },
    })
  })

  it("keeps its own types apart from those of the language that have the same name", () => {
    const { get } = describeSource("interface Date { day: number }\nexport function f(a: Date, b: 1) {}\nexport {}")
    expect(get("f").definition.inputSchema).toMatchObject({
      properties: { a: { properties: { day: { type: "number" } } } },
    })
  })
})

describe("V10 results", () => {
  const output = (type: string) => {
    const { definition, wrapped } = describeSource(
      `interface P { x: number }\nexport function f(): ${type} { throw 0 }`,
    ).get("f")
    return { schema: definition.outputSchema as Record<string, unknown> | undefined, wrapped }
  }

  it.each(["P", "Promise<P>", "P | Promise<P>", "PromiseLike<P>"])("%s is an object", type => {
    const schema = { type: "object", properties: { x: { type: "number" } }, required: ["x"] }
    expect(output(type)).toEqual({ schema, wrapped: false })
  })

  it.each<[string, unknown]>([
    ["string", { type: "string" }],
    ["Promise<number>", { type: "number" }],
    ["boolean", { type: "boolean" }],
    ["string | null", { type: ["null", "string"] }],
    ["'a' | 'b'", { type: "string", enum: ["a", "b"] }],
    ["P[]", { type: "array", items: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } }],
    ["Generator<string>", { type: "array", items: { type: "string" } }],
    ["AsyncGenerator<number, void>", { type: "array", items: { type: "number" } }],
    ["AsyncIterable<string>", { type: "array", items: { type: "string" } }],
    ["Promise<Set<string>>", { type: "array", uniqueItems: true, items: { type: "string" } }],
    ["Date", { type: "string", format: "date-time" }],
  ])("%s is wrapped", (type, result) => {
    const schema = { type: "object", properties: { result }, required: ["result"], "x-toolyard-wrapped": true }
    expect(output(type)).toEqual({ schema, wrapped: true })
  })

  it.each([
    ...["void", "Promise<void>", "undefined", "any", "unknown", "never", "object", "string | undefined", "P | void"],
    ...["Uint8Array", "Promise<Buffer>", "ArrayBuffer", "Response", "ReadableStream", "Blob", "() => void"],
    ...['{ type: "text"; text: string }', '{ type: "image"; data: string; mimeType: string }[]'],
    ...["{ type: string; text: string }[]", '{ content: { type: "text"; text: string }[] }', "P | Uint8Array"],
    ...["AsyncGenerator<Uint8Array>", "AsyncGenerator<unknown>"],
  ])("%s has no schema", type => {
    expect(output(type)).toEqual({ schema: undefined, wrapped: false })
  })

  it("may be a union of objects, with more properties than are known", () => {
    expect(output("{ ok: true; v: P } | { ok: false }").schema).toMatchObject({
      type: "object",
      anyOf: [{ required: ["ok", "v"] }, { required: ["ok"] }],
    })
    expect(JSON.stringify(output("{ a: P }").schema)).not.toContain("additionalProperties")
  })

  it("is inferred where it is not written, and follows toJSON", () => {
    const { get } = describeSource(`
      class Money { constructor(readonly cents: number) {} toJSON() { return "1 EUR" } }
      export const f = async (a: number) => ({ a, price: new Money(a) })`)
    expect(get("f").definition.outputSchema).toMatchObject({
      properties: { a: { type: "number" }, price: { type: "string" } },
    })
  })

  it("may contain itself", () => {
    expect(output("Tree\ninterface Tree { kids: Tree[] }\nexport function g(): P").schema).toMatchObject({
      type: "object",
      properties: { kids: { items: { $ref: "#/$defs/Tree" } } },
      $defs: { Tree: { type: "object" } },
    })
  })
})

describe("V10 where the types come from", () => {
  it("is other files, and they are named", () => {
    const { get, files, folder } = describeFiles({
      "tools/module.ts": `import type { Point } from "../lib/point"\nimport data from "./data.json"\nimport { K } from "./k.js"\nexport function f(p: Point, k: K) { return data }`,
      "lib/point.ts": 'export * from "./deep/shape.ts"',
      "lib/deep/shape.ts": "export interface Point { x: number }",
      "tools/data.json": '{"rows":[1]}',
      "tools/k.ts": "export type K = 'a'",
    })
    expect(get("f").definition).toMatchObject({
      inputSchema: { properties: { p: { properties: { x: { type: "number" } } }, k: { const: "a" } } },
      outputSchema: { properties: { rows: { type: "array" } } },
    })
    const names = ["lib/deep/shape.ts", "lib/point.ts", "tools/data.json", "tools/k.ts", "tools/module.ts"]
    expect(files.toSorted()).toEqual(names.map(name => join(folder, name)))
  })

  it("is packages beside the module, which are none of the user's files", () => {
    const { get, files, folder } = describeFiles({
      "module.ts": 'import type { Opts } from "dep"\nexport function f(o: Opts) {}',
      "node_modules/dep/package.json": '{"name":"dep","types":"./index.d.ts"}',
      "node_modules/dep/index.d.ts": "export interface Opts { /** How deep. @minimum 2 */ depth?: number }",
    })
    expect(get("f").definition.inputSchema).toMatchObject({
      properties: { depth: { description: "How deep.", minimum: 2 } },
    })
    expect(files).toEqual([join(folder, "module.ts")])
  })

  it("honours the paths of the nearest tsconfig.json, but not how strict it is", () => {
    const { get } = describeFiles({
      "src/module.ts": 'import type { P } from "@lib/p"\nexport function f(p: P, s: string | null) {}',
      "src/deep/p.ts": "export interface P { x: 1 }",
      "tsconfig.json":
        '{ "compilerOptions": { "strict": false, "strictNullChecks": false, "paths": { "@lib/*": ["./src/deep/*"] } }, "include": ["**/*"] }',
    })
    expect(get("f").definition.inputSchema).toMatchObject({
      properties: { p: { properties: { x: { const: 1 } } }, s: { type: ["null", "string"] } },
    })
  })

  it("needs nothing installed for what comes from toolyard", () => {
    const { get, files } = describeSource(`
      import type { ToolContext } from "toolyard"
      export async function f(q: string, context: ToolContext) { return { r: await context.ask("?"), id: context.requestId } }`)
    expect(get("f").definition.outputSchema).toMatchObject({
      properties: { r: { type: "object" }, id: { type: ["string", "number"] } },
    })
    expect(files).toHaveLength(1)
  })

  it("may be wrong: type errors don't matter, and errors of syntax are told", () => {
    const wrong = describeSource('import { x } from "./gone.ts"\nexport function f(a: string): number { return a + x }')
    expect(wrong.get("f").definition.outputSchema).toMatchObject({ properties: { result: { type: "number" } } })
    expect(wrong.problems).toEqual([])
    const broken = describeSource("export function f(a: string) {}\nexport function g(: {}\n")
    expect(broken.problems[0]).toMatch(/^module\.ts:2:\d+: /)
    expect(broken.functions[0]?.export).toBe("f")
  })
})
