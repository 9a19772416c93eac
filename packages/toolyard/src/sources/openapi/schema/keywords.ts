/** The keywords of a schema that hold no other schemas, from any version of OpenAPI, as JSON Schema 2020-12 has them. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { Detail } from "./fragment.ts"
import { repairPattern } from "./pattern.ts"

export type Complain = (code: string, at: string, message: string) => void

export const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])
const MISNAMED: Record<string, string> = {
  int: "integer",
  long: "integer",
  int32: "integer",
  int64: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  bool: "boolean",
  str: "string",
  text: "string",
  date: "string",
  datetime: "string",
  "date-time": "string",
  uuid: "string",
  uri: "string",
  url: "string",
  email: "string",
  file: "string",
  binary: "string",
  byte: "string",
  dict: "object",
  map: "object",
  hash: "object",
  list: "array",
}
/** They say how a number is stored, which JSON doesn't know. */
const STORAGE = new Set(["int32", "int64", "float", "double", "int", "long", "integer", "number", "string", "decimal"])
const MAX_ENUM = 40
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
/** The ends of the integers a computer has: true of every value anyone sends. */
const isFarOff = (value: number) => Math.abs(value) >= 2_147_483_647

/** The types as a list; none when any is allowed. */
export function typesOf(schema: JsonObject, at: string, complain: Complain): string[] {
  const given = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  const types = new Set<string>()
  for (const type of given) {
    const name = typeof type === "string" ? type.toLowerCase() : ""
    const known = TYPES.has(name) ? name : Object.hasOwn(MISNAMED, name) ? MISNAMED[name] : undefined
    if (known !== type) {
      const made = known ? `read as "${known}"` : "ignored"
      complain(name === "file" ? "type_file" : "unknown_type", at, `the type ${JSON.stringify(type)} is ${made}`)
    }
    if (known) types.add(known)
    // Any type at all, then.
    else return []
  }
  if (types.size === 0) {
    if (isObject(schema.properties)) types.add("object")
    else if (schema.items !== undefined) types.add("array")
    else if (isBinary(schema)) types.add("string")
  }
  if ((schema.nullable === true || schema["x-nullable"] === true) && types.size > 0) types.add("null")
  return [...types]
}

/** Bytes, which arguments have in base64. */
export function isBinary(schema: JsonObject): boolean {
  return (
    schema.format === "binary" ||
    schema.format === "byte" ||
    schema.format === "base64" ||
    schema.type === "file" ||
    (typeof schema.contentMediaType === "string" &&
      schema.type === undefined &&
      !/json|text|xml/.test(schema.contentMediaType)) ||
    schema.contentEncoding === "base64"
  )
}

export function copyValues(schema: JsonObject, out: JsonObject, at: string, complain: Complain, detail: Detail): void {
  if (Object.hasOwn(schema, "const") && isShort(schema.const, 200)) out.const = schema.const
  if (schema.enum !== undefined) copyEnum(schema, out, at, complain)
  if (isBinary(schema)) out.format = "byte"
  else if (
    typeof schema.format === "string" &&
    !STORAGE.has(schema.format) &&
    !out.enum &&
    schema.format.length <= 40
  ) {
    out.format = schema.format
  }
  for (const key of COUNTS) {
    const value = toNumber(schema[key])
    if (value !== undefined && Number.isInteger(value) && value >= 0 && !isFarOff(value)) {
      if (value > 0 || key.startsWith("max")) out[key] = value
    }
  }
  // An upper length of 0 would forbid every value.
  if (out.maxLength === 0) delete out.maxLength
  for (const key of BOUNDS) {
    const value = toNumber(schema[key])
    if (value !== undefined && !isFarOff(value) && (key !== "multipleOf" || value > 0)) out[key] = value
  }
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (schema[flag] !== true || out[bound] === undefined) continue
    out[flag] = out[bound]
    delete out[bound]
  }
  if (schema.pattern !== undefined && !isBinary(schema)) {
    const pattern = repairPattern(schema.pattern)
    if (pattern !== undefined) out.pattern = pattern
    if (pattern !== schema.pattern) {
      complain("bad_pattern", at, `the pattern is ${pattern === undefined ? "left out" : `read as ${pattern}`}`)
    }
  }
  // A pattern for the whole text, without repetition, says how long it is.
  if (typeof out.pattern === "string" && /^\^[^*+,|]*\$$/.test(out.pattern)) {
    delete out.minLength
    delete out.maxLength
  }
  if (schema.uniqueItems === true && out.type === "array") out.uniqueItems = true
  if (schema.deprecated === true) out.deprecated = true
  const { default: preset } = schema
  if (preset !== undefined && preset !== null && preset !== "" && isShort(preset, detail.example)) out.default = preset
  copyExample(schema, out, detail.example)
}

function copyEnum(schema: JsonObject, out: JsonObject, at: string, complain: Complain): void {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0 || !schema.enum.every(value => isShort(value, 200))) {
    complain("bad_enum", at, "an enum without values, or with long ones, is left out")
    return
  }
  const values = [...new Map(schema.enum.map(value => [JSON.stringify(value), value])).values()]
  if (schema.nullable === true && !values.includes(null)) values.push(null)
  if (values.length > MAX_ENUM) {
    const some = values.slice(0, 8).map(value => (typeof value === "string" ? value : JSON.stringify(value)))
    out.description = `One of ${values.length} values: ${some.join(", ").slice(0, 120)}, …`
    return
  }
  out.enum = values
  // YAML makes numbers and booleans of values that were meant as text: with that type none would be allowed.
  const types = Array.isArray(out.type) ? out.type : [out.type]
  if (out.type !== undefined && !values.some(value => types.some(type => isOfType(value, type)))) {
    complain("bad_enum", at, `no value of the enum is of the type ${JSON.stringify(out.type)}, which is left out`)
    delete out.type
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}

/** One is enough, and none where the values are listed anyway. */
export function copyExample(from: JsonObject, out: JsonObject, max: number): void {
  if (max === 0 || out.enum !== undefined || out.const !== undefined || out.default !== undefined) return
  if (out.type === "boolean" || out.examples !== undefined) return
  const { example, examples } = from
  let first = example
  if (first === undefined && Array.isArray(examples)) first = examples[0]
  else if (first === undefined && isObject(examples)) {
    const named = Object.values(examples)[0]
    first = isObject(named) ? named.value : undefined
  }
  if (first === undefined || first === null || first === "" || !isShort(first, max)) return
  out.examples = [first]
}

/** Looks at no more of the value than that: it may share parts with itself, and be endless when printed. */
function isShort(value: unknown, max: number): boolean {
  let left = max
  const take = (part: unknown): void => {
    if (left <= 0) return
    if (typeof part !== "object" || part === null) {
      left -= typeof part === "string" ? part.length + 2 : String(part).length
      return
    }
    left -= 2
    for (const [key, inner] of Object.entries(part)) {
      left -= Array.isArray(part) ? 1 : key.length + 4
      take(inner)
      if (left <= 0) return
    }
  }
  take(value)
  return left >= 0 && max > 0
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}
