/** What is stored of a tool's results, read back with care: another version, or a person, may have written it. */
import { isObject } from "../../model/json.ts"
import { isName } from "./names.ts"
import { SCALARS, type Shape } from "./shape.ts"

export interface Kept {
  /** Of the definition under which it was learned. */
  hash: string
  shape: Shape
  calls: number
}

const MAX_DEPTH = 32

export function fromStored(value: unknown): Kept | undefined {
  if (!isObject(value) || typeof value.hash !== "string" || !Number.isSafeInteger(value.calls)) return undefined
  const shape = toShape(value.shape, 0)
  return shape && { hash: value.hash, calls: value.calls as number, shape }
}

function toShape(value: unknown, depth: number): Shape | undefined {
  if (!isObject(value) || depth > MAX_DEPTH) return undefined
  if (value.any === true) return { any: true }
  const shape: Shape = {}
  if (Array.isArray(value.scalars)) {
    const { scalars } = value
    const known = SCALARS.filter(type => scalars.includes(type))
    if (known.length > 0) shape.scalars = known
  }
  if (isObject(value.keys)) {
    const keys: [string, Shape][] = []
    for (const [name, one] of Object.entries(value.keys)) {
      const read = toShape(one, depth + 1)
      if (!read || !isName(name)) return undefined
      keys.push([name, read])
    }
    shape.keys = Object.fromEntries(keys)
  } else if (value.values !== undefined) {
    const read = toShape(value.values, depth + 1)
    if (!read) return undefined
    shape.values = read
  }
  if (value.items !== undefined) {
    const read = toShape(value.items, depth + 1)
    if (!read) return undefined
    shape.items = read
  }
  return shape
}
