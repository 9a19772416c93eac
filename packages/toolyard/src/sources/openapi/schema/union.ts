/** Alternatives, told shortly: plain types as a list of types, `null` as one of them. */
import type { JsonObject } from "../../../model/json.ts"
import { LINK, type SchemaNode } from "./fragment.ts"

/** As `anyOf`, also where it was `oneOf`: what is made of a schema is laxer, so more than one may fit a good value. */
export function toUnion(branches: SchemaNode[]): SchemaNode {
  const values = branches.map(valuesOf)
  if (branches.length > 1 && values.every(list => list !== undefined)) return { enum: [...new Set(values.flat())] }
  const distinct = unique(branches)
  const plain = distinct.filter(isPlain)
  const others = distinct.filter(branch => !isPlain(branch))
  const types = [...new Set(plain.flatMap(branch => branch.type as string | string[]))]
  // What is a number may be an integer.
  const shown = types.includes("number") ? types.filter(type => type !== "integer") : types
  if (others.length === 0 && shown.length > 0) return { type: shown.length === 1 ? shown[0] : shown }
  const [only] = others
  if (others.length === 1 && shown.length === 1 && shown[0] === "null" && only && canBeNull(only)) return orNull(only)
  const rest: SchemaNode[] = shown.length === 0 ? [] : [{ type: shown.length === 1 ? shown[0] : shown }]
  const all = [...others, ...rest]
  return all.length === 1 ? all[0]! : { anyOf: all }
}

/** Says that it may be `null` as well. */
export function orNull(node: SchemaNode): SchemaNode {
  if (!canBeNull(node))
    return Object.keys(node).length === 0 && !node[LINK] ? node : { anyOf: [node, { type: "null" }] }
  const types = Array.isArray(node.type) ? node.type : [node.type]
  const out: JsonObject = { ...node, type: types.includes("null") ? types : [...types, "null"] }
  if (Array.isArray(node.enum) && !node.enum.includes(null)) out.enum = [...node.enum, null]
  return out
}

/** Of a branch that is nothing but a list of values, or one, with what is said of it. */
function valuesOf(node: SchemaNode): unknown[] | undefined {
  if (node[LINK] || Object.keys(node).some(key => !/^(?:type|enum|const|description|deprecated)$/.test(key)))
    return undefined
  if (Array.isArray(node.enum)) return node.enum
  if (node.const !== undefined) return [node.const]
  return node.type === "null" ? [null] : undefined
}

function canBeNull(node: SchemaNode): boolean {
  return (
    node.type !== undefined &&
    !node[LINK] &&
    node.const === undefined &&
    node.allOf === undefined &&
    node.anyOf === undefined
  )
}

function isPlain(node: SchemaNode): boolean {
  return (
    node.type !== undefined &&
    !node[LINK] &&
    Object.keys(node).length === 1 &&
    node.type !== "object" &&
    node.type !== "array"
  )
}

function unique(branches: SchemaNode[]): SchemaNode[] {
  const seen = new Map<unknown, Set<string>>()
  return branches.filter(branch => {
    const link = branch[LINK]
    const texts = seen.get(link) ?? new Set()
    seen.set(link, texts)
    // Links inside are not printed, so only what has none can be compared so.
    if (!link && (branch.properties || branch.items || branch.anyOf || branch.allOf)) return true
    const text = JSON.stringify(branch)
    if (texts.has(text)) return false
    texts.add(text)
    return true
  })
}
