import { describe, expect, it } from "vitest"
import { renderServer } from "./render.ts"
import { signature } from "./signature.ts"

/** The type of a parameter `x` with this schema, in a document with these definitions. */
function typeOf(schema: unknown, document: object = {}): string | undefined {
  const inputSchema = { ...document, type: "object", properties: { x: schema }, required: ["x"] }
  const line = signature(
    { name: "t", tsName: "t", definition: { name: "t", inputSchema } },
    { server: "s", tsName: "s" },
  )
  return line.match(/^tools\.s\.t\(params: \{ x: (.*) \}\): Promise<any>$/)?.[1]
}

function declarationsOf(inputSchema: unknown): string {
  const tool = { id: "s__t", name: "t", tsName: "t", definition: { name: "t", inputSchema } }
  return renderServer({ server: "s", tsName: "s", tools: [tool] }).split("export interface Tools")[0] as string
}

const text = { type: "string" }
const count = { type: "number" }

describe("a schema as a type", () => {
  it.each([
    // type
    [text, "string"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "null" }, "null"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: ["object", "array"], properties: { a: text }, items: count }, "{ a?: string } | number[]"],
    [{ type: "string", nullable: true }, "string | null"],
    // enum, const
    [{ const: 5 }, "5"],
    [{ const: null }, "null"],
    [{ const: { a: [1, "b"] } }, '{ a: [1, "b"] }'],
    [{ enum: ["a", 1, true, null] }, '"a" | 1 | true | null'],
    [{ enum: [true, false] }, "boolean"],
    [{ type: "string", enum: ["a", "a"], nullable: true }, '"a" | null'],
    // objects
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", additionalProperties: false }, "{}"],
    [{ type: "object", additionalProperties: count }, "Record<string, number>"],
    [{ type: "object", additionalProperties: { type: ["string", "null"] } }, "Record<string, string | null>"],
    [{ properties: { a: text } }, "{ a?: string }"],
    [{ properties: { a: text }, additionalProperties: false }, "{ a?: string }"],
    [{ properties: { a: text }, additionalProperties: true }, "{ a?: string; [k: string]: unknown }"],
    [{ properties: { a: text }, additionalProperties: {} }, "{ a?: string; [k: string]: unknown }"],
    [
      { properties: { a: text }, additionalProperties: count },
      "{ a?: string; [k: string]: number | string | undefined }",
    ],
    [
      { properties: { a: { type: "object" } }, additionalProperties: count, required: ["a"] },
      "{ a: Record<string, unknown>; [k: string]: unknown }",
    ],
    [{ properties: { a: text }, unevaluatedProperties: false }, "{ a?: string }"],
    [{ type: "object", unevaluatedProperties: count }, "Record<string, number>"],
    [
      { type: "object", patternProperties: { "^a": text, "^b": count }, additionalProperties: false },
      "Record<string, string | number>",
    ],
    [
      { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: count },
      "{ a?: number; b?: number }",
    ],
    [{ type: "object", propertyNames: { pattern: "^a" }, additionalProperties: count }, "Record<string, number>"],
    [{ type: "object", properties: { y: {} }, required: ["y", "z"] }, "{ y: unknown; z: unknown }"],
    [{ type: "object", required: ["z"] }, "{ z: unknown }"],
    // arrays
    [{ type: "array" }, "unknown[]"],
    [{ items: text }, "string[]"],
    [{ type: "array", items: { oneOf: [text, count] } }, "(string | number)[]"],
    [{ type: "array", prefixItems: [text, count] }, "[string, number]"],
    [{ type: "array", prefixItems: [text], items: count }, "[string, ...number[]]"],
    [{ type: "array", prefixItems: [text, count], items: false, minItems: 1 }, "[string, number?]"],
    [{ type: "array", prefixItems: [text], maxItems: 3 }, "[string, ...unknown[]]"],
    [{ type: "array", items: [text], additionalItems: count }, "[string, ...number[]]"],
    [
      { type: "array", items: [text, { type: ["number", "null"] }], additionalItems: false, minItems: 0 },
      "[string?, (number | null)?]",
    ],
    // combinations
    [{ anyOf: [text, { type: "array", items: text }] }, "string | string[]"],
    [{ anyOf: [text, text, { anyOf: [count, { type: "null" }] }] }, "string | number | null"],
    [{ anyOf: [text, {}] }, "unknown"],
    [{ oneOf: [{ properties: { a: text } }, { properties: { a: text } }] }, "{ a?: string }"],
    [{ type: "string", anyOf: [{ enum: ["a"] }, { enum: ["b"] }] }, '"a" | "b"'],
    [{ type: ["string", "null"], anyOf: [text, count, { type: "null" }] }, "string | null"],
    [{ allOf: [{ type: "integer" }, { type: "number", maximum: 50 }] }, "number"],
    [{ allOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] }, '"b"'],
    [{ allOf: [text, count] }, "never"],
    [
      { allOf: [{ properties: { a: text, b: {} } }, { properties: { b: count }, required: ["a"] }] },
      "{ a: string; b?: number }",
    ],
    [{ allOf: [{ properties: { a: text } }], required: ["a"] }, "{ a: string }"],
    [
      { allOf: [{ type: "object", additionalProperties: {} }, { anyOf: [{ properties: { a: text } }] }] },
      "{ a?: string; [k: string]: unknown }",
    ],
    [
      { allOf: [{ properties: { a: text } }, { anyOf: [{ properties: { b: {} } }, { type: "null" }] }] },
      "{ a?: string } & ({ b?: unknown } | null)",
    ],
    [{ type: "object", properties: { a: text }, anyOf: [{ required: ["a"] }] }, "{ a?: string }"],
    // what has no counterpart
    [{ type: "string", not: { const: "a" } }, "string"],
    [{ not: text }, "unknown"],
    [{ type: "object", properties: { a: text }, if: { required: ["a"] }, else: { required: ["b"] } }, "{ a?: string }"],
    [true, "unknown"],
    [false, "never"],
    [{}, "unknown"],
    // mistakes, and other languages
    [{ type: "dict", properties: { a: { type: "float" } } }, "{ a?: number }"],
    [{ type: "tuple", items: { type: "any" } }, "unknown[]"],
    [{ type: "constructor" }, "unknown"],
    [{ type: [] }, "unknown"],
    [{ type: 5, enum: [], properties: 7, items: null, anyOf: {}, required: "a", $ref: 9 }, "unknown"],
    [{ type: "string", enum: [] }, "string"],
    [{ type: "object", properties: [], required: [1, null] }, "Record<string, unknown>"],
  ])("is %#: %j → %s", (schema, expected) => {
    expect(typeOf(schema)).toBe(expected)
  })

  it.each([
    ["#/$defs/a", "string"],
    ["#/definitions/b", "number"],
    ["#/$defs/c~1d%20e", "boolean"],
    ["#/$defs/list/items", "null"],
    ["#/$defs/any/anyOf/1", "number"],
    ["#here", "string[]"],
    ["#old", "boolean[]"],
    ["item.json", "number[]"],
    ["https://example.com/schemas/item.json", "number[]"],
    ["item.json#/items", "number"],
    ["https://example.com/schemas/root.json#/$defs/a", "string"],
    ["#/$defs/alias", "string"],
    ["#/$defs/nowhere", "unknown"],
    ["#nowhere", "unknown"],
    ["https://example.com/other.json", "unknown"],
    ["#/$defs/__proto__", "unknown"],
    ["#/%E0%A4%A", "unknown"],
    ["", "{ x: unknown }"],
  ])("follows $ref %s to %s", ($ref, expected) => {
    const document = {
      $id: "https://example.com/schemas/root.json",
      $defs: {
        a: text,
        "c/d e": { type: "boolean" },
        list: { items: { type: "null" } },
        any: { anyOf: [text, count] },
        anchored: { $anchor: "here", type: "array", items: text },
        old: { $id: "#old", type: "array", items: { type: "boolean" } },
        item: { $id: "item.json", type: "array", items: count },
        alias: { $ref: "#/$defs/a" },
      },
      definitions: { b: count },
    }
    expect(typeOf({ $ref }, document)).toBe(expected)
  })

  it("keeps what stands beside a $ref", () => {
    const document = { $defs: { a: { type: "object", properties: { a: text } } } }
    expect(typeOf({ $ref: "#/$defs/a", required: ["a"] }, document)).toBe("{ a?: string } & { a: unknown }")
    expect(typeOf({ $ref: "#/$defs/a", description: "d", nullable: true }, document)).toBe("{ a?: string } | null")
  })

  it("writes recursion with names", () => {
    const node = { type: "object", properties: { value: text, next: { $ref: "#/$defs/node" } } }
    expect(declarationsOf({ properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } })).toBe(
      "export interface STParams { list?: STNode }\nexport type STNode = { value?: string; next?: STNode }\n",
    )
    expect(declarationsOf({ properties: { children: { type: "array", items: { $ref: "#" } } } })).toBe(
      "export interface STParams { children?: STParams[] }\n",
    )
    const json = { anyOf: [text, { type: "object", additionalProperties: { $ref: "#/$defs/json" } }] }
    expect(declarationsOf({ properties: { x: { $ref: "#/$defs/json" } }, $defs: { json } })).toBe(
      "export interface STParams { x?: STJson }\nexport type STJson = string | { [k: string]: STJson }\n",
    )
  })

  it("ends where references lead nowhere but to themselves", () => {
    const $defs = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" }, c: { anyOf: [text, { $ref: "#/$defs/c" }] } }
    expect(typeOf({ $ref: "#/$defs/a" }, { $defs })).toBe("unknown")
    expect(typeOf({ $ref: "#/$defs/c" }, { $defs })).toBe("unknown")
    expect(typeOf({ $ref: "#/properties/x" })).toBe("unknown")
    const b = { anyOf: [{ $ref: "#" }, { type: "null" }] }
    expect(
      declarationsOf({ properties: { p: { $ref: "#/$defs/b" } }, anyOf: [{ $ref: "#/$defs/b" }], $defs: { b } }),
    ).toBe("export interface STParams { p?: STParams | null }\n")
  })

  it("names what is used more than once, and writes out the rest", () => {
    const point = { type: "object", properties: { x: count, y: count } }
    const $defs = { point, once: { type: "object", properties: { at: { $ref: "#/$defs/point" } } } }
    const properties = { a: { $ref: "#/$defs/point" }, b: { $ref: "#/$defs/once" } }
    expect(declarationsOf({ properties, $defs })).toBe(
      "export interface STParams { a?: STPoint; b?: { at?: STPoint } }\nexport type STPoint = { x?: number; y?: number }\n",
    )
  })

  it("takes schemas nested without end", () => {
    const deep = JSON.parse(`${'{"anyOf":['.repeat(3000)}{}${"]}".repeat(3000)}`)
    expect(typeOf(deep)).toBe("unknown")
    const wide = JSON.parse(`${'{"items":'.repeat(3000)}{}${"}".repeat(3000)}`)
    expect(declarationsOf({ properties: { wide } })).toMatch(
      /^export interface STParams \{\s+wide\?: unknown(\[\])+\s+\}\n$/,
    )
  })
})
