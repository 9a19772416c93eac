import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { exampleArguments } from "./example.ts"

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required })

describe("exampleArguments", () => {
  it.each([
    ["nothing that is optional", object({ a: { type: "string" }, b: { type: "string" } }, ["a"]), { a: "" }],
    [
      "a value of each type",
      object({ n: { type: "number" }, f: { type: "boolean" }, l: { type: "array" } }),
      { n: 0, f: false, l: [] },
    ],
    ["the default", object({ n: { type: "integer", default: 7 } }), { n: 7 }],
    ["the smallest that is allowed", object({ n: { type: "integer", minimum: 3 } }), { n: 3 }],
    ["the first choice", object({ c: { enum: ["red", "blue"] } }), { c: "red" }],
    ["an example of the author's", object({ c: { type: "string", examples: ["x@y.z"] } }), { c: "x@y.z" }],
    ["what is nested", object({ o: object({ a: { const: 1 } }) }), { o: { a: 1 } }],
    [
      "as many items as are needed",
      object({ l: { type: "array", minItems: 2, items: { type: "string" } } }),
      { l: ["", ""] },
    ],
    ["the first alternative", object({ u: { anyOf: [{ type: "boolean" }, { type: "null" }] } }), { u: false }],
    [
      "what is referred to",
      { ...object({ r: { $ref: "#/$defs/a~1b" } }), $defs: { "a/b": { type: "boolean" } } },
      { r: false },
    ],
  ])("gives %s", (_, schema, expected) => {
    const made = exampleArguments(schema)
    expect(made).toEqual(expected)
    expect(new Ajv({ strict: false }).validate(schema, made)).toBe(true)
  })

  it.each([undefined, null, true, "text", { type: "string" }, { required: "a" }, { type: "object", required: [1] }])(
    "gives an object whatever the schema is: %j",
    schema => {
      expect(exampleArguments(schema)).toEqual({})
    },
  )

  it("comes to an end with a schema that has none", () => {
    const endless = { ...object({ next: { $ref: "#" } }) }
    expect(JSON.stringify(exampleArguments(endless)).length).toBeLessThan(200)
  })
})
