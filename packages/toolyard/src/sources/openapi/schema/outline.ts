/** The properties of an object by name, wherever its schema has them, without looking into them. */
import { isObject } from "../../../model/json.ts"
import type { Description } from "../read/description.ts"
import { escapePointer, follow, type Located } from "../read/resolve.ts"

const MAX_VISITS = 200

export interface Outline {
  names: string[]
  /** Nothing but these will do; none when that can't be told. */
  types: string[]
}

export function outline(description: Description, schema: Located): Outline {
  const names = new Set<string>()
  const types = new Set<string>()
  let open = false
  for (const { value } of partsOf(description, schema)) {
    if (isObject(value.properties)) for (const name of Object.keys(value.properties)) names.add(name)
    const own = Array.isArray(value.type) ? value.type : [value.type]
    if (isObject(value.properties) || isObject(value.additionalProperties)) types.add("object")
    else if (value.type !== undefined) for (const type of own) types.add(String(type))
    else if (!["allOf", "oneOf", "anyOf"].some(key => Array.isArray(value[key]))) open = true
    if (value.nullable === true) types.add("null")
  }
  return { names: [...names], types: open ? [] : [...types] }
}

export function outlineProperties(description: Description, schema: Located): { name: string; schema: Located }[] {
  const found = new Map<string, Located>()
  for (const { value, uri, at } of partsOf(description, schema)) {
    if (!isObject(value.properties)) continue
    for (const [name, property] of Object.entries(value.properties)) {
      if (!found.has(name)) found.set(name, { value: property, uri, at: `${at}/properties/${escapePointer(name)}` })
    }
  }
  return [...found].map(([name, schema]) => ({ name, schema }))
}

/** The schema itself and all that it is put together from. */
function partsOf(description: Description, schema: Located): (Located & { value: Record<string, unknown> })[] {
  const parts: (Located & { value: Record<string, unknown> })[] = []
  const seen = new Set<unknown>()
  const queue: Located[] = [schema]
  for (const next of queue) {
    const located = follow(description, next)
    if (!located || !isObject(located.value) || seen.has(located.value) || seen.size > MAX_VISITS) continue
    const { value, uri, at } = located
    seen.add(value)
    parts.push({ value, uri, at })
    for (const key of ["allOf", "oneOf", "anyOf"]) {
      const list = value[key]
      if (Array.isArray(list))
        for (const [index, part] of list.entries()) queue.push({ value: part, uri, at: `${at}/${key}/${index}` })
    }
  }
  return parts
}
