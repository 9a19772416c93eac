/** JSON Schema of a union, made from the schemas of its members. */
import { isObject, type JsonObject } from "../../model/json.ts"
import type { Writing } from "./schema-writing.ts"

export function unionOf(schemas: readonly JsonObject[], writing: Pick<Writing, "use">): JsonObject {
  const unique = [...new Map(schemas.flatMap(apart).map(schema => [JSON.stringify(schema), schema])).values()]
  const literals = unique.filter(schema => "const" in schema)
  const values = literals.map(schema => schema.const)
  // The compiler sees `boolean` as the union of its two values.
  const isBoolean = (values.includes(true) && values.includes(false)) || unique.some(isAnyBoolean)
  const constants = isBoolean ? literals.filter(schema => typeof schema.const !== "boolean") : literals
  const others = unique.filter(schema => !("const" in schema) && !isAnyBoolean(schema))
  const objects = writing.use === "arguments" ? others.filter(isClosed) : []
  const rest = mergePatterns(others.filter(schema => !objects.includes(schema)))
  const parts = [
    ...(constants.length > 1 ? [toEnum(constants)] : constants),
    ...(isBoolean ? [{ type: "boolean" }] : []),
    ...rest,
    ...alike(objects).map(group => together(group, writing)),
  ]
  if (parts.length === 1) return parts[0] as JsonObject
  const names = parts.map(({ type, ...more }) => (Object.keys(more).length === 0 ? type : undefined))
  return names.every(name => typeof name === "string") ? { type: names } : { anyOf: parts }
}

/** The members of what is a union already, unless it says something as a whole. */
function apart(schema: JsonObject): JsonObject[] {
  const { type, anyOf, enum: values, ...more } = schema
  if (Object.keys(more).length > 0) return [schema]
  if (Array.isArray(anyOf)) return type === undefined ? anyOf.flatMap(part => apart(part)) : [schema]
  if (Array.isArray(values)) return values.map(value => ({ const: value }))
  return Array.isArray(type) ? type.map(name => ({ type: name })) : [schema]
}

function isAnyBoolean(schema: JsonObject): boolean {
  return schema.type === "boolean" && Object.keys(schema).length === 1
}

/** Names of an enum's values stand in their descriptions. */
function toEnum(constants: readonly JsonObject[]): JsonObject {
  const values = constants.map(schema => schema.const)
  const [kind, ...others] = new Set(values.map(value => typeof value))
  const names = constants.filter(({ description }) => description !== undefined)
  const description = names.map(schema => `${schema.description} = ${JSON.stringify(schema.const)}`).join(", ")
  return {
    ...(others.length === 0 && { type: kind }),
    enum: values,
    ...(description !== "" && { description }),
  }
}

function mergePatterns(schemas: readonly JsonObject[]): JsonObject[] {
  const isPattern = (schema: JsonObject) => Object.keys(schema).join() === "type,pattern" && schema.type === "string"
  const patterns = schemas.filter(isPattern)
  if (patterns.length < 2) return [...schemas]
  const pattern = patterns.map(schema => schema.pattern).join("|")
  return [{ type: "string", pattern }, ...schemas.filter(schema => !isPattern(schema))]
}

function isClosed(schema: JsonObject): boolean {
  return schema.type === "object" && schema["x-toolyard-type"] === undefined && !("patternProperties" in schema)
}

/**
 * Objects in groups, so that a value that one of a group accepts may have properties of the others in it: TypeScript
 * lets a literal for `{ a: A } | { b: B }` have both. It does not where a property with a literal type, such as `kind`,
 * tells two members apart; these come into different groups.
 */
function alike(objects: readonly JsonObject[]): JsonObject[][] {
  const groups: JsonObject[][] = []
  for (const object of objects) {
    const near = groups.filter(group => group.some(other => !areToldApart(object, other)))
    const rest = groups.filter(group => !near.includes(group))
    groups.splice(0, groups.length, ...rest, [...near.flat(), object])
  }
  return groups
}

