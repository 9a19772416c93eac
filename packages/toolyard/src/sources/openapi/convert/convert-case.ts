/** For tests: a document as tools, with the little that every document needs. */
import type { JsonObject } from "../../../model/json.ts"
import { readDescription } from "../read/description.ts"
import { type ConvertOptions, toOperations } from "./operations.ts"

export function convert(document: JsonObject, options: ConvertOptions & { where?: string } = {}) {
  const whole = { openapi: "3.1.0", info: {}, servers: [{ url: "https://api.test" }], ...document }
  const description = readDescription(JSON.stringify(whole), options.where ?? "https://docs.test/v1/openapi.json")
  const { tools, report } = toOperations(description, options)
  return { tools, report, codes: report.map(({ code }) => code) }
}

/** One operation alone. */
export function convertOne(operation: JsonObject, rest: JsonObject = {}, path = "/things", method = "post") {
  const { tools, codes, report } = convert({ paths: { [path]: { [method]: operation } }, ...rest })
  const tool = tools[0]!
  const schema = tool.definition.inputSchema as JsonObject & { properties: Record<string, JsonObject> }
  return { ...tool, schema, codes, report }
}

/** What the body's schema becomes. */
export function convertBody(schema: unknown, rest: JsonObject = {}, mediaType = "application/json") {
  const one = convertOne({ requestBody: { content: { [mediaType]: { schema } } } }, rest)
  return { ...one, body: one.schema.properties.body! }
}
