import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { convert, convertBody } from "../convert/convert-case.ts"

const components = (schemas: JsonObject) => ({ components: { schemas } })

describe("a schema in a tool", () => {
  it("is written as JSON Schema 2020-12 whatever version it came from", () => {
    const { body } = convertBody({
      type: "object",
      properties: {
        a: { type: "string", nullable: true },
        b: { type: "integer", format: "int64", minimum: 0, exclusiveMinimum: true },
        c: { type: "string", enum: ["x"], nullable: true },
        d: { type: "string", example: "e.g." },
        e: { type: "number", maximum: 5, exclusiveMaximum: false },
        f: { type: "string", format: "snowflake" },
      },
    })
    expect(body.properties).toEqual({
      a: { type: ["string", "null"] },
      b: { type: "integer", exclusiveMinimum: 0 },
      c: { type: ["string", "null"], enum: ["x", null] },
      d: { type: "string", examples: ["e.g."] },
      e: { type: "number", maximum: 5 },
      f: { type: "string", format: "snowflake" },
    })
  })

  it("is repaired: lists without items, empty enums, unknown types, patterns of other languages", () => {
    const { body, codes } = convertBody({
      type: "object",
      properties: {
        a: { type: "array" },
        b: { type: "string", enum: [] },
        c: { type: "int" },
        d: { type: "whatever" },
        e: { type: "string", pattern: "^[\\w\\-]+\\@x\\-y\\Z" },
        f: { type: "string", pattern: "(?<!" },
        g: { type: "string", enum: [1, 2] },
        h: { type: "string", required: true },
        i: 5,
      },
      required: ["a", "a"],
    })
    expect(body.properties).toEqual({
      a: { type: "array", items: {} },
      b: { type: "string" },
      c: { type: "integer" },
      d: {},
      e: { type: "string", pattern: "^[\\w\\-]+@x-y$" },
      f: { type: "string" },
      g: { enum: [1, 2] },
      h: { type: "string" },
      i: {},
    })
    expect(body.required).toEqual(["a", "h"])
    expect(codes).toEqual(
      expect.arrayContaining(["array_without_items", "bad_enum", "unknown_type", "bad_pattern", "bad_schema"]),
    )
  })

  it("has what is used once, or is small, in place and the rest under $defs", () => {
    const big = {
      type: "object",
      properties: Object.fromEntries(["a", "b", "c", "d"].map(n => [n, { type: "string", maxLength: 99 }])),
    }
    const { body, schema } = convertBody(
      {
        type: "object",
        properties: {
          from: { $ref: "#/components/schemas/Big" },
          to: { $ref: "#/components/schemas/Big", description: "Where it goes." },
          kind: { $ref: "#/components/schemas/Kind" },
          other: { $ref: "#/components/schemas/Kind" },
        },
      },
      components({ Big: big, Kind: { type: "string", enum: ["x", "y"] } }),
    )
    expect(body.properties).toEqual({
      from: { $ref: "#/$defs/Big" },
      to: { $ref: "#/$defs/Big", description: "Where it goes." },
      kind: { type: "string", enum: ["x", "y"] },
      other: { type: "string", enum: ["x", "y"] },
    })
    expect(schema.$defs).toEqual({ Big: big })
  })

  it("may be recursive, through others too", () => {
    const { body, schema } = convertBody(
      { $ref: "#/components/schemas/Tree" },
      components({
        Tree: {
          type: "object",
          properties: { name: { type: "string" }, children: { $ref: "#/components/schemas/Trees" } },
        },
        Trees: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
      }),
    )
    expect(body).toEqual({ $ref: "#/$defs/Tree" })
    expect(schema.$defs).toEqual({
      Tree: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
      },
    })
  })

  it("is merged from the members of allOf where they agree, and keeps them where they don't", () => {
    const { body } = convertBody(
      {
        allOf: [
          { $ref: "#/components/schemas/Base" },
          { type: "object", properties: { name: { type: "string" } }, required: ["name"], additionalProperties: false },
        ],
        description: "A pet to add.",
      },
      components({ Base: { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] } }),
    )
    expect(body).toEqual({
      type: "object",
      properties: { kind: { type: "string" }, name: { type: "string" } },
      required: ["kind", "name"],
      description: "A pet to add.",
    })
    const apart = convertBody({
      allOf: [
        { type: "string", maxLength: 5 },
        { type: "string", maxLength: 3 },
      ],
    })
    expect(apart.body).toEqual({ type: "string", maxLength: 5, allOf: [{ type: "string", maxLength: 3 }] })
  })

  it("leaves out what only answers have, also where another member requires it", () => {
    const { body } = convertBody(
      { allOf: [{ $ref: "#/components/schemas/Base" }, { type: "object", required: ["id", "name"] }] },
      components({
        Base: { type: "object", properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } } },
      }),
    )
    expect(body).toEqual({ type: "object", properties: { name: { type: "string" } }, required: ["name"] })
  })

  it("accepts what only answers have where it is sent back as it was read", () => {
    const closed = (id: JsonObject) => ({ type: "object", properties: { id, name: {} }, additionalProperties: false })
    expect(convertBody(closed({ type: "integer", readOnly: true })).body).toEqual({
      type: "object",
      properties: { name: {} },
    })
    expect(convertBody(closed({ type: "integer" })).body.additionalProperties).toBe(false)
  })

  it("tells alternatives shortly", () => {
    const of = (schema: JsonObject) => convertBody({ type: "object", properties: { p: schema } }).body.properties
    expect(of({ oneOf: [{ type: "string" }, { type: "null" }] })).toEqual({ p: { type: ["string", "null"] } })
    expect(of({ anyOf: [{ type: "string" }, { type: "integer" }] })).toEqual({ p: { type: ["string", "integer"] } })
    expect(of({ oneOf: [{ const: "a" }, { const: "b", description: "B" }] })).toEqual({ p: { enum: ["a", "b"] } })
    expect(of({ oneOf: [{ type: "object", properties: { a: {} } }, { type: "string" }] })).toEqual({
      p: { anyOf: [{ type: "object", properties: { a: {} } }, { type: "string" }] },
    })
  })

  it("accepts anything where a reference leads nowhere, and says so", () => {
    const { body, report } = convertBody({ type: "object", properties: { a: { $ref: "#/components/schemas/None" } } })
    expect(body.properties).toEqual({ a: {} })
    expect(report).toContainEqual({
      code: "broken_ref",
      at: "/paths/~1things/post/requestBody/content/application~1json/schema/properties/a",
      message: expect.stringContaining("None"),
    })
  })

  it("tells what is nested deep by name only when the whole is too much", () => {
    const deep = (levels: number): JsonObject => ({
      type: "object",
      properties: Object.fromEntries(
        ["one", "two", "three"].map(n => [`${n}${levels}`, levels === 0 ? { type: "string" } : deep(levels - 1)]),
      ),
    })
    const paths = { "/x": { post: { requestBody: { content: { "application/json": { schema: deep(5) } } } } } }
    const short = JSON.stringify(convert({ paths }).tools[0]!.definition.inputSchema)
    expect(short).toContain("one5")
    expect(short).toContain("Fields: one")
    expect(short.length).toBeLessThan(2000)
    const whole = JSON.stringify(convert({ paths }, { inputTokens: 100_000 }).tools[0]!.definition.inputSchema)
    expect(whole).toContain("three0")
    expect(whole).not.toContain("Fields:")
  })
})
