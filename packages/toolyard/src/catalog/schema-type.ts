/**
 * JSON Schema as a compact TypeScript type, for reading rather than compiling: recursion ends in `unknown`.
 * Schemas come from outside and may be anything: nothing here throws, and no schema takes long.
 */
import { isObject, type JsonObject } from "../model/json.ts"

export interface Detail {
  /** How many objects deep properties are shown; below that stands `object`. */
  depth: number
  /** How many members of an enum are shown. */
  enumSize: number
}

export interface Rendered {
  text: string
  /** Something was left out. */
  cut: boolean
  fits: boolean
}

export const ANY_RECORD = "Record<string, unknown>"
const MAX_LITERAL = 200

interface Type {
  text: string
  /** What joins its parts where it has several, so that it may need brackets. */
  by?: "|" | "&"
}
const UNKNOWN: Type = { text: "unknown" }
const RECORD: Type = { text: ANY_RECORD }

interface Pass {
  root: unknown
  enumSize: number
  /** Characters that may still be written; every schema visited costs some, which bounds the recursion as well. */
  left: number
  cut: boolean
  refs: string[]
}

/** `root` is where `$ref`s start, if it is not the schema itself. */
export function renderType(schema: unknown, detail: Detail, room: number, root = schema): Rendered {
  const pass: Pass = { root, enumSize: detail.enumSize, left: room, cut: false, refs: [] }
  const { text } = toType(schema, detail.depth, pass)
  const fits = pass.left >= 0 && text.length <= room
  return { text, cut: pass.cut || !fits, fits }
}

function toType(schema: unknown, depth: number, pass: Pass): Type {
  pass.left -= 4
  if (schema === false) return { text: "never" }
  if (!isObject(schema) || pass.left < 0) return UNKNOWN
  const each = (schemas: unknown): Type[] => toList(schemas).map(one => toType(one, depth, pass))
  const parts = [refType(schema.$ref, depth, pass), ...each(schema.allOf)]
  if (Object.hasOwn(schema, "const")) parts.push(literals([schema.const], pass))
  else if (Array.isArray(schema.enum)) parts.push(literals(schema.enum, pass))
  else parts.push(union(kindsOf(schema).map(kind => kindType(kind, schema, depth, pass))))
  for (const key of ["anyOf", "oneOf"]) if (toList(schema[key]).length > 0) parts.push(union(each(schema[key])))
  const type = intersection(parts)
  return schema.nullable === true ? union([type, { text: "null" }]) : type
}

function refType(ref: unknown, depth: number, pass: Pass): Type {
  if (typeof ref !== "string" || !ref.startsWith("#/") || pass.refs.includes(ref)) return UNKNOWN
  let target = pass.root
  for (const key of ref.split("/").slice(1)) {
    const name = key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    const own = name.replaceAll("~1", "/").replaceAll("~0", "~")
    target =
      typeof target === "object" && target && Object.hasOwn(target, own) ? (target as JsonObject)[own] : undefined
  }
  pass.refs.push(ref)
  const type = toType(target, depth, pass)
  pass.refs.pop()
  return type
}

function literals(values: unknown[], pass: Pass): Type {
  const types: Type[] = []
  for (const value of values.slice(0, pass.enumSize)) {
    if (pass.left < 0) break
    const text = toLiteral(value)
    if (text === "string") pass.cut = true
    pass.left -= text.length
    types.push({ text })
  }
  if (types.length === values.length) return union(types)
  pass.cut = true
  const rest = new Set(values.map(value => (value === null ? "null" : typeof value)))
  return { text: [...types.map(type => type.text), ...rest].join(" | "), by: "|" }
}

function toLiteral(value: unknown): string {
  if (typeof value === "string") return value.length <= MAX_LITERAL ? quote(value) : "string"
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "number"
  if (typeof value === "boolean" || value === null) return `${value}`
  return Array.isArray(value) ? "unknown[]" : "object"
}

