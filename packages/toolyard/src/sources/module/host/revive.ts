/** From JSON arguments to a function's parameters: put in their places, dates and bytes made from their texts. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ParameterPlan } from "../description.ts"
import type { ToolContext } from "../tool-context.ts"
import { InvalidValue } from "./standard-schema.ts"

/** What the describer puts into a schema where JSON has no such type. */
const MARK = "x-toolyard-type"

export type Run = (...args: unknown[]) => unknown

export function bindArguments(run: Run, plan: readonly ParameterPlan[], schema: JsonObject) {
  const hasMarks = JSON.stringify(schema).includes(`"${MARK}"`)
  return (args: unknown, context: ToolContext): unknown => {
    const whole = hasMarks ? revive(args, schema, schema, "") : args
    const values = plan.flatMap((part): unknown[] => {
      if (part.kind === "context") return [context]
      if (part.kind === "whole") return [whole]
      const value = isObject(whole) && Object.hasOwn(whole, part.name) ? whole[part.name] : undefined
      if (!part.rest) return [value]
      return Array.isArray(value) ? value : []
    })
    return run(...values)
  }
}

/** `value` with everything made that its schema marks; what does not fit is left as it is, for the function to judge. */
export function revive(value: unknown, schema: unknown, root: JsonObject, path: string): unknown {
  const meant = isObject(schema) ? choose(value, schema, root) : undefined
  if (!meant) return value
  const inner = reviveInside(value, meant, root, path)
  const make = typeof meant[MARK] === "string" && Object.hasOwn(MAKERS, meant[MARK]) ? MAKERS[meant[MARK]] : undefined
  if (!make || inner === null || inner === undefined) return inner
  try {
    return make(inner)
  } catch {
    throw new InvalidValue(`${path || "the value"} is no ${meant[MARK]}: ${JSON.stringify(value)?.slice(0, 100)}`)
  }
}

function reviveInside(value: unknown, schema: JsonObject, root: JsonObject, path: string): unknown {
  if (Array.isArray(value)) {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
    return value.map((item, i) => revive(item, i < first.length ? first[i] : schema.items, root, `${path}[${i}]`))
  }
  if (!isObject(value)) return value
  const properties = isObject(schema.properties) ? schema.properties : {}
  // `fromEntries` defines, where an assignment to `__proto__` would do something else.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
      return [key, revive(inner, known, root, path ? `${path}.${key}` : key)]
    }),
  )
}

/** The schema that is meant: references followed, and of alternatives the first that the value fits. */
function choose(value: unknown, schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let at: JsonObject = schema
  for (let hops = 0; typeof at.$ref === "string"; hops++) {
    const definitions = isObject(root.$defs) ? root.$defs : {}
    const name = /^#\/\$defs\/(.+)$/.exec(at.$ref)?.[1]
    const next = at.$ref === "#" ? root : name !== undefined && Object.hasOwn(definitions, name) && definitions[name]
    if (!isObject(next) || hops > 100) return undefined
    at = next
  }
  const branches = [at.anyOf, at.oneOf].find(Array.isArray)
  if (!branches) return at
  const candidates = branches.filter(isObject).map(branch => choose(value, branch, root))
  // A text that may stay a text does: who takes both a string and a date tells them apart.
  const fitting = candidates.filter(branch => branch !== undefined).filter(branch => fits(value, branch, root))
  return fitting.find(branch => branch[MARK] === undefined) ?? fitting[0]
}

function fits(value: unknown, schema: JsonObject, root: JsonObject): boolean {
  if ("const" in schema) return schema.const === value
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = [schema.type].flat().filter(type => type !== undefined)
  if (types.length > 0 && !types.some(type => isOfType(value, type))) return false
  if (!isObject(value)) return true
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  if (!required.every(key => Object.hasOwn(value, key))) return false
  if (schema.additionalProperties === false && !Object.keys(value).every(key => Object.hasOwn(properties, key)))
    return false
  return Object.entries(properties).every(([key, inner]) => {
    if (!Object.hasOwn(value, key) || !isObject(inner)) return true
    const meant = choose(value[key], inner, root)
    if (!meant) return false
    return isObject(value[key]) ? true : fits(value[key], meant, root)
  })
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}

const bytes = (value: unknown): Buffer => Buffer.from(text(value), "base64")

const MAKERS: Record<string, (value: unknown) => unknown> = {
  Date(value) {
    const date = new Date(value as string)
    if (Number.isNaN(date.getTime())) throw new Error()
    return date
  },
  URL: value => new URL(text(value)),
  RegExp(value) {
    const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text(value)) ?? []
    return source === undefined ? new RegExp(text(value)) : new RegExp(source, flags)
  },
  bigint: value => BigInt(value as string | number),
  Map: value => new Map(Array.isArray(value) ? value : Object.entries(value as object)),
  Set: value => new Set(value as unknown[]),
  Buffer: bytes,
  Uint8Array: value => new Uint8Array(bytes(value)),
  ArrayBuffer: value => new Uint8Array(bytes(value)).buffer,
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error()
  return value
}
