import { describe, expect, it } from "vitest"
import { describeFiles, describeSource } from "./describe-files.ts"

const propertiesOf = (code: string) => {
  return (describeSource(code).get("f").definition.inputSchema as { properties: Record<string, object> }).properties
}

describe("V10 doc comments", () => {
  it("describe the tool, its parameters and its result", () => {
    const { definition } = describeSource(`
      /**
       * Adds {@link Number numbers}.
       *
       * Slowly.
       * @param a - the first
       * @param {number} b the second,
       *   over two lines
       * @returns the sum
       * @title Add
       */
      export function f(a: number, b: number) { return a + b }`).get("f")
    expect(definition).toMatchObject({
      title: "Add",
      description: "Adds numbers.\n\nSlowly.",
      inputSchema: {
        properties: { a: { description: "the first" }, b: { description: "the second,\nover two lines" } },
      },
      outputSchema: { properties: { result: { description: "the sum" } } },
    })
  })

  it("reach into objects by path, and stand at the properties themselves", () => {
    const code = `
      interface Opts {
        /** Its title. @minLength 1 @maxLength 80 */
        title: string
        tags?: { /** The name. */ name: string }[]
        /** Where from. */ origin: { x: number }
      }
      /** @param input.origin.x across @param input.tags[].name - ignored: one line has no second tag of the kind */
      export function f(input: Opts) {}`
    expect(propertiesOf(code)).toMatchObject({
      title: { description: "Its title.", minLength: 1, maxLength: 80 },
      tags: { items: { properties: { name: { description: expect.any(String) } } } },
      origin: { description: "Where from.", properties: { x: { description: "across" } } },
    })
  })

  it("describe what a parameter is taken apart into", () => {
    const dotted = `/**\n * @param opts - all\n * @param opts.a - one\n */\nexport function f({ a }: { a: string }) {}`
    expect(propertiesOf(dotted)).toMatchObject({ a: { description: "one" } })
    const plain = `/**\n * @param a - one\n * @param b - two\n */\nexport function f({ a, b }: { a: string; b: string }) {}`
    expect(propertiesOf(plain)).toMatchObject({ a: { description: "one" }, b: { description: "two" } })
  })

  it("constrain properties", () => {
    const code = `
      export function f(input: {
        /**
         * @minimum 1
         * @maximum 10
         * @multipleOf 2
         * @default 4
         */
        a: number
        /** @integer */ b: number
        /** @asType integer */ c?: number | null
        /** @exclusiveMinimum 0 @exclusiveMaximum 1 */ d: number
        /** @pattern ^[a-z]{2}$ @format email @title T @deprecated */ e: string
        /** @pattern /^x$/ */ g: string
        /** @pattern ( */ h: string
        /** @minItems 1 @maxItems 3 @uniqueItems */ i: string[]
        /** @default "q" */ j?: string
        /** @example 1 @example 2 */ k: number
        /** @examples ["a", "b"] */ l: string
        /** @minimum abc */ m: number
      }) {}`
    expect(propertiesOf(code)).toEqual({
      a: { type: "number", minimum: 1, maximum: 10, multipleOf: 2, default: 4 },
      b: { type: "integer" },
      c: { type: ["null", "integer"] },
      d: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      e: { type: "string", pattern: "^[a-z]{2}$", format: "email", title: "T", deprecated: true },
      g: { type: "string", pattern: "^x$" },
      h: { type: "string" },
      i: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
      j: { type: "string", default: "q" },
      k: { type: "number", examples: [1, 2] },
      l: { type: "string", examples: ["a", "b"] },
      m: { type: "number" },
    })
  })

  it("constrain parameters, in braces or by name", () => {
    const code = `
      /**
       * @param n - how many {@minimum 1} {@maximum 10} {@integer}
       * @param code - of the country {@pattern ^[A-Z]{2}$}
       * @param size in cm
       * @minimum size 0.5
       * @integer size
       */
      export function f(n: number, code: string, size: number) {}`
    expect(propertiesOf(code)).toEqual({
      n: { type: "integer", description: "how many", minimum: 1, maximum: 10 },
      code: { type: "string", description: "of the country", pattern: "^[A-Z]{2}$" },
      size: { type: "integer", description: "in cm", minimum: 0.5 },
    })
  })

  it("stand before a parameter, too", () => {
    expect(propertiesOf("export function f(/** How many. @minimum 1 */ n: number, b: 1) {}")).toMatchObject({
      n: { description: "How many.", minimum: 1 },
    })
  })

  it("give hints", () => {
    const hints = (tags: string) =>
      describeSource(`/** It.\n${tags} */\nexport function f() {}`).get("f").definition.annotations
    expect(hints("@readOnly\n@idempotent\n@closedWorld")).toEqual({
      readOnlyHint: true,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(hints("@destructive\n@openWorld")).toEqual({ destructiveHint: true, openWorldHint: true })
    expect(hints("")).toBeUndefined()
  })

  it("say what is deprecated, and what comes back where no schema says it", () => {
    const { definition } = describeSource(
      "/**\n * Old.\n * @deprecated use g\n * @returns a picture\n */\nexport function f(): Uint8Array { throw 0 }",
    ).get("f")
    expect(definition.description).toBe("Old.\n\nDeprecated: use g\n\nReturns: a picture")
  })

  it("name the values of enums", () => {
    const code = `enum Level { Low, High = 5 }\nexport function f(/** How loud. */ level: Level, one: Level.Low) {}`
    expect(propertiesOf(code)).toEqual({
      level: { type: "number", enum: [0, 5], description: "How loud.\nLow = 0, High = 5" },
      one: { const: 0, description: "Low" },
    })
  })

  it("describe types where the property has nothing to say", () => {
    const code = "/** A place. */\ninterface P { x: 1 }\nexport function f(p: P, /** Goal. */ q: P) {}"
    expect(propertiesOf(code)).toMatchObject({ p: { description: "A place." }, q: { description: "Goal." } })
  })
})

describe("V10 the description of a module", () => {
  const description = (code: string) => describeSource(code).description

  it.each<[string, string, string | undefined]>([
    ["before an import", '/** Tools. */\nimport "node:fs"\nexport function f() {}', "Tools."],
    ["before the comment of the first function", "/** Tools. */\n\n/** F. */\nexport function f() {}", "Tools."],
    ["tagged", "/** Tools. @module */\nexport function f() {}", "Tools."],
    ["in its tag", "/** @file Tools. */\nexport function f() {}", "Tools."],
    ["after #! and with other letters", '#!/usr/bin/env node\n/** Tööls 🛠. */\nimport "node:fs"', "Tööls 🛠."],
    ["not that of the first function", "/** F. */\nexport function f() {}", undefined],
    ["not that of the first type", "/** T. */\ninterface T {}\nexport function f(t: T) {}", undefined],
    ["not a plain comment", '// Tools.\nimport "node:fs"\nexport function f() {}', undefined],
  ])("%s", (_, code, expected) => {
    expect(description(code)).toBe(expected)
  })

  it("is not taken for that of a function", () => {
    const { get } = describeSource("/** Tools. @packageDocumentation */\nexport function f() {}")
    expect(get("f").definition.description).toBeUndefined()
  })
})

describe("V10 JavaScript", () => {
  it("has its types in comments", () => {
    const { get } = describeFiles({
      "module.js": `
        /** @typedef {{ x: number, y?: string }} Point */
        /**
         * Moves.
         * @param {Point} to - where
         * @param {number} [speed=5] - how fast
         * @param {ToolContext} yard
         * @returns {Promise<{ x: number }>} where it is
         */
        export async function move(to, speed, yard) { return to }`,
    })
    expect(get("move")).toMatchObject({
      parameters: [{ kind: "named", name: "to" }, { kind: "named", name: "speed" }, { kind: "context" }],
      definition: {
        inputSchema: {
          properties: {
            to: { type: "object", required: ["x"] },
            speed: { type: "number", default: 5, description: "how fast" },
          },
          required: ["to"],
        },
        outputSchema: { description: "where it is", properties: { x: { type: "number" } } },
      },
    })
  })

  it("asks for nothing where there are none, and knows the context by its name", () => {
    const { get } = describeFiles({
      "module.mjs": "export function f(a, b = 2, ctx) { return a }\nexport function g(ctx, a) {}",
    })
    expect(get("f")).toMatchObject({ parameters: [{ name: "a" }, { name: "b" }, { kind: "context" }] })
    expect(get("f").definition.inputSchema).toEqual({
      type: "object",
      properties: { a: {}, b: { type: "number", default: 2 } },
      additionalProperties: false,
    })
    expect(get("g").parameters).toEqual([
      { kind: "named", name: "ctx" },
      { kind: "named", name: "a" },
    ])
  })

  it.each<[string, string, string[]]>([
    ["exports.f =", "/** F. */\nexports.f = function (a) { return 1 }\nexports.g = () => 2", ["f", "g"]],
    ["module.exports = { … }", "/** F. */\nfunction f(a) { return 1 }\nmodule.exports = { f, g: () => 2 }", ["f", "g"]],
    ["module.exports = function", "/** F. */\nmodule.exports = function f(a) { return 1 }", ["default"]],
  ])("may be CommonJS: %s", (_, code, names) => {
    const { functions } = describeFiles({ "module.cjs": code })
    expect(functions.map(one => one.export)).toEqual(names)
    expect(functions[0]?.definition).toMatchObject({ name: "f", description: "F." })
  })

  it.each(["module.mts", "module.cts", "module.tsx", "module.jsx"])("goes by any of its extensions: %s", name => {
    expect(describeFiles({ [name]: "export function f(a = 1) { return <T,>(x) => x }" }).functions).toHaveLength(1)
  })
})
