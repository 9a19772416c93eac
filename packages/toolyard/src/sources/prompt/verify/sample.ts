/** Values that fit a JSON Schema: what its author gave as examples first, made-up ones otherwise. The same each time. */
import { isObject, type JsonObject } from "../../../model/json.ts"

export interface SampleOptions {
  /** Also what is not required. */
  all: boolean
  /** In place of `sample` where a string may be anything. */
  text?: string
}

const MAX_DEPTH = 6
const FORMATS: Record<string, string> = {
  date: "2024-01-15",
  time: "10:30:00Z",
  "date-time": "2024-01-15T10:30:00Z",
  email: "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
}
/** For patterns that are asked for often. */
const CANDIDATES = [
  "sample",
  "Sample",
  "SAMPLE",
  "abc",
  "ABC",
  "en",
  "USD",
  "usd",
  "US",
  "1",
  "12",
  "123",
  "12345",
  "2024",
  "2024-01-15",
  "2024-01",
  "10:30",
  "a1",
  "v1",
  "1.0.0",
  "latest",
  "#ffffff",
  "ada@example.com",
  "https://example.com/",
  "0123456789abcdef0123456789abcdef",
  "123e4567-e89b-12d3-a456-426614174000",
  "SW1A 1AA",
  "12345-6789",
  "+15551234567",
]

/** Arguments for a tool. A key that the schema does not settle is left out unless it is required. */
export function sampleArguments(schema: JsonObject, options: SampleOptions): JsonObject {
  const given = firstExample(schema)
  if (isObject(given) && options.text === undefined && options.all) return given
  const value = sample(schema, schema, options, 0)
  return isObject(value) ? value : {}
}

/** A plausible value, such as an API might answer with. */
export function sampleValue(schema: JsonObject): unknown {
  return sample(schema, schema, { all: true }, 0)
}

function sample(written: unknown, root: JsonObject, options: SampleOptions, depth: number): unknown {
  const schema = resolve(written, root)
  if (!isObject(schema)) return options.text ?? "sample"
  const given = firstExample(schema)
  if (given !== undefined && depth > 0) return given
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  const choices = [schema.oneOf, schema.anyOf].find(list => Array.isArray(list)) as unknown[] | undefined
  const chosen = choices?.find(choice => resolve(choice, root)?.type !== "null")
  if (chosen !== undefined && schema.properties === undefined) return sample(chosen, root, options, depth + 1)
  const parts = Array.isArray(schema.allOf) ? schema.allOf.map(part => resolve(part, root)).filter(isObject) : []
  const whole = parts.length > 0 ? merge([schema, ...parts]) : schema
  switch (typeOf(whole)) {
    case "object":
      return sampleObject(whole, root, options, depth)
    case "array": {
      const least = typeof whole.minItems === "number" ? Math.min(whole.minItems, 20) : 1
      const item = Array.isArray(whole.prefixItems) ? whole.prefixItems[0] : whole.items
      if (depth >= MAX_DEPTH) return []
      return Array.from({ length: Math.max(1, least) }, () => sample(item, root, options, depth + 1))
    }
    case "integer":
    case "number":
      return sampleNumber(whole)
    case "boolean":
      return true
    case "null":
      return null
    default:
      return sampleText(whole, options.text)
  }
}

function sampleObject(schema: JsonObject, root: JsonObject, options: SampleOptions, depth: number): JsonObject {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const properties = isObject(schema.properties) ? schema.properties : {}
  const keys = new Set([...required, ...(options.all && depth < MAX_DEPTH ? Object.keys(properties) : [])])
  return Object.fromEntries([...keys].map(key => [key, sample(properties[key], root, options, depth + 1)]))
}

function sampleNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): number {
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1
  let value = step
  if (typeof minimum === "number") value = Math.max(value, Math.ceil(minimum / step) * step)
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    value = (Math.floor(exclusiveMinimum / step) + 1) * step
  if (typeof maximum === "number" && value > maximum) value = Math.floor(maximum / step) * step
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    value = (Math.ceil(exclusiveMaximum / step) - 1) * step
  return value
}

function sampleText(schema: JsonObject, text: string | undefined): string {
  const { format, pattern, minLength, maxLength } = schema
  if (typeof format === "string" && FORMATS[format] !== undefined) return FORMATS[format]
  if (typeof pattern === "string") {
    try {
      const matcher = new RegExp(pattern, "u")
      // A pattern within a pattern may take for ever on a long text.
      const most = /\)[*+{]/.test(pattern) ? 12 : Number.POSITIVE_INFINITY
      return CANDIDATES.find(candidate => candidate.length <= most && matcher.test(candidate)) ?? "sample"
    } catch {
      return "sample"
    }
  }
  let value = text ?? "sample"
  if (typeof minLength === "number") value = value.padEnd(Math.min(minLength, 10_000), "x")
  return typeof maxLength === "number" ? value.slice(0, Math.max(0, maxLength)) : value
}

function firstExample({ examples, example, default: preset }: JsonObject): unknown {
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  return example ?? preset
}

function typeOf({ type, properties, items }: JsonObject): unknown {
  if (Array.isArray(type)) return type.find(one => one !== "null") ?? "null"
  return type ?? (properties !== undefined ? "object" : items !== undefined ? "array" : undefined)
}

function merge(parts: JsonObject[]): JsonObject {
  const objects = parts.filter(({ properties }) => isObject(properties))
  return {
    ...Object.assign({}, ...parts.toReversed()),
    ...(objects.length > 0 && { properties: Object.assign({}, ...objects.map(({ properties }) => properties)) }),
    required: parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
  }
}

/** Follows references within the document; one that leads nowhere, or in a circle, allows anything. */
function resolve(schema: unknown, root: JsonObject): JsonObject | undefined {
  let found = schema
  for (let hops = 0; hops < 8; hops++) {
    if (!isObject(found)) return undefined
    if (typeof found.$ref !== "string") return found
    if (!found.$ref.startsWith("#")) return undefined
    const keys = found.$ref.slice(1).split("/").slice(1)
    found = keys.reduce<unknown>(
      (at, key) => (isObject(at) ? at[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root,
    )
  }
  return undefined
}
