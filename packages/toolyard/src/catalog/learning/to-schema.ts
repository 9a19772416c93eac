/** A learned shape as JSON Schema: every key may be missing, and others may be there. */
import type { JsonObject } from "../../model/json.ts"
import type { Shape } from "./shape.ts"

export function toSchema({ any, scalars = [], keys, values, items }: Shape): JsonObject {
  if (any) return {}
  const kinds: JsonObject[] = []
  if (keys) {
    const properties = Object.entries(keys).map(([name, shape]) => [name, toSchema(shape)])
    kinds.push({ type: "object", properties: Object.fromEntries(properties) })
  }
  if (values) kinds.push({ type: "object", additionalProperties: toSchema(values) })
  if (items) kinds.push({ type: "array", items: toSchema(items) })
  if (scalars.length > 0) kinds.push({ type: scalars.length === 1 ? scalars[0] : scalars })
  return kinds.length > 1 ? { anyOf: kinds } : (kinds[0] ?? {})
}
