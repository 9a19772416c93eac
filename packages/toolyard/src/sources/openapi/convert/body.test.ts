import { describe, expect, it } from "vitest"
import { convertBody, convertOne } from "./convert-case.ts"

const SWAGGER = { openapi: undefined, swagger: "2.0" }

describe("the body of a tool", () => {
  it("is sent as JSON where it can be, then as a form, then as anything else", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } }
    const types = ["application/xml", "multipart/form-data", "application/x-www-form-urlencoded", "application/json"]
    const { operation } = convertOne({
      requestBody: { content: Object.fromEntries(types.map(type => [type, { schema }])) },
    })
    expect(operation.body?.contents.map(({ mediaType }) => mediaType)).toEqual(types.toReversed())
    expect(operation.body?.required).toBe(false)
  })

  it("has files as base64, and says which fields they are", () => {
    const schema = {
      type: "object",
      properties: {
        photo: { type: "string", format: "binary" },
        docs: { type: "array", items: { type: "string", format: "binary" } },
        note: { type: "string" },
      },
    }
    const { body, operation } = convertBody(schema, {}, "multipart/form-data")
    expect(body.properties).toEqual({
      photo: { type: "string", format: "byte" },
      docs: { type: "array", items: { type: "string", format: "byte" } },
      note: { type: "string" },
    })
    expect(operation.body?.contents[0]?.files).toEqual(["photo", "docs"])
    const modern = convertBody({ properties: { photo: { contentMediaType: "image/png" } } }, {}, "multipart/form-data")
    expect(modern.operation.body?.contents[0]?.files).toEqual(["photo"])
  })

  it("has the files too where the same can be sent as JSON without them", () => {
    const json = { type: "object", properties: { text: { type: "string" } } }
    const form = {
      type: "object",
      properties: { text: { type: "string" }, file: { type: "string", format: "binary" } },
    }
    const { schema, operation } = convertOne({
      requestBody: { content: { "application/json": { schema: json }, "multipart/form-data": { schema: form } } },
    })
    expect(Object.keys(schema.properties.body!.properties as object)).toEqual(["text", "file"])
    expect(operation.body?.contents.map(({ mediaType, files }) => [mediaType, files])).toEqual([
      ["application/json", []],
      ["multipart/form-data", ["file"]],
    ])
  })

  it("is base64 for bytes, a string for text, and keeps how each field of a form is written", () => {
    expect(convertBody({}, {}, "application/octet-stream").body).toMatchObject({ type: "string", format: "byte" })
    expect(convertBody({ type: "object" }, {}, "application/xml").body).toMatchObject({ type: "string" })
    const encoding = { tags: { style: "spaceDelimited", explode: false, contentType: "text/plain", other: 1 } }
    const { operation } = convertOne({
      requestBody: { content: { "application/x-www-form-urlencoded": { schema: {}, encoding } } },
    })
    expect(operation.body?.contents[0]?.encoding).toEqual({
      tags: { style: "spaceDelimited", explode: false, contentType: "text/plain" },
    })
  })

  it("is found among the parameters of Swagger 2.0, whole or field by field", () => {
    const whole = convertOne(
      {
        consumes: ["application/xml", "application/json"],
        parameters: [{ name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } }],
      },
      { ...SWAGGER, definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } } },
    )
    expect(whole.schema.properties).toEqual({ body: { type: "object", properties: { name: { type: "string" } } } })
    expect(whole.schema.required).toEqual(["body"])
    const form = convertOne(
      {
        parameters: [
          { name: "photo", in: "formData", type: "file", required: true },
          { name: "tags", in: "formData", type: "array", items: { type: "string" }, collectionFormat: "multi" },
        ],
      },
      SWAGGER,
    )
    expect(form.schema.properties.body).toEqual({
      type: "object",
      properties: { photo: { type: "string", format: "byte" }, tags: { type: "array", items: { type: "string" } } },
      required: ["photo"],
    })
    expect(form.operation.body?.contents).toEqual([
      { mediaType: "multipart/form-data", encoding: { tags: { style: "form", explode: true } }, files: ["photo"] },
    ])
    expect(form.codes).toContain("type_file")
  })

  it("is accepted as anything where it is broken", () => {
    const { schema, codes } = convertOne({ requestBody: { $ref: "#/components/requestBodies/none" } })
    expect(schema.properties.body).toEqual({})
    expect(codes).toContain("broken_ref")
  })
})
