/** The parts of a schema that hold other schemas by name or by place. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { escapePointer } from "../read/resolve.ts"
import { type Detail, LINK, type SchemaNode } from "./fragment.ts"
import type { Complain } from "./keywords.ts"
import { repairPattern } from "./pattern.ts"

/** Makes a node of what stands under the key, which is a pointer from the schema. */
type Inner = (key: string, value: unknown, name?: string) => SchemaNode

/** Whether all of them are there. */
export function copyProperties(
  schema: JsonObject,
  out: SchemaNode,
  at: string,
  detail: Detail,
  complain: Complain,
  isLeftOut: (property: unknown) => boolean,
  inner: Inner,
): boolean {
  const required = new Set(Array.isArray(schema.required) ? schema.required.filter(isText) : [])
  let isWhole = true
  if (isObject(schema.properties)) {
    const properties: [string, SchemaNode][] = []
    for (const [name, value] of Object.entries(schema.properties)) {
      if (name === "__proto__") {
        complain("unsafe_name", `${at}/properties/${name}`, "a property of this name can't be passed on: left out")
        required.delete(name)
        isWhole = false
      } else if (isLeftOut(value)) {
        required.delete(name)
        isWhole = false
      } else {
        properties.push([name, inner(`properties/${escapePointer(name)}`, value, name)])
        // As Swagger has it in parameters, some write it in properties.
        if (isObject(value) && value.required === true) required.add(name)
      }
    }
    if (properties.length > 0) out.properties = Object.fromEntries(properties)
  }
  if (detail.mode === "input" && required.size > 0) out.required = [...required]
  return isWhole
}

/** `isWhole`: where properties were left out, someone who sends back what was read has them still. */
export function copyOpenProperties(
  schema: JsonObject,
  out: SchemaNode,
  detail: Detail,
  isWhole: boolean,
  inner: Inner,
): void {
  const { additionalProperties: others, patternProperties } = schema
  if (isObject(patternProperties) && detail.mode === "input") {
    const entries = Object.entries(patternProperties).map(([key, value]) => ({
      key,
      value,
      pattern: repairPattern(key),
    }))
    // Without one of them, whatever the rest says could forbid what it allows.
    if (entries.some(({ pattern }) => pattern === undefined)) return
    out.patternProperties = Object.fromEntries(
      entries.map(({ key, value, pattern }) => [pattern, inner(`patternProperties/${escapePointer(key)}`, value)]),
    )
  }
  if (others === false && detail.mode === "input" && isWhole) out.additionalProperties = false
  if (!isObject(others) || Object.keys(others).length === 0) return
  const node = inner("additionalProperties", others)
  if (Object.keys(node).length > 0 || node[LINK]) out.additionalProperties = node
}

export function copyItems(
  schema: JsonObject,
  out: SchemaNode,
  types: readonly string[],
  at: string,
  complain: Complain,
  inner: Inner,
): void {
  const { items } = schema
  const tuple = Array.isArray(items) ? items : schema.prefixItems
  if (Array.isArray(tuple) && tuple.length > 0) {
    const key = items === tuple ? "items" : "prefixItems"
    out.prefixItems = tuple.map((item, index) => inner(`${key}/${index}`, item))
    if (!isObject(items)) return
  }
  if (isObject(items)) out.items = inner("items", items)
  else if (types.includes("array")) {
    if (items === undefined) complain("array_without_items", at, "the items may be anything")
    out.items = {}
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
