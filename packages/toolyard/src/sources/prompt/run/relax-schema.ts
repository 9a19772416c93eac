/** A planned output schema as it may be offered: what an API really sends has nulls, gaps and keys that no plan knew of. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { WRAPPED_SCHEMA } from "../../../model/mcp.ts"

const KEPT = ["title", "description", "$ref"]
const LISTS = ["anyOf", "oneOf", "allOf"]
const MAPS = ["properties", "$defs", "definitions"]

export interface RelaxedOutput {
  schema: JsonObject
  wrapped: boolean
}

/** An object schema; a value of another kind is wrapped, as the protocol wants objects. None where the kind is open. */
export function relaxOutput(schema: JsonObject | undefined): RelaxedOutput | undefined {
  if (!schema) return undefined
  const relaxed = relax(schema)
  if (isObjectSchema(schema)) return { schema: { ...relaxed, type: "object" }, wrapped: false }
  if (schema.type === undefined) return undefined
  const { $defs, definitions, ...rest } = relaxed
  const defs = { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) }
  return { schema: { type: "object", properties: { result: rest }, ...defs, [WRAPPED_SCHEMA]: true }, wrapped: true }
}

export function isObjectSchema({ type, properties }: JsonObject): boolean {
  return [type].flat().includes("object") || (type === undefined && isObject(properties))
}

function relax(schema: unknown): JsonObject {
  if (!isObject(schema)) return {}
  const made: JsonObject = {}
  for (const key of KEPT) if (schema[key] !== undefined) made[key] = schema[key]
  const types = [schema.type].flat().filter(type => typeof type === "string")
  if (types.length > 0)
    made.type = [...new Set([...types.flatMap(type => (type === "integer" ? ["number"] : [type])), "null"])]
  for (const key of MAPS) {
    const map = schema[key]
    if (isObject(map)) made[key] = Object.fromEntries(Object.entries(map).map(([name, part]) => [name, relax(part)]))
  }
  for (const key of LISTS) {
    const list = schema[key]
    // Relaxed alternatives overlap, so none of them can be asked to be the only one.
    if (Array.isArray(list)) made[key === "oneOf" ? "anyOf" : key] = list.map(relax)
  }
  if (isObject(schema.items)) made.items = relax(schema.items)
  return made
}
