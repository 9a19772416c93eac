/**
 * JSON Schema (draft-07, 2020-12, and what is found in the wild) as a type. Schemas come from outside and may be
 * anything: nothing here throws or loops, and what cannot be understood is `unknown`.
 *
 * A type may be wider than its schema: `not`, `if`, ranges and formats have no counterpart. It is narrower in three
 * places, where that is what authors mean: an object whose schema is silent about further properties has no index
 * signature (a literal with a misspelt one is refused); neither have properties beside those of `patternProperties`;
 * and the elements of a tuple are all there unless `minItems` says how many.
 */
import { isObject, type JsonObject } from "../../model/json.ts"
import { docOf, limitsOf } from "./describe.ts"
import { literalOf, toField } from "./literal.ts"
import { createResolver, type Resolve } from "./references.ts"
import {
  BOOLEAN,
  type Definition,
  type Field,
  intersectionOf,
  LIST,
  NEVER,
  NULL,
  NUMBER,
  objectOf,
  RECORD,
  STRING,
  type Type,
  UNKNOWN,
  unionOf,
} from "./type.ts"

const MAX_DEPTH = 100
const MAX_NAMES = 100
/** Of `allOf`: without the others, a type is merely wider. */
const MAX_PARTS = 300
const NONE: ReadonlySet<string> = new Set()

interface Reading {
  resolve: Resolve
  definitions: Map<unknown, Definition>
  /** The definitions that are being read, and at which level of nested values each began. */
  open: Map<Definition, number>
  level: number
  depth: number
}

export interface Document {
  /** The schema itself, to which others may refer as well. */
  root: Definition
  /** What is referred to, in the order in which it is met. */
  definitions: Definition[]
}

export function readSchema(schema: unknown): Document {
  const reading: Reading = {
    resolve: createResolver(schema),
    definitions: new Map(),
    open: new Map(),
    level: 0,
    depth: 0,
  }
  const root = define(schema, "", reading)
  return { root, definitions: [...reading.definitions.values()].slice(1) }
}

function define(schema: unknown, hint: string, reading: Reading): Definition {
  const id = reading.definitions.size
  const doc = docOf(schema)
  const definition: Definition = { id, hint, doc, uses: 0, recursive: false, direct: new Set(), type: UNKNOWN }
  reading.definitions.set(schema, definition)
  reading.open.set(definition, reading.level)
  definition.type = read(schema, reading)
  reading.open.delete(definition)
  return definition
}

function read(schema: unknown, reading: Reading): Type {
  if (schema === false) return NEVER
  if (!isObject(schema) || reading.depth === MAX_DEPTH) return UNKNOWN
  reading.depth++
  const type = readObject(schema, reading)
  reading.depth--
  return schema.nullable === true ? unionOf([type, NULL]) : type
}

function readObject(schema: JsonObject, reading: Reading): Type {
  const ref = schema.$ref ?? schema.$dynamicRef ?? schema.$recursiveRef
  const { allOf, anyOf, oneOf } = schema
  const own = readOwn(schema, reading)
  if (ref === undefined && !allOf && !anyOf && !oneOf) return own
  const each = (schemas: unknown) => toList(schemas).map(one => read(one, reading))
  const parts = typeof ref === "string" ? [readRef(ref, reading), own] : [own]
  parts.push(...each(toList(allOf).slice(0, MAX_PARTS)))
  for (const union of [anyOf, oneOf]) if (toList(union).length > 0) parts.push(unionOf(each(union)))
  return intersectionOf(parts)
}

function readRef(ref: string, reading: Reading): Type {
  const target = reading.resolve(ref)
  if (!isObject(target)) return read(target, reading)
  const known = reading.definitions.get(target)
  const isOpen = known !== undefined && reading.open.has(known)
  if (known && reachesSelf(known, reading)) return UNKNOWN
  if (isOpen) known.recursive = true
  const definition =
    known ?? define(target, ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1), reading)
  if (!isOpen && !definition.recursive && isSmall(definition.type)) return definition.type
  definition.uses++
  for (const one of openHere(reading)) one.direct.add(definition)
  return { kind: "ref", to: definition }
}

/** The definitions being read of which what is read now is a part itself, not something in a value that they hold. */
function openHere({ open, level }: Reading): Definition[] {
  return [...open].filter(([, at]) => at === level).map(([definition]) => definition)
}

