import { afterAll, describe, expect, it } from "vitest"
import { openChecker } from "./checker.ts"

const checker = openChecker()
afterAll(() => checker.close())

async function schemaOf(code: string) {
  const script = checker.prepare(code)
  if (!script.ok) throw new Error(JSON.stringify(script.problems))
  return checker.inputSchemaOf(script, { version: 1, files: new Map() })
}

/** The schema of a property of that type. */
async function property(type: string, more = "") {
  const { schema } = await schemaOf(`${more}\nexport default (input: { a: ${type} }) => input`)
  return (schema.properties as Record<string, unknown>).a
}

describe("N7 the input of a script", () => {
  it("is the first parameter of its default function", async () => {
    expect(await schemaOf("export default async function main(input: { a: string; b?: number }) {}")).toEqual({
      schema: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] },
    })
  })

  it("is the type Input when there is no such function", async () => {
    const schema = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] }
    expect(await schemaOf("type Input = { a: boolean }\ninput.a")).toEqual({ schema })
    expect(await schemaOf("export interface Input { a: boolean }\nreturn input.a")).toEqual({ schema })
  })

  it.each([
    "1",
    "export default (x) => x",
    "export default () => 1",
    "export default 3",
    "export default (x: any) => x",
  ])("is any object when it is not known: %s", async code => {
    expect(await schemaOf(code)).toEqual({ schema: { type: "object" } })
  })

  it("is found behind an exported name", async () => {
    const code = "const run = ({ a }: { a: number }) => a\nexport { run as default }"
    expect((await schemaOf(code)).schema).toMatchObject({ properties: { a: { type: "number" } } })
  })

  it("has defaults from the parameter and from JSDoc, and what has one is not required", async () => {
    const code = `export default ({ a = 1, b = ["x"], c = -2, d }: {
      a: number; b?: string[]; c?: number
      /** @default "e" */
      d?: string
    }) => 1`
    expect((await schemaOf(code)).schema).toEqual({
      type: "object",
      properties: {
        a: { type: "number", default: 1 },
        b: { type: "array", items: { type: "string" }, default: ["x"] },
        c: { type: "number", default: -2 },
        d: { type: "string", default: "e" },
      },
    })
  })

  it("takes descriptions from JSDoc, wherever it stands", async () => {
    const code = `/**
 * Greets someone.
 * Kindly.
 * @param input who
 */
import { tools } from "toolyard"
interface Input { /** Who. */ name: string
  /** How often. */
  times: number
}`
    expect(await schemaOf(code)).toMatchObject({
      description: "Greets someone.\nKindly.",
      schema: { properties: { name: { description: "Who." }, times: { description: "How often." } } },
    })
    expect(await schemaOf("const a = 1\n/** Does it. */\nexport default function () {}")).toMatchObject({
      description: "Does it.",
    })
  })
})

describe("the schema of a type", () => {
  it.each<[string, unknown]>([
    ["string", { type: "string" }],
    ["number", { type: "number" }],
    ["boolean", { type: "boolean" }],
    ["null", { type: "null" }],
    ["bigint", { type: "integer" }],
    ["unknown", {}],
    ["any", {}],
    ["object", { type: "object" }],
    ['"x"', { const: "x" }],
    ["5", { const: 5 }],
    ["true", { const: true }],
    ['"x" | "y"', { type: "string", enum: ["x", "y"] }],
    ['"x" | 2', { enum: ["x", 2] }],
    ["string | number", { type: ["string", "number"] }],
    ["string | null", { type: ["null", "string"] }],
    ["string | undefined", { type: "string" }],
    ["boolean | string", { type: ["boolean", "string"] }],
    [
      '"x" | { b: 1 }',
      { anyOf: [{ const: "x" }, { type: "object", properties: { b: { const: 1 } }, required: ["b"] }] },
    ],
    ["string[]", { type: "array", items: { type: "string" } }],
    ["readonly number[]", { type: "array", items: { type: "number" } }],
    ["Array<{ b?: string }>", { type: "array", items: { type: "object", properties: { b: { type: "string" } } } }],
    [
      "[string, number?]",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1, items: false },
    ],
    [
      "[string, ...number[]]",
      { type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: { type: "number" } },
    ],
    ["Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    ['Record<"b", number>', { type: "object", properties: { b: { type: "number" } }, required: ["b"] }],
    ["{ [key: string]: boolean }", { type: "object", additionalProperties: { type: "boolean" } }],
    ["Partial<{ b: string }>", { type: "object", properties: { b: { type: "string" } } }],
    ["Pick<{ b: string; c: number }, 'b'>", { type: "object", properties: { b: { type: "string" } }, required: ["b"] }],
    [
      "{ b: string } & { c?: number }",
      { type: "object", properties: { b: { type: "string" }, c: { type: "number" } }, required: ["b"] },
    ],
    ['string & { brand: "x" }', { type: "string" }],
    ["`a-${string}`", { type: "string" }],
    ["Date", { type: "string", format: "date-time" }],
    ["URL", { type: "string", format: "uri" }],
    ["Set<string>", { type: "array", uniqueItems: true, items: { type: "string" } }],
    ["Map<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    ["{ b: string; c(): void }", { type: "object", properties: { b: { type: "string" } }, required: ["b"] }],
    ["{}", { type: "object" }],
  ])("%s", async (type, schema) => {
    expect(await property(type)).toEqual(schema)
  })

  it("knows enums by their values", async () => {
    expect(await property("E", 'enum E { A = "a", B = "b" }')).toEqual({ type: "string", enum: ["a", "b"] })
    expect(await property("E", "enum E { A, B = 4 }")).toEqual({ type: "number", enum: [0, 4] })
  })

  it("names types that contain themselves, once", async () => {
    const { schema } = await schemaOf(
      "interface Tree { value: string; left?: Tree; more: Tree[] }\nexport default (input: { tree: Tree; other: Tree }) => 1",
    )
    const $ref = { $ref: "#/$defs/Tree" }
    expect(schema).toEqual({
      type: "object",
      properties: { tree: $ref, other: $ref },
      required: ["tree", "other"],
      $defs: {
        Tree: {
          type: "object",
          properties: { value: { type: "string" }, left: $ref, more: { type: "array", items: $ref } },
          required: ["value", "more"],
        },
      },
    })
  })

  it("shows the properties of an input that contains itself", async () => {
    const { schema } = await schemaOf("export default (input: L) => 1\ntype L = { next: L | null }")
    expect(schema).toMatchObject({ type: "object", required: ["next"], $defs: { L: { type: "object" } } })
  })

  it("ends for types without an end", async () => {
    const { schema } = await schemaOf("type W<T> = { v: T; w?: W<T[]> }\nexport default (input: W<string>) => 1")
    expect(schema).toMatchObject({ type: "object", required: ["v"] })
  })
})
