import { describe, expect, it } from "vitest"
import { convertOne } from "./convert-case.ts"

const SWAGGER = { openapi: undefined, swagger: "2.0" }

describe("the parameters of a tool", () => {
  it("are properties under their own names, made legal, and apart where places share a name", () => {
    const { operation, schema } = convertOne(
      {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "id", in: "query", schema: { type: "integer" } },
          { name: "StartTime<", in: "query", schema: { type: "string" } },
          { name: "include[]", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "body", in: "header", schema: { type: "string" } },
        ],
        requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
      },
      {},
      "/things/{id}",
    )
    expect(Object.keys(schema.properties)).toEqual(["id", "id_query", "StartTime_lt", "include", "body", "requestBody"])
    expect(operation.parameters.map(({ argument, name }) => [argument, name])).toEqual([
      ["id", "id"],
      ["id_query", "id"],
      ["StartTime_lt", "StartTime<"],
      ["include", "include[]"],
      ["body", "body"],
    ])
    expect(operation.body?.argument).toBe("requestBody")
    expect(schema.required).toEqual(["id", "requestBody"])
    expect(schema.additionalProperties).toBe(false)
  })

  it("are written as their style says, or by the default of their place", () => {
    const of = (parameter: object, rest = {}) => {
      const { operation } = convertOne({ parameters: [{ name: "p", ...parameter }] }, rest, "/x/{p}")
      const { style, explode, content } = operation.parameters[0]!
      return [style, explode, ...(content ? [content] : [])]
    }
    const list = { type: "array", items: { type: "string" } }
    expect(of({ in: "query", schema: list })).toEqual(["form", true])
    expect(of({ in: "query", schema: list, explode: false })).toEqual(["form", false])
    expect(of({ in: "query", schema: {}, style: "deepObject" })).toEqual(["deepObject", true])
    expect(of({ in: "query", schema: list, style: "pipeDelimited" })).toEqual(["pipeDelimited", false])
    expect(of({ in: "path", schema: list, style: "matrix", explode: true })).toEqual(["matrix", true])
    expect(of({ in: "header", schema: list, style: "form" })).toEqual(["simple", false])
    expect(of({ in: "query", content: { "application/json": { schema: {} } } })).toEqual([
      "form",
      true,
      "application/json",
    ])
    expect(of({ in: "query", type: "array", items: {} }, SWAGGER)).toEqual(["form", false])
    expect(of({ in: "query", type: "array", items: {}, collectionFormat: "multi" }, SWAGGER)).toEqual(["form", true])
    expect(of({ in: "query", type: "array", items: {}, collectionFormat: "ssv" }, SWAGGER)).toEqual([
      "spaceDelimited",
      false,
    ])
  })

  it("of the operation take the place of those of its path", () => {
    const { schema } = convertOne(
      {},
      {
        paths: {
          "/x": {
            parameters: [{ name: "a", in: "query", schema: { type: "string" } }, { $ref: "#/components/parameters/B" }],
            get: { parameters: [{ name: "a", in: "query", required: true, schema: { type: "integer" } }] },
          },
        },
        components: { parameters: { B: { name: "b", in: "header", schema: { type: "boolean" } } } },
      },
    )
    expect(schema.properties).toEqual({ a: { type: "integer" }, b: { type: "boolean" } })
    expect(schema.required).toEqual(["a"])
  })

  it("are repaired where the description got them wrong, and each repair is told with its place", () => {
    const { schema, operation, report } = convertOne(
      {
        parameters: [
          { name: "a", in: "path", schema: { type: "string" } },
          { name: "c", in: "Query", schema: { type: "string" } },
          { name: "d", in: "query" },
          { name: "e", in: "query", type: "integer" },
          { name: "f", in: "path", required: true, schema: {} },
          { name: "g", in: "nowhere", schema: {} },
          { $ref: "#/components/parameters/none" },
        ],
      },
      {},
      "/x/{a}/{b}",
    )
    expect(schema.properties).toEqual({
      a: { type: "string" },
      c: { type: "string" },
      d: { type: "string" },
      e: { type: "integer" },
      b: { type: "string" },
    })
    expect(schema.required).toEqual(["a", "b"])
    expect(operation.parameters.map(parameter => parameter.in)).toEqual(["path", "query", "query", "query", "path"])
    const at = "/paths/~1x~1{a}~1{b}/post/parameters"
    expect(report.map(({ code, at }) => [code, at])).toEqual(
      expect.arrayContaining([
        ["optional_path_parameter", `${at}/0`],
        ["place_in_capitals", `${at}/1`],
        ["parameter_without_schema", `${at}/2`],
        ["swagger_parameter", `${at}/3`],
        ["unused_path_parameter", `${at}/4`],
        ["unknown_place", `${at}/5`],
        ["broken_ref", `${at}/6`],
        ["undeclared_path_parameter", "/paths/~1x~1{a}~1{b}"],
      ]),
    )
  })

  it("of a query string as a whole (3.2) are its properties", () => {
    const schema = { type: "object", properties: { q: { type: "string" }, n: { type: "integer" } }, required: ["q"] }
    const one = convertOne({
      parameters: [{ name: "all", in: "querystring", content: { "application/x-www-form-urlencoded": { schema } } }],
    })
    expect(one.schema.properties).toEqual({ q: { type: "string" }, n: { type: "integer" } })
    expect(one.schema.required).toEqual(["q"])
  })

  it("have their text and example, unless these say no more than the name", () => {
    const { schema } = convertOne({
      parameters: [
        {
          name: "petName",
          in: "query",
          description: "The name of the pet.",
          example: "Rex",
          schema: { type: "string" },
        },
        { name: "size", in: "query", description: "In centimetres.", deprecated: true, schema: { type: "integer" } },
      ],
    })
    expect(schema.properties.petName).toEqual({ type: "string", examples: ["Rex"] })
    expect(schema.properties.size).toEqual({ type: "integer", description: "In centimetres.", deprecated: true })
  })
})
