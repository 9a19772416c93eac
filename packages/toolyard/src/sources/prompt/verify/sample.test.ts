import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { sampleArguments, sampleValue } from "./sample.ts"

const SCHEMAS: JsonObject[] = [
  { type: "object", properties: { id: { type: "integer", minimum: 5, maximum: 9 } }, required: ["id"] },
  { type: "object", properties: { n: { type: "number", exclusiveMinimum: 1, multipleOf: 0.5 } }, required: ["n"] },
  { type: "object", properties: { n: { type: "integer", maximum: -3 } }, required: ["n"] },
  { type: "object", properties: { day: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } }, required: ["day"] },
  { type: "object", properties: { code: { type: "string", pattern: "^[A-Z]{3}$" } }, required: ["code"] },
  { type: "object", properties: { text: { type: "string", minLength: 12 }, short: { type: "string", maxLength: 2 } } },
  { type: "object", properties: { at: { type: ["null", "string"], format: "date-time" } }, required: ["at"] },
  {
    type: "object",
    properties: { ids: { type: "array", items: { type: "integer" }, minItems: 3 } },
    required: ["ids"],
  },
  { type: "object", properties: { kind: { enum: ["b", "a"] }, fixed: { const: 4 } }, required: ["kind", "fixed"] },
  { type: "object", properties: { one: { oneOf: [{ type: "null" }, { type: "integer" }] } }, required: ["one"] },
  {
    type: "object",
    properties: { tree: { $ref: "#/$defs/tree" } },
    required: ["tree"],
    $defs: {
      tree: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/tree" } } },
        required: ["name"],
      },
    },
  },
  {
    type: "object",
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "boolean" } }, required: ["b"] },
    ],
  },
]

describe("made-up arguments", () => {
  it.each(SCHEMAS.map(schema => [JSON.stringify(schema), schema] as const))("fit %s", (_, schema) => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    for (const options of [{ all: true }, { all: false }, { all: true, text: "a b&c" }]) {
      const args = sampleArguments(schema, options)
      expect(validate(args), JSON.stringify({ args, errors: validate.errors })).toBe(true)
    }
    expect(validate(sampleValue(schema))).toBe(true)
  })

  it("are the examples of the schema where it has some", () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", examples: ["Paris"] }, n: { type: "integer", default: 3 } },
    }
    expect(sampleArguments(schema, { all: true })).toEqual({ city: "Paris", n: 3 })
    expect(sampleArguments({ ...schema, examples: [{ city: "Rome" }] }, { all: true })).toEqual({ city: "Rome" })
  })

  it("come to an end with patterns that could take for ever", () => {
    const schema = {
      type: "object",
      properties: { x: { type: "string", pattern: "^([a-z0-9]+)+!$" } },
      required: ["x"],
    }
    expect(sampleArguments(schema, { all: true })).toEqual({ x: "sample" })
  })

  it("come to an end with schemas that lead in a circle or nowhere", () => {
    const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }
    expect(
      sampleArguments({ type: "object", properties: { x: { $ref: "#/nowhere" } }, required: ["x"] }, { all: true }),
    ).toEqual({ x: "sample" })
    expect(sampleValue(circle)).toBe("sample")
  })
})
