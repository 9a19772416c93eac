/** The schema that samples have in common: all there is where nobody wrote one. */
import { isObject, type JsonObject } from "../../../model/json.ts"

const MAX_DEPTH = 8
const MAX_ITEMS = 20

/** No value of the samples is in it: they may be anyone's data. */
export function shapeOf(samples: readonly unknown[], depth = 0): JsonObject {
  const types = new Set(samples.map(typeOf))
  if (types.has("number")) types.delete("integer")
  if (depth > MAX_DEPTH || types.size === 0) return {}
  const list = [...types]
  const shape: JsonObject = { type: list.length === 1 ? list[0] : list }
  const objects = samples.filter(isObject)
  if (objects.length > 0) {
    const names = [...new Set(objects.flatMap(Object.keys))].filter(name => name !== "__proto__")
    const valuesOf = (name: string) => objects.filter(object => Object.hasOwn(object, name)).map(object => object[name])
    shape.properties = Object.fromEntries(names.map(name => [name, shapeOf(valuesOf(name), depth + 1)]))
  }
  const lists = samples.filter(Array.isArray)
  if (lists.length > 0)
    shape.items = shapeOf(
      lists.flatMap(items => items.slice(0, MAX_ITEMS)),
      depth + 1,
    )
  return shape
}

/** Of JSON text; none when it is none. */
export function parseSample(text: unknown): { value: unknown } | undefined {
  if (typeof text !== "string" || text.length > 1_000_000) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}
