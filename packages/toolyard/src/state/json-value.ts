/** Values and keys at the door of the state: what passes here comes back equal from every implementation. */
import { YardError } from "../model/errors.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import type { Scalar } from "./types.ts"

export function toText(value: unknown, what: string): string {
  // A promise would be printed as `{}`: an `await` was forgotten, and the value with it.
  if (value instanceof Promise) throw new YardError("internal", `${what} is a promise, not a value`)
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause)
    // V8 reports with a RangeError both a nesting too deep and a text too long.
    const code = cause instanceof RangeError ? "payload_too_large" : "invalid_params"
    throw new YardError(code, `${what} can't be kept as JSON: ${reason}`, {
      cause,
      hint: "Keep plain JSON data, less of it or less deeply nested.",
    })
  }
  if (text === undefined)
    throw new YardError("invalid_params", `${what} can't be kept as JSON: it is a ${typeof value}`)
  return text
}

export function toRowTexts(rows: object[], stream: string): string[] {
  return rows.map(row => {
    const text = toText(row, `a row of ${stream}`)
    if (!text.startsWith("{")) throw new YardError("invalid_params", `a row of ${stream} is not an object`)
    return text
  })
}

/** Undefined when the text is not what `toRowTexts` made. */
export function fromRowText(text: string): JsonObject | undefined {
  try {
    const data: unknown = JSON.parse(text)
    return isObject(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** Half a surrogate pair has no UTF-8 form: stored, two different keys would become one. */
export function checkName(name: string, what: string): void {
  if (!name.isWellFormed()) {
    throw new YardError("invalid_params", `${what} ${JSON.stringify(name)} is not well-formed Unicode`, {
      hint: "Leave out the unpaired surrogate.",
    })
  }
}

/** When something set now ends; null for never. */
export function toExpiry(ttlMs: number | undefined): number | null {
  if (ttlMs === undefined) return null
  if (Number.isNaN(ttlMs)) throw new YardError("invalid_params", "ttlMs is not a number")
  return Date.now() + ttlMs
}

export function matches(data: JsonObject, filter: Record<string, Scalar | undefined>): boolean {
  return Object.entries(filter).every(([field, value]) => {
    return value === undefined || (Object.hasOwn(data, field) && data[field] === value)
  })
}
