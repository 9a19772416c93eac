/** Any value as JSON has it: dates, maps and bytes in their JSON forms, and a clear error for what has none. */

/** Deeper than anything that is meant, and far from what would exhaust the stack of whoever reads it. */
const DEEPEST = 1000

export class NotJson extends Error {}

/** A copy of `value` made of nothing but JSON; `undefined` for what JSON leaves out (functions, symbols). */
export function toJsonValue(value: unknown): unknown {
  return write(value, [], "")
}

function write(value: unknown, around: object[], key: string): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case "object":
      if (value === null) return null
      break
    default:
      return undefined
  }
  if (around.includes(value)) throw new NotJson("the result contains itself, so it cannot be written as JSON")
  if (around.length >= DEEPEST) throw new NotJson(`the result is nested more than ${DEEPEST} deep`)
  around.push(value)
  const made = writeObject(value, around, key)
  around.pop()
  return made
}

function writeObject(value: object, around: object[], key: string): unknown {
  const view = asBytes(value)
  if (view) return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64")
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === "function") return write(toJSON.call(value, key), around, key)
  if (Array.isArray(value)) return Array.from(value, (item, i) => write(item, around, String(i)) ?? null)
  if (value instanceof Set || ArrayBuffer.isView(value))
    return Array.from(value as Iterable<unknown>, (item, i) => write(item, around, String(i)) ?? null)
  if (value instanceof RegExp) return String(value)
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf()
  if (value instanceof Error) return { name: value.name, message: value.message }
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  const made: [string, unknown][] = []
  for (const [name, inner] of entries) {
    const known = toKey(name)
    const written = write(inner, around, known)
    if (written !== undefined) made.push([known, written])
  }
  // Defines `__proto__` like any other key, where an assignment would not.
  return Object.fromEntries(made)
}

function toKey(key: unknown): string {
  if (typeof key === "string") return key
  return typeof key === "object" && key !== null ? JSON.stringify(toJsonValue(key)) : String(key)
}

/** Typed arrays other than those of bytes are numbers to their author; a list of them is what JSON has. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value)
  if (value instanceof DataView) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return undefined
}
