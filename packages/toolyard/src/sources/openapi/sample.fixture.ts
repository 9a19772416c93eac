/** For tests: a value that fits a JSON Schema, with every property that it has, or only what it must have. */
import { isObject, type JsonObject } from "../../model/json.ts"

const FORMATS: Record<string, string> = {
  date: "2024-02-29",
  "date-time": "2024-02-29T12:00:00Z",
  time: "12:00:00Z",
  email: "jo@example.com",
  uri: "https://example.com/a",
  uuid: "3be6453c-03eb-4357-ae5a-984a0e574a54",
  byte: "aGVsbG8=",
  binary: "aGVsbG8=",
}

export function sampleOf(schema: unknown, isFull: boolean, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema)) return "any"
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/$defs/", "")
    const defs = isObject(root) && isObject(root.$defs) ? root.$defs : {}
    return depth > 6 ? {} : sampleOf(defs[name], isFull, root, depth + 1)
  }
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  const [choice] = [schema.oneOf, schema.anyOf].filter(Array.isArray)
  if (choice) return sampleOf(choice[0], isFull, root, depth + 1)
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map(part => sampleOf(part, isFull, root, depth + 1))
    return Object.assign({}, ...parts.filter(isObject))
  }
  const type = Array.isArray(schema.type) ? schema.type.find(name => name !== "null") : schema.type
  if (type === "object" || isObject(schema.properties)) return objectOf(schema, isFull, root, depth)
  if (type === "array")
    return Array.from({ length: Number(schema.minItems ?? 1) }, () => sampleOf(schema.items, isFull, root, depth + 1))
  if (type === "integer" || type === "number") return Number(schema.minimum ?? schema.maximum ?? 7)
  if (type === "boolean") return true
  if (schema.contentEncoding === "base64") return FORMATS.byte
  const known = FORMATS[String(schema.format)] ?? "text"
  return known.padEnd(Number(schema.minLength ?? 0), "x")
}

function objectOf(schema: JsonObject, isFull: boolean, root: unknown, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const names = Object.keys(properties).filter(name => required.includes(name) || (isFull && depth < 5))
  return Object.fromEntries(names.map(name => [name, sampleOf(properties[name], isFull, root, depth + 1)]))
}
