/** The members of an `allOf` as one schema, where that means the same: shorter, and easier to follow. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type Fragment, LINK, type SchemaNode } from "./fragment.ts"

/** What is said about a value; the last word counts. */
const ANNOTATIONS = new Set(["description", "default", "examples", "deprecated", "format"])

export function mergeAll(members: readonly SchemaNode[]): SchemaNode {
  const rest: SchemaNode[] = []
  let merged: SchemaNode = {}
  for (const member of members) {
    const both = merge(merged, member)
    if (both) merged = both
    else rest.push(member)
  }
  return rest.length === 0 ? merged : { ...merged, allOf: rest }
}

/** Nothing when they say different things of the same value. */
function merge(a: SchemaNode, b: SchemaNode): SchemaNode | undefined {
  if (a[LINK] || b[LINK]) {
    if (Object.keys(a).length === 0 && !a[LINK]) return b
    return Object.keys(b).length === 0 && !b[LINK] ? a : undefined
  }
  const out: JsonObject = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const other = out[key]
    if (other === undefined || ANNOTATIONS.has(key) || isSame(other, value)) out[key] = value
    else if (key === "required") out.required = [...new Set([...(other as string[]), ...(value as string[])])]
    else if (key === "properties") out.properties = mergeProperties(other as JsonObject, value as JsonObject)
    else if (key === "type") {
      const types = intersect(other, value)
      if (types.length === 0) return undefined
      out.type = types.length === 1 ? types[0] : types
    } else if (key === "additionalProperties") delete out.additionalProperties
    else return undefined
  }
  // A member that allows its own properties only would forbid those of the others.
  if (
    out.additionalProperties === false &&
    (a.additionalProperties === undefined) !== (b.additionalProperties === undefined)
  ) {
    if (isObject(a.properties) && isObject(b.properties)) delete out.additionalProperties
  }
  return out
}

function mergeProperties(a: JsonObject, b: JsonObject): JsonObject {
  const out = new Map(Object.entries(a))
  for (const [name, value] of Object.entries(b)) {
    const other = out.get(name)
    const both =
      other === undefined || isSame(other, value)
        ? (value as SchemaNode)
        : merge(other as SchemaNode, value as SchemaNode)
    out.set(name, both ?? { allOf: [other, value] })
  }
  return Object.fromEntries(out)
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (linkOf(a) !== linkOf(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && isSame((a as JsonObject)[key], (b as JsonObject)[key]))
}

function linkOf(value: object): Fragment | undefined {
  return (value as SchemaNode)[LINK]
}

function intersect(a: unknown, b: unknown): unknown[] {
  const left = Array.isArray(a) ? a : [a]
  const right = Array.isArray(b) ? b : [b]
  // Every integer is a number.
  return left.flatMap(type => {
    if (right.includes(type)) return [type]
    if (type === "number" && right.includes("integer")) return ["integer"]
    return type === "integer" && right.includes("number") ? ["integer"] : []
  })
}
