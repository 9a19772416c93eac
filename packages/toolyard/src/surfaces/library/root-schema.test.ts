import { describe, expect, it } from "vitest"
import { toRootSchema } from "./root-schema.ts"

const text = { type: "string" }
const number = { type: "number" }

describe("the schema of a tool's input, as models take it", () => {
  it("is the server's own object where that is fine", () => {
    const schema = {
      type: "object",
      properties: { a: text, b: { anyOf: [text, number] } },
      additionalProperties: false,
    }
    expect(toRootSchema(schema)).toBe(schema)
  })

  it("says that it is an object, and has properties, where the server did not say so", () => {
    expect(toRootSchema(undefined)).toEqual({ type: "object", properties: {} })
    expect(toRootSchema({ type: "object" })).toEqual({ type: "object", properties: {} })
    expect(toRootSchema({ properties: { a: text }, required: ["a"] })).toEqual({
      type: "object",
      properties: { a: text },
      required: ["a"],
    })
    expect(toRootSchema({ type: ["object", "null"], title: "T" })).toEqual({
      type: "object",
      title: "T",
      properties: {},
    })
  })

  it("puts the properties of all choices together and says the choice in words", () => {
    const anyOf = [
      { properties: { file: text, size: number }, required: ["file", "size"] },
      { properties: { url: text, size: text }, required: ["url", "size"] },
    ]
    expect(toRootSchema({ type: "object", description: "An upload.", properties: { name: text }, anyOf })).toEqual({
      type: "object",
      description: `An upload.\nMust also match this JSON Schema: ${JSON.stringify({ anyOf })}`,
      properties: { name: text, file: text, size: { anyOf: [number, text] }, url: text },
      required: ["size"],
    })
  })

  it("joins what must hold together without further words", () => {
    const schema = { $ref: "#/$defs/Base", allOf: [{ properties: { b: number }, required: ["b"] }] }
    const $defs = { Base: { type: "object", properties: { a: text }, required: ["a"] } }
    expect(toRootSchema({ ...schema, $defs })).toEqual({
      type: "object",
      $defs,
      properties: { a: text, b: number },
      required: ["a", "b"],
    })
  })

  it("keeps what it cannot follow as words", () => {
    const { description, ...rest } = toRootSchema({ $ref: "https://example.com/schema.json" })
    expect(rest).toEqual({ type: "object", properties: {} })
    expect(description).toContain("https://example.com/schema.json")
  })

  it("comes to an end with a schema that refers to itself", () => {
    const schema = { $ref: "#", properties: { a: text } }
    expect(toRootSchema(schema).properties).toEqual({ a: text })
    const loop = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } }
    expect(toRootSchema(loop).properties).toEqual({})
  })

  it("has no key that could change the prototype of anything", () => {
    const schema = JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"}}}]}') as object
    const { properties } = toRootSchema(schema)
    expect(Object.keys(properties)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype)
  })
})
