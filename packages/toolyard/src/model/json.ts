/** JSON as it came from outside: parsed, not yet trusted. */
export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const RAW = Symbol("raw JSON text")

/**
 * Remembers the exact text an object was parsed from, so that it can be passed on byte for byte:
 * no second print, and numbers beyond 2^53 or `1.0` come out as they went in.
 * Whoever changes such an object makes a new one, which has no raw text.
 */
export function withRaw<T extends object>(value: T, raw: string): T {
  Object.defineProperty(value, RAW, { value: raw, enumerable: false })
  return value
}

export function rawOf(value: object): string | undefined {
  return (value as { [RAW]?: string })[RAW]
}

/** The object as JSON text: its own where it is known, printed otherwise. */
export function toJsonText(value: object): string {
  return (value as { [RAW]?: string })[RAW] ?? JSON.stringify(value)
}
