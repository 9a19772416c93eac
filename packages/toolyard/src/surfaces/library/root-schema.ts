/**
 * An input schema as the APIs of models want it: an object at the root, with `properties`, and nothing there that
 * chooses between shapes. One tool that breaks this makes them refuse the whole request. Most schemas are fine as they
 * are and pass untouched; for the others all properties are put together, and what that cannot say is said in words.
 * The call is checked against the server's own schema in any case.
 */
import { isObject, type JsonObject } from "../../model/json.ts"

/** What cannot stand at the root. */
const FOLDED: readonly string[] = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else"]
/** Schemas may refer to themselves. */
const MAX_DEPTH = 8

export interface RootSchema extends JsonObject {
  type: "object"
  properties: JsonObject
}

export function toRootSchema(schema: unknown): RootSchema {
  if (!isObject(schema)) return { type: "object", properties: {} }
  const { type, properties, required: _required, description, ...rest } = schema
  const own = isObject(properties) ? properties : {}
  const folded = Object.entries(rest).filter(([key]) => FOLDED.includes(key))
  if (folded.length === 0)
    return type === "object" && own === properties
      ? (schema as RootSchema)
      : { ...schema, type: "object", properties: own }
  const shape = fold(schema, schema, 0)
  const unsaid = folded.filter(([key, value]) => key !== "allOf" && (key !== "$ref" || !targetOf(value, schema)))
  const words = [
    ...(typeof description === "string" ? [description] : []),
    ...(unsaid.length > 0 ? [`Must also match this JSON Schema: ${JSON.stringify(Object.fromEntries(unsaid))}`] : []),
  ]
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !FOLDED.includes(key))),
    type: "object",
    properties: Object.fromEntries(shape.properties),
    ...(shape.required.size > 0 && { required: [...shape.required] }),
    ...(words.length > 0 && { description: words.join("\n") }),
  }
}

interface Shape {
  properties: Map<string, unknown>
  required: Set<string>
}

function fold(schema: unknown, root: JsonObject, depth: number): Shape {
  const shape: Shape = { properties: new Map(), required: new Set() }
  if (!isObject(schema) || depth > MAX_DEPTH) return shape
  if (isObject(schema.properties)) shape.properties = new Map(Object.entries(schema.properties))
  for (const name of listOf(schema.required)) if (typeof name === "string") shape.required.add(name)
  for (const part of [targetOf(schema.$ref, root), ...listOf(schema.allOf)]) {
    const { properties, required } = fold(part, root, depth + 1)
    merge(shape.properties, properties, "allOf")
    for (const name of required) shape.required.add(name)
  }
  for (const choices of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
    const shapes = choices.map(choice => fold(choice, root, depth + 1))
    const together: Shape["properties"] = new Map()
    for (const { properties } of shapes) merge(together, properties, "anyOf")
    merge(shape.properties, together, "allOf")
    const [first, ...others] = shapes.map(({ required }) => required)
    for (const name of first ?? []) if (others.every(other => other.has(name))) shape.required.add(name)
  }
  return shape
}

/** A name that both have means both, or either. */
function merge(into: Shape["properties"], more: Shape["properties"], how: "allOf" | "anyOf"): void {
  for (const [name, schema] of more) {
    const known = into.get(name)
    const isNew = known === undefined || JSON.stringify(known) === JSON.stringify(schema)
    into.set(name, isNew ? schema : { [how]: [known, schema] })
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** What `#/$defs/Name` means; nothing outside the schema is ever fetched. */
function targetOf(ref: unknown, root: JsonObject): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined
  const keys = ref
    .slice(2)
    .split("/")
    .map(key => key.replaceAll("~1", "/").replaceAll("~0", "~"))
  return keys.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
}
