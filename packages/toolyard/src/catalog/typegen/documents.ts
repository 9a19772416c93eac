/** The schemas of one tool as types: of what it takes, and of what it gives. */
import { isObject, type JsonObject } from "../../model/json.ts"
import { WRAPPED_SCHEMA } from "../../model/mcp.ts"
import { type Document, readSchema } from "./read-schema.ts"
import type { ToolShape } from "./shape.ts"
import { type Definition, type Field, intersectionOf, objectOf, RECORD, type Type, unionOf } from "./type.ts"

const NOTHING: Type = objectOf([])

/**
 * Parameters are always an object. Where its schema merely permits properties beside those it names, there is no index
 * signature, so that a misspelt parameter is found.
 */
export function readParams({ definition }: Pick<ToolShape, "definition">): Document {
  const { inputSchema } = definition
  const document = readSchema(inputSchema)
  document.root.type = toParams(
    document.root.type,
    isObject(inputSchema) ? inputSchema.additionalProperties : undefined,
  )
  return document
}

function toParams(type: Type, more: unknown): Type {
  // A tool that takes nothing has an object without properties for its schema.
  if (type === RECORD) return more === true || isObject(more) ? RECORD : NOTHING
  if (type.kind === "object") return type.fields.length > 0 && more === true ? objectOf(type.fields) : type
  return type.kind === "union" || type.kind === "all" || type.kind === "ref" ? type : NOTHING
}

export function isNothing(params: Type): boolean {
  return params.kind === "object" && params.fields.length === 0 && !params.index
}

/** `undefined` where nothing is known: the tool declares no result, and none was seen yet. */
export function readResult(tool: Pick<ToolShape, "definition" | "resultSchema">): Document | undefined {
  const schema = tool.definition.outputSchema ?? tool.resultSchema
  return isObject(schema) ? readSchema(unwrapped(schema)) : undefined
}

/** Scripts get what a function gave, not the object that the protocol wants around it. */
function unwrapped(schema: JsonObject): JsonObject {
  const inner = isObject(schema.properties) ? schema.properties.result : undefined
  if (schema[WRAPPED_SCHEMA] !== true || !isObject(inner)) return schema
  return isObject(schema.$defs) ? { ...inner, $defs: schema.$defs } : inner
}

/** What to say of a result type that the tool did not declare itself. */
export function learnedFrom({ definition, resultSchema, learnedFrom: calls }: Omit<ToolShape, "id">): string {
  if (definition.outputSchema !== undefined || !resultSchema || calls === undefined) return ""
  return `learned from ${calls} ${calls === 1 ? "call" : "calls"}`
}

/** Whether a call may leave the parameters out. `known` keeps definitions from being looked through again. */
export function isOptional(type: Type, known = new Map<Definition, boolean>()): boolean {
  switch (type.kind) {
    case "object":
      return type.fields.every(field => field.optional)
    case "union":
      return type.of.some(one => isOptional(one, known))
    case "all":
      return type.of.every(one => isOptional(one, known))
    case "ref":
      if (!known.has(type.to)) known.set(type.to, isOptional(type.to.type, known))
      return known.get(type.to) === true
    default:
      return false
  }
}

/** The properties an object of this type may have, those of all alternatives included. */
export function fieldsOf(type: Type, known = new Map<Definition, Field[]>()): Field[] {
  switch (type.kind) {
    case "object":
      return type.fields
    case "union":
    case "all": {
      const parts = type.of.map(one => fieldsOf(one, known))
      return joinFields(parts, type.kind === "all" ? 1 : parts.length)
    }
    case "ref":
      if (!known.has(type.to)) known.set(type.to, fieldsOf(type.to.type, known))
      return known.get(type.to) ?? []
    default:
      return []
  }
}

/** A property is required if so many of the parts require it. */
function joinFields(parts: Field[][], needed: number): Field[] {
  const byName = Map.groupBy(parts.flat(), field => field.name)
  return [...byName.values()].map(same => ({
    ...(same[0] as Field),
    type: needed === 1 ? intersectionOf(same.map(field => field.type)) : unionOf(same.map(field => field.type)),
    optional: same.filter(field => !field.optional).length < needed,
  }))
}
