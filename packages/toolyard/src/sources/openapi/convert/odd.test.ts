import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { convert } from "./convert-case.ts"

describe("an odd description", () => {
  const value = fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      "",
      "x",
      "object",
      "array",
      "string",
      [],
      {},
      "#/components/schemas/A",
      "(",
      "2.0",
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const keyword = fc.constantFrom(
    ...[
      "type",
      "properties",
      "items",
      "required",
      "enum",
      "const",
      "$ref",
      "$id",
      "$anchor",
      "allOf",
      "anyOf",
      "oneOf",
      "not",
    ],
    ...[
      "additionalProperties",
      "patternProperties",
      "prefixItems",
      "format",
      "pattern",
      "nullable",
      "minimum",
      "exclusiveMinimum",
    ],
    ...["maxLength", "description", "default", "example", "examples", "readOnly", "deprecated", "__proto__"],
  )
  const schema = fc.letrec(tie => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      value,
      fc.dictionary(
        keyword,
        fc.oneof(
          value,
          tie("node"),
          fc.array(tie("node"), { maxLength: 3 }),
          fc.dictionary(fc.string({ maxLength: 4 }), tie("node"), { maxKeys: 3 }),
        ),
        { maxKeys: 5 },
      ),
    ),
  })).node
  const part = fc.oneof(value, schema)
  const parameter = fc.oneof(
    part,
    fc.record(
      {
        name: fc.oneof(fc.string(), part),
        in: fc.oneof(fc.constantFrom("path", "query", "header", "cookie", "body", "formData", "Query"), part),
        schema,
        style: part,
        content: part,
        type: part,
      },
      { requiredKeys: [] },
    ),
  )
  const operation = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record(
        {
          operationId: part,
          summary: part,
          description: part,
          tags: part,
          servers: part,
          security: part,
          responses: fc.oneof(
            part,
            fc.record({ 200: fc.record({ content: fc.record({ "application/json": fc.record({ schema }) }) }) }),
          ),
          parameters: fc.oneof(part, fc.array(parameter, { maxLength: 4 })),
          requestBody: fc.oneof(
            part,
            fc.record({
              content: fc.oneof(
                part,
                fc.dictionary(
                  fc.constantFrom("application/json", "multipart/form-data", "text/plain", "image/png", "x"),
                  fc.record({ schema, encoding: part }, { requiredKeys: [] }),
                  { maxKeys: 3 },
                ),
              ),
            }),
          ),
        },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: part },
  )

  it("never breaks conversion, and what comes out is sound", () => {
    const document = fc.record(
      {
        paths: fc.dictionary(
          fc.constantFrom("/a", "/a/{b}", "c", "/d?e=f", "/#g"),
          fc.dictionary(
            fc.constantFrom("get", "post", "PUT", "parameters", "servers", "$ref"),
            fc.oneof({ weight: 6, arbitrary: operation }, { weight: 1, arbitrary: fc.array(parameter) }),
            { maxKeys: 3 },
          ),
        ),
        components: fc.record(
          { schemas: fc.oneof(part, fc.record({ A: schema })), securitySchemes: part },
          { requiredKeys: [] },
        ),
        servers: part,
        security: part,
        host: part,
        swagger: fc.constantFrom("2.0", undefined),
      },
      { requiredKeys: ["paths"] },
    )
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false })
    fc.assert(
      fc.property(document, odd => {
        const { tools } = convert(odd as JsonObject)
        const names = tools.map(({ definition }) => definition.name)
        expect(new Set(names).size).toBe(names.length)
        for (const { definition, operation } of tools) {
          expect(definition.name).toMatch(/^[A-Za-z0-9_-]{1,56}$/)
          const input = definition.inputSchema as JsonObject
          const known = Object.keys(input.properties as object)
          const planned = [
            ...operation.parameters.map(({ argument }) => argument),
            ...(operation.body ? [operation.body.argument] : []),
          ]
          expect(known.toSorted()).toEqual(planned.toSorted())
          expect(operation.servers.length).toBeGreaterThan(0)
          expect(operation.body?.contents.length).not.toBe(0)
          for (const schema of [input, definition.outputSchema]) {
            if (schema === undefined) continue
            ajv.compile(schema as JsonObject)
            ajv.removeSchema(schema as JsonObject)
          }
        }
      }),
      { numRuns: 400 },
    )
  }, 60_000)
})