/** The types of JSON Schema, and what tools written in other languages call them. */
const KINDS = new Map(
  Object.entries({
    string: "string str",
    number: "number integer int float double",
    boolean: "boolean bool",
    null: "null none",
    unknown: "any",
    array: "array list tuple",
    object: "object dict",
  }).flatMap(([kind, names]) => names.split(" ").map(name => [name, kind] as const)),
)

function kindsOf(schema: JsonObject): string[] {
  const named = [...toNames([schema.type].flat())].map(type => KINDS.get(type.toLowerCase()))
  const known = named.filter(kind => kind !== undefined)
  if (known.length > 0) return known
  if (["properties", "additionalProperties", "patternProperties"].some(key => isObject(schema[key]))) return ["object"]
  return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : ["unknown"]
}

function kindType(kind: string, schema: JsonObject, depth: number, pass: Pass): Type {
  if (kind === "object") return objectType(schema, depth, pass)
  return kind === "array" ? arrayType(schema, depth, pass) : { text: kind }
}

function arrayType(schema: JsonObject, depth: number, pass: Pass): Type {
  const { prefixItems, items, additionalItems } = schema
  const tuple = toList(prefixItems ?? items)
  const of = (one: unknown) => toType(one, depth, pass)
  const rest = tuple.length === 0 ? items : prefixItems ? items : additionalItems
  const restText = isObject(rest) ? `${bracket(of(rest))}[]` : ""
  if (tuple.length === 0) return { text: restText || "unknown[]" }
  const elements = tuple.map(one => of(one).text)
  return { text: `[${[...elements, ...(restText ? [`...${restText}`] : [])].join(", ")}]` }
}

function objectType(schema: JsonObject, depth: number, pass: Pass): Type {
  const { properties, patternProperties, additionalProperties: extra } = schema
  const own = isObject(properties) ? Object.entries(properties) : []
  const required = toNames(schema.required)
  for (const name of own.length > 0 ? required : [])
    if (!Object.hasOwn(properties as object, name)) own.push([name, true])
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
  const isRecord = isObject(extra) && Object.keys(extra).length > 0
  if (own.length + patterns.length === 0 && !isRecord) return extra === false ? { text: "{}" } : RECORD
  if (depth === 0) {
    pass.cut = true
    return { text: "object" }
  }
  const of = (one: unknown) => toType(one, depth - 1, pass)
  const record = union([...patterns, ...(isRecord ? [extra] : [])].map(of)).text
  const recordType = record === "never" ? UNKNOWN : { text: `Record<string, ${record}>` }
  if (own.length === 0) return recordType

  const fields: string[] = []
  for (const [name, property] of own) {
    if (pass.left < 0) break
    const key = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quote(name)
    pass.left -= key.length
    fields.push(`${key}${required.has(name) ? "" : "?"}: ${of(property).text}`)
  }
  if (extra === true || (isObject(extra) && !isRecord)) fields.push("[key: string]: unknown")
  return intersection([{ text: `{ ${fields.join("; ")} }` }, recordType])
}

function union(types: Type[]): Type {
  const texts = new Set(types.map(type => type.text))
  if (texts.has("unknown")) return UNKNOWN
  if (texts.size > 1) texts.delete("never")
  if (texts.size === 0) return { text: "never" }
  return texts.size === 1 ? types.find(type => texts.has(type.text))! : { text: [...texts].join(" | "), by: "|" }
}

/** What says nothing beside the rest is left out. */
function intersection(types: Type[]): Type {
  const telling = types.filter(type => type !== UNKNOWN && type.text !== "unknown")
  const parts = telling.filter(type => type.text !== RECORD.text)
  const [first = telling[0] ?? UNKNOWN] = parts
  if (parts.length < 2) return first
  return { text: [...new Set(parts.map(part => (part.by === "|" ? bracket(part) : part.text)))].join(" & "), by: "&" }
}

function bracket(type: Type): string {
  return type.by ? `(${type.text})` : type.text
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function toNames(value: unknown): Set<string> {
  return new Set(toList(value).filter(name => typeof name === "string"))
}

/** A string literal on one line that cannot end a comment it is put into. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll("*/", "*\\/").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
}
