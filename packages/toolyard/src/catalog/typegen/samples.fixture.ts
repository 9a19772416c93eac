/** Values that a schema accepts: guessed from its keywords, kept where Ajv agrees. */
import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { isObject, type JsonObject } from "../../model/json.ts"
import { createResolver, type Resolve } from "./references.ts"

const OPTIONS = { strict: false, validateFormats: false, addUsedSchema: false, logger: false as const }
const MAX_DEPTH = 6

/** Gives values that the schema accepts. Each turn picks other alternatives; even ones give required properties only. */
export type Sampler = (schema: unknown, turns: number) => unknown[]

export function createSampler(): Sampler {
  const compilers = { old: new Ajv(OPTIONS), new: new Ajv2020(OPTIONS) }
  return (schema, turns) => {
    if (!isObject(schema)) return []
    const old = typeof schema.$schema === "string" && schema.$schema.includes("draft-07")
    const validate = compileSchema(old ? compilers.old : compilers.new, schema)
    if (!validate) return []
    const resolve = createResolver(schema)
    const texts = Array.from({ length: turns }, (_, turn) => guess(schema, { resolve, turn, depth: 0 }))
      .filter(value => value !== undefined && accepts(validate, value))
      .map(value => JSON.stringify(value))
    return [...new Set(texts)].map(text => JSON.parse(text))
  }
}

function compileSchema(ajv: Ajv | Ajv2020, schema: JsonObject): ValidateFunction | undefined {
  try {
    return ajv.compile(schema)
  } catch {
    // What Ajv refuses says nothing of what is valid.
    return undefined
  } finally {
    ajv.removeSchema(schema)
  }
}

function accepts(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value) === true
  } catch {
    // A schema that refers to nothing but itself has no end.
    return false
  }
}

interface Guessing {
  resolve: Resolve
  turn: number
  depth: number
}

function guess(schema: unknown, guessing: Guessing): unknown {
  const { turn, depth, resolve } = guessing
  if (!isObject(schema)) return ["x", 1, null, { a: 1 }][turn % 4]
  const inner = { ...guessing, depth: depth + 1 }
  if (depth > MAX_DEPTH * 2) return undefined
  if (Object.hasOwn(schema, "const")) return schema.const
  for (const key of ["enum", "examples"]) {
    const values = schema[key]
    if (Array.isArray(values) && values.length > 0) return values[turn % values.length]
  }
  if (turn % 3 === 1 && schema.default !== undefined) return schema.default
  const parts: unknown[] = []
  if (typeof schema.$ref === "string") parts.push(guess(resolve(schema.$ref), inner))
  if (Array.isArray(schema.allOf)) for (const one of schema.allOf) parts.push(guess(one, inner))
  for (const key of ["anyOf", "oneOf"]) {
    const options = schema[key]
    if (Array.isArray(options) && options.length > 0) parts.push(guess(options[(turn >> 1) % options.length], inner))
  }
  if (schema.type !== undefined || schema.properties || schema.items || parts.length === 0)
    parts.push(guessOwn(schema, inner))
  const objects = parts.filter(isObject)
  return objects.length === parts.length ? Object.assign({}, ...objects) : parts.find(part => part !== undefined)
}

function guessOwn(schema: JsonObject, guessing: Guessing): unknown {
  const { turn } = guessing
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  const type = types[turn % types.length] ?? (schema.properties ? "object" : schema.items ? "array" : "string")
  if (type === "object") return guessObject(schema, guessing)
  if (type === "array") return guessArray(schema, guessing)
  if (type === "string") return guessString(schema)
  if (type === "boolean") return turn % 2 === 0
  if (type === "null") return null
  return guessNumber(schema)
}

function guessString({ minLength, pattern, format }: JsonObject): string {
  if (format === "date-time") return "2026-01-01T00:00:00Z"
  if (typeof pattern === "string" && /uuid|a-f/i.test(pattern)) return "3f2b9c1e-8d47-4a6b-9c1e-8d474a6b9c1e"
  const text = typeof pattern === "string" && pattern.includes("T") ? "2026-01-01T00:00:00Z" : "text"
  return typeof minLength === "number" ? text.padEnd(minLength, "x") : text
}

function guessNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === "number") return Math.ceil(minimum)
  if (typeof exclusiveMinimum === "number") return Math.floor(exclusiveMinimum) + 1
  return typeof maximum === "number" ? Math.min(1, Math.floor(maximum)) : 1
}

function guessArray(schema: JsonObject, guessing: Guessing): unknown[] {
  const { items, prefixItems, minItems } = schema
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const values = tuple.map(one => guess(one, guessing))
  const wanted = Math.max(typeof minItems === "number" ? minItems : 0, guessing.depth < MAX_DEPTH ? 1 : 0)
  while (isObject(items) && values.length < wanted) {
    const value = guess(items, { ...guessing, turn: guessing.turn + values.length })
    if (value === undefined) break
    values.push(value)
  }
  return values
}

function guessObject(schema: JsonObject, guessing: Guessing): JsonObject {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const value: JsonObject = {}
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (!required.has(name) && (guessing.turn % 2 === 0 || guessing.depth > MAX_DEPTH)) continue
      const one = guess(property, guessing)
      if (one !== undefined) Object.defineProperty(value, name, { value: one, enumerable: true })
    }
  }
  // Properties that nobody declared are what an index signature is for.
  const more = schema.additionalProperties
  if (isObject(more) && guessing.turn % 2 === 1) value.more = guess(more, guessing)
  return value
}