/** A type alias may only come back to itself by way of a value that it holds. */
function reachesSelf(definition: Definition, reading: Reading): boolean {
  const here = openHere(reading)
  const reached = new Set([definition])
  for (const one of reached) for (const next of one.direct) reached.add(next)
  return here.some(one => reached.has(one))
}

/** Shorter than any name for it would be. */
function isSmall(type: Type): boolean {
  return type.kind === "atom" || type.kind === "literal" || (type.kind === "array" && isSmall(type.of))
}

/** What the schema says itself, without what it refers to. */
function readOwn(schema: JsonObject, reading: Reading): Type {
  if (Object.hasOwn(schema, "const")) return literalOf(schema.const)
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return unionOf(schema.enum.map(value => literalOf(value)))
  const { type } = schema
  if (typeof type === "string") return readKind(type, schema, reading)
  if (Array.isArray(type) && type.length > 0) return unionOf(type.map(one => readKind(one, schema, reading)))
  if (["properties", "additionalProperties", "patternProperties"].some(key => isObject(schema[key])))
    return readFields(schema, reading)
  if (isObject(schema.items) || Array.isArray(schema.items ?? schema.prefixItems)) return readItems(schema, reading)
  // `required` beside `allOf` is about the properties that are declared there.
  if ((schema.allOf || schema.$ref) && toNames(schema.required).size > 0) return readFields(schema, reading)
  return UNKNOWN
}

/** The types of JSON Schema, and what tools written in other languages call them. */
function readKind(name: unknown, schema: JsonObject, reading: Reading): Type {
  switch (typeof name === "string" ? name.toLowerCase() : "") {
    case "string":
    case "str":
      return STRING
    case "number":
    case "integer":
    case "int":
    case "float":
    case "double":
      return NUMBER
    case "boolean":
    case "bool":
      return BOOLEAN
    case "null":
    case "none":
      return NULL
    case "array":
    case "list":
    case "tuple":
      return readItems(schema, reading)
    case "object":
    case "dict":
      return readFields(schema, reading)
    default:
      return UNKNOWN
  }
}

function readItems(schema: JsonObject, reading: Reading): Type {
  const { prefixItems, items, additionalItems, unevaluatedItems, minItems, maxItems } = schema
  const tuple = toList(prefixItems ?? items)
  const more = (Array.isArray(prefixItems) ? items : tuple.length > 0 ? additionalItems : items) ?? unevaluatedItems
  reading.level++
  const rest = isObject(more) ? read(more, reading) : UNKNOWN
  const of = tuple.map(one => read(one, reading))
  reading.level--
  if (of.length === 0) return rest === UNKNOWN ? LIST : { kind: "array", of: rest }
  const isOpen = more === true || isObject(more) || (typeof maxItems === "number" && maxItems > of.length)
  // Authors who list the elements mean all of them, unless they say how many.
  const needed = typeof minItems === "number" ? Math.max(0, Math.min(Math.ceil(minItems), of.length)) : of.length
  return { kind: "tuple", of, needed, rest: more !== false && isOpen ? rest : undefined }
}

function readFields(schema: JsonObject, reading: Reading): Type {
  const { properties, patternProperties, propertyNames } = schema
  const more = schema.additionalProperties ?? schema.unevaluatedProperties
  const required = toNames(schema.required)
  const fields: Field[] = []
  reading.level++
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      const property = properties[name]
      const type = read(property, reading)
      fields.push({ name, type, optional: !required.has(name), doc: docOf(property), limits: limitsOf(property) })
    }
  }
  const rest = isObject(patternProperties) ? Object.values(patternProperties) : []
  if (isObject(more)) rest.push(more)
  const index = rest.length > 0 ? unionOf(rest.map(one => read(one, reading))) : undefined
  reading.level--

  const allowed = fields.length === 0 && isObject(propertyNames) ? toNames(propertyNames.enum) : NONE
  if (allowed.size > 0 && allowed.size <= MAX_NAMES)
    return objectOf([...allowed].map(name => toField(name, index ?? UNKNOWN, !required.has(name))))
  for (const name of required)
    if (!isObject(properties) || !Object.hasOwn(properties, name)) fields.push(toField(name, UNKNOWN))
  if (index && index !== NEVER) return objectOf(fields, index)
  if (fields.length > 0) return objectOf(fields, more === true ? UNKNOWN : undefined)
  return more === false || index === NEVER ? objectOf([]) : RECORD
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function toNames(value: unknown): ReadonlySet<string> {
  return Array.isArray(value) && value.length > 0 ? new Set(value.filter(name => typeof name === "string")) : NONE
}