function areToldApart(a: JsonObject, b: JsonObject): boolean {
  return Object.entries(propertiesOf(a)).some(([name, one]) => {
    const other = Object.hasOwn(propertiesOf(b), name) ? propertiesOf(b)[name] : undefined
    if (!other || !requiredOf(a).includes(name) || !requiredOf(b).includes(name)) return false
    return (hasLiterals(one) || hasLiterals(other)) && areDisjoint(one, other)
  })
}

function hasLiterals(schema: JsonObject): boolean {
  return "const" in schema || "enum" in schema || schema.type === "null"
}

function areDisjoint(a: JsonObject, b: JsonObject): boolean {
  const [ones, others] = [atoms(a), atoms(b)]
  return ones !== undefined && others !== undefined && !ones.some(one => others.some(other => meet(one, other)))
}

type Atom = { value: unknown } | { type: unknown }

/** The values or types that a schema allows, where that is all that it says. */
function atoms(schema: JsonObject): Atom[] | undefined {
  if ("const" in schema) return [{ value: schema.const }]
  if (Array.isArray(schema.enum)) return schema.enum.map(value => ({ value }))
  if (typeof schema.type === "string") return [{ type: schema.type }]
  return Array.isArray(schema.type) ? schema.type.map(type => ({ type })) : undefined
}

function meet(a: Atom, b: Atom): boolean {
  if ("value" in a && "value" in b) return a.value === b.value
  return typeOf(a) === typeOf(b)
}

function typeOf(atom: Atom): unknown {
  if ("type" in atom) return atom.type
  return atom.value === null ? "null" : typeof atom.value
}

/** One closed object with the properties of all, that has to be one of them besides. */
function together(group: readonly JsonObject[], writing: Pick<Writing, "use">): JsonObject {
  const [only] = group
  if (only && group.length === 1) return only
  const names = [...new Set(group.flatMap(object => Object.keys(propertiesOf(object))))]
  const properties = Object.fromEntries(
    names.map(name => [
      name,
      unionOf(
        group.flatMap(object => propertyOf(object, name)),
        writing,
      ),
    ]),
  )
  const required = names.filter(name => group.every(object => requiredOf(object).includes(name)))
  const indexes = group.map(({ additionalProperties }) => additionalProperties).filter(isObject)
  const isMixed = group.some(object => !isWeak(object))
  const parts = group.map(object => ({
    ...partOf(object, properties, required),
    ...(isMixed &&
      isWeak(object) && {
        anyOf: [{ maxProperties: 0 }, ...Object.keys(propertiesOf(object)).map(name => ({ required: [name] }))],
      }),
  }))
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: indexes.length > 0 ? unionOf(indexes, writing) : false,
    ...(parts.every(part => Object.keys(part).length > 0) && { anyOf: parts }),
  }
}

/** Where all is optional, TypeScript wants a value to have some of it, or nothing at all. */
function isWeak(object: JsonObject): boolean {
  return requiredOf(object).length === 0 && !isObject(object.additionalProperties)
}

/** What one member asks for beyond what they all do. */
function partOf(object: JsonObject, shared: Record<string, JsonObject>, required: readonly string[]): JsonObject {
  const { additionalProperties, description } = object
  const own = Object.entries(propertiesOf(object)).filter(([name, schema]) => {
    return isObject(additionalProperties) || JSON.stringify(schema) !== JSON.stringify(shared[name])
  })
  const missing = requiredOf(object).filter(name => !required.includes(name))
  const part = {
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(missing.length > 0 && { required: missing }),
    ...(isObject(additionalProperties) && { additionalProperties }),
  }
  return Object.keys(part).length > 0 && description ? { description, ...part } : part
}

function propertiesOf(object: JsonObject): Record<string, JsonObject> {
  return (object.properties ?? {}) as Record<string, JsonObject>
}

function propertyOf(object: JsonObject, name: string): JsonObject[] {
  const properties = propertiesOf(object)
  if (Object.hasOwn(properties, name)) return [properties[name] as JsonObject]
  return isObject(object.additionalProperties) ? [object.additionalProperties] : []
}

function requiredOf(object: JsonObject): readonly string[] {
  return (object.required ?? []) as string[]
}
