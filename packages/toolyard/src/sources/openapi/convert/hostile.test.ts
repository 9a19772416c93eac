import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { readDescription } from "../read/description.ts"
import { convertBody } from "./convert-case.ts"
import { toOperations } from "./operations.ts"

const WHERE = "https://docs.test/openapi.json"
const around = (schema: string, rest = "") =>
  `{"openapi":"3.1.0","servers":[{"url":"https://api.test"}],"paths":{"/x":{"post":{"requestBody":{"content":{"application/json":{"schema":${schema}}}}}}}${rest}}`
const inputOf = (text: string) => {
  const { tools, report } = toOperations(readDescription(text, WHERE))
  const schema = tools[0]!.definition.inputSchema as JsonObject & { properties: Record<string, JsonObject> }
  return { schema, codes: report.map(({ code }) => code), size: JSON.stringify(tools).length }
}
const compiles = (schema: unknown) =>
  new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema as JsonObject) !== undefined

describe("a hostile description", () => {
  it("of 100 MB is refused before it is parsed", () => {
    const bomb = `a: &a [x]\nb:\n${" - *a\n".repeat(100_000_000 / 6)}`
    expect(() => readDescription(bomb, WHERE)).toThrow(/100 MB/)
  })

  it("of very many aliases is refused", () => {
    expect(() => readDescription(`a: &a [x]\nb:\n${" - *a\n".repeat(20_000)}`, WHERE)).toThrow(/more than 5000 aliases/)
  })

  it("whose aliases unfold without end costs no more than it says", () => {
    const levels = Array.from({ length: 40 }, (_, i) =>
      i === 0
        ? "x-0: &a0 {type: string}"
        : `x-${i}: &a${i} {type: object, properties: {${["a", "b", "c", "d"].map(n => `${n}: *a${i - 1}`).join(", ")}}, anyOf: [*a${i - 1}, *a${i - 1}], example: [*a${i - 1}, *a${i - 1}]}`,
    )
    const text = `${levels.join("\n")}\nopenapi: 3.1.0\npaths:\n  /x:\n    post:\n      requestBody: {content: {application/json: {schema: *a39}}}\n`
    const { schema, codes, size } = inputOf(text)
    expect(compiles(schema)).toBe(true)
    expect(size).toBeLessThan(100_000)
    expect(codes).toContain("too_deep")
  })

  it("nested 10,000 deep becomes a tool, in JSON as properties, lists or unions", () => {
    for (const [open, close] of [
      ['{"properties":{"a":', "}}"],
      ['{"type":"array","items":', "}"],
      ['{"anyOf":[', "]}"],
      ['{"allOf":[', "]}"],
    ] as const) {
      const { schema } = inputOf(around(`${open.repeat(10_000)}{}${close.repeat(10_000)}`))
      expect(compiles(schema)).toBe(true)
    }
  })

  it("nested too deep for YAML is an error that says so", () => {
    const text = `openapi: 3.1.0\npaths: {}\nx: ${"[".repeat(10_000)}${"]".repeat(10_000)}`
    expect(() => readDescription(text, WHERE)).toThrow(/can't be read/)
  })

  it("with chains of 10,000 references becomes a tool", () => {
    const chain = (link: (name: string) => string) => {
      const schemas = Array.from({ length: 10_000 }, (_, i) => `"S${i}":${link(`"#/components/schemas/S${i + 1}"`)}`)
      return around(
        '{"$ref":"#/components/schemas/S0"}',
        `,"components":{"schemas":{${schemas.join(",")},"S10000":{"type":"string"}}}`,
      )
    }
    for (const link of [
      (name: string) => `{"$ref":${name}}`,
      (name: string) => `{"type":"object","properties":{"next":{"$ref":${name}}}}`,
      (name: string) => `{"allOf":[{"$ref":${name}}]}`,
      (name: string) => `{"anyOf":[{"$ref":${name}},{"type":"null"}]}`,
    ]) {
      const { schema } = inputOf(chain(link))
      expect(compiles(schema)).toBe(true)
    }
  })

  it("with references in a circle becomes a tool", () => {
    for (const schemas of [
      { A: { $ref: "#/components/schemas/A" } },
      { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } },
      { A: { allOf: [{ $ref: "#/components/schemas/A" }, { type: "object" }] } },
      { A: { anyOf: [{ $ref: "#/components/schemas/A" }, { type: "string" }] } },
      { A: { type: "array", items: { $ref: "#/components/schemas/A" } } },
      { A: { additionalProperties: { $ref: "#/components/schemas/A" } } },
    ]) {
      const { schema } = convertBody({ $ref: "#/components/schemas/A" }, { components: { schemas } })
      expect(compiles(schema)).toBe(true)
    }
  })

  it("with huge enums, objects and unions stays small", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `value-${i}`)
    const listed = convertBody({ type: "object", properties: { a: { type: "string", enum: many } } })
    expect(JSON.stringify(listed.body.properties)).toMatch(/^.{0,300}$/)
    expect(JSON.stringify(listed.body.properties)).toContain("50000 values")
    const union = convertBody({
      anyOf: many.map(name => ({ type: "object", properties: { [name]: { type: "string" } } })),
    })
    expect(JSON.stringify(union.schema).length).toBeLessThan(50_000)
  })

  it("can't reach prototypes with its names", () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]
    const text = around(
      `{"type":"object","properties":{${names.map(n => `"${n}":{"type":"string","x":1}`).join(",")}},"required":["__proto__"]}`,
      `,"components":{"schemas":{"__proto__":{"polluted":true}}},"security":[{"__proto__":[],"constructor":[]}]`,
    ).replace(
      '"requestBody"',
      `"operationId":"__proto__","parameters":[${names.map(n => `{"name":"${n}","in":"query","schema":{"$ref":"#/components/schemas/${n}"}}`).join(",")}],"requestBody"`,
    )
    const { schema } = inputOf(text)
    expect(Object.getPrototypeOf(schema.properties)).toBe(Object.prototype)
    expect(({} as JsonObject).polluted).toBeUndefined()
    expect(Object.keys(schema.properties)).toEqual([
      "proto",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "body",
    ])
    expect(Object.keys(schema.properties.body!.properties as object)).toEqual(names.slice(1))
    expect(schema.properties.body!.required).toBeUndefined()
  })
})
