import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { convertOne } from "./convert-case.ts"

describe("the schema of an answer", () => {
  const output = (schema: JsonObject, rest: JsonObject = {}) =>
    convertOne({ responses: { 404: {}, 201: { content: { "application/json; charset=utf-8": { schema } } } } }, rest)
      .definition.outputSchema

  it("is one that no honest answer breaks: nothing required, everything may be null", () => {
    expect(
      output({
        type: "object",
        required: ["id"],
        additionalProperties: false,
        properties: {
          id: { type: "integer", minimum: 1 },
          kind: { type: "string", enum: ["a"] },
          secret: { type: "string", writeOnly: true },
          list: { type: "array", items: { oneOf: [{ type: "string" }, { type: "number" }] } },
        },
      }),
    ).toEqual({
      type: "object",
      properties: {
        id: { type: ["integer", "null"] },
        kind: { type: ["string", "null"] },
        list: { type: ["array", "null"], items: { type: ["string", "null", "number"] } },
      },
    })
  })

  it("is left out where the answer is no object, no JSON, or large", () => {
    expect(output({ type: "array", items: { type: "string" } })).toBeUndefined()
    const large = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field${i}`, { type: "string" }]))
    expect(output({ type: "object", properties: large })).toBeUndefined()
    const { definition } = convertOne({
      responses: { 200: { content: { "text/html": { schema: { type: "object" } } } } },
    })
    expect(definition.outputSchema).toBeUndefined()
  })
})
