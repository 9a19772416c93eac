/**
 * The shape of JSON values: which types stand where. It never holds a value: no text, no number, and of the keys only
 * those that are names. Objects whose keys are data, or too many, are records: one shape for all of their values.
 *
 * Shapes form a lattice: `merge` is commutative, associative and idempotent, so that it does not matter in which order,
 * or by how many hubs, results are seen. (Only a shape that passes MAX_NODES depends on what came first; it is then
 * less precise, never wrong.)
 */
import { isObject } from "../../model/json.ts"
import { isName } from "./names.ts"

export const SCALARS = ["boolean", "null", "number", "string"] as const
export type Scalar = (typeof SCALARS)[number]

export interface Shape {
  /** Nothing is known, and nothing will be: too deep or too much. The rest is then absent. */
  any?: true
  scalars?: Scalar[]
  /** An object with names for keys … */
  keys?: Record<string, Shape>
  /** … or a record, of these values. Never both. */
  values?: Shape
  /** An array of these. */
  items?: Shape
}

/** Seen, but empty: what no items have in common. */
const NOTHING: Shape = {}
const ANY: Shape = { any: true }

const MAX_KEYS = 50
const MAX_DEPTH = 8
const MAX_NODES = 400
/** Of one value: a large result is judged by a part of it, spread evenly over its lists. */
const MAX_VISITS = 2000
const MAX_SAMPLES = 64

/** What is known when this value was seen too. The same object as before when that is nothing new. */
export function observe(shape: Shape | undefined, value: unknown): Shape {
  return merge(shape ?? NOTHING, fit(shapeOf(value, 0, { left: MAX_VISITS })))
}

export function merge(a: Shape, b: Shape): Shape {
  const merged = join(a, b)
  if (merged === a || merged === b) return merged
  return fit(merged)
}

function shapeOf(value: unknown, depth: number, visits: { left: number }): Shape {
  if (visits.left-- <= 0) return NOTHING
  if (Array.isArray(value)) {
    if (depth === MAX_DEPTH) return ANY
    return { items: joinAll(sample(value).map(item => shapeOf(item, depth + 1, visits))) }
  }
  if (isObject(value)) {
    if (depth === MAX_DEPTH) return ANY
    const names = Object.keys(value)
    if (isRecord(names)) return { values: joinAll(sample(names).map(name => shapeOf(value[name], depth + 1, visits))) }
    return { keys: Object.fromEntries(names.map(name => [name, shapeOf(value[name], depth + 1, visits)])) }
  }
  const type = value === null ? "null" : typeof value
  const scalar = SCALARS.find(known => known === type)
  return scalar ? { scalars: [scalar] } : NOTHING
}

function isRecord(names: string[]): boolean {
  return names.length > MAX_KEYS || !names.every(isName)
}

/** As many as are looked at, the first and the last among them. */
function sample<T>(items: T[]): T[] {
  if (items.length <= MAX_SAMPLES) return items
  const step = (items.length - 1) / (MAX_SAMPLES - 1)
  return Array.from({ length: MAX_SAMPLES }, (_, i) => items[Math.round(i * step)]!)
}

function joinAll(shapes: Shape[]): Shape {
  return shapes.reduce(join, NOTHING)
}

/** The least shape that covers both: `a` itself when it covers `b`. */
function join(a: Shape, b: Shape): Shape {
  if (a === b || a.any || isNothing(b)) return a
  if (b.any || isNothing(a)) return b
  const scalars = SCALARS.filter(type => a.scalars?.includes(type) || b.scalars?.includes(type))
  const items = joinMaybe(a.items, b.items)
  const { keys, values } = joinObjects(a, b)
  const isSame =
    scalars.length === (a.scalars?.length ?? 0) && items === a.items && keys === a.keys && values === a.values
  if (isSame) return a
  return {
    ...(scalars.length > 0 && { scalars }),
    ...(keys && { keys }),
    ...(values && { values }),
    ...(items && { items }),
  }
}

function joinMaybe(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  return a && b ? join(a, b) : (a ?? b)
}

function joinObjects(a: Shape, b: Shape): Pick<Shape, "keys" | "values"> {
  if (!b.keys && !b.values) return a
  if (!a.keys && !a.values) return b
  if (a.keys && b.keys) {
    const keys = joinKeys(a.keys, b.keys)
    return Object.keys(keys).length > MAX_KEYS ? { values: joinAll(Object.values(keys)) } : { keys }
  }
  return { values: [a, b].flatMap(({ keys, values }) => values ?? Object.values(keys ?? {})).reduce(join) }
}

function joinKeys(a: Record<string, Shape>, b: Record<string, Shape>): Record<string, Shape> {
  const merged = new Map(Object.entries(a))
  let isNew = false
  for (const [name, shape] of Object.entries(b)) {
    const before = merged.get(name)
    const joined = before ? join(before, shape) : shape
    if (joined === before) continue
    merged.set(name, joined)
    isNew = true
  }
  return isNew ? Object.fromEntries(merged) : a
}

function isNothing({ any, scalars, keys, values, items }: Shape): boolean {
  return !any && !scalars && !keys && !values && !items
}

/** Cut at the greatest depth at which it is small enough. */
function fit(shape: Shape): Shape {
  for (let depth = MAX_DEPTH; depth > 0; depth--) {
    const cut = cutAt(shape, depth)
    if (nodesOf(cut) <= MAX_NODES) return cut
  }
  return ANY
}

function cutAt(shape: Shape, depth: number): Shape {
  const { keys, values, items } = shape
  if (!keys && !values && !items) return shape
  if (depth === 0) return ANY
  return {
    ...shape,
    ...(keys && { keys: Object.fromEntries(Object.entries(keys).map(([name, one]) => [name, cutAt(one, depth - 1)])) }),
    ...(values && { values: cutAt(values, depth - 1) }),
    ...(items && { items: cutAt(items, depth - 1) }),
  }
}

export function nodesOf({ keys = {}, values, items }: Shape): number {
  const parts = [...Object.values(keys), ...(values ? [values] : []), ...(items ? [items] : [])]
  return parts.reduce((sum, part) => sum + nodesOf(part), 1)
}
