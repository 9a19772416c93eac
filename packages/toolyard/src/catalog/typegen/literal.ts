/** Text from outside as parts of TypeScript that it cannot break out of: literals, property names, comments. */
import { isObject } from "../../model/json.ts"
import { type Field, NULL, NUMBER, objectOf, type Type, UNKNOWN } from "./type.ts"

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u
const PLAIN = /^[A-Za-z_$][\w$]*$/
const HARMLESS = /^[\w .:/-]*$/
const MAX_DEPTH = 20

/** A string literal on one line that cannot end a comment it is put into. */
export function quote(text: string): string {
  if (HARMLESS.test(text)) return `"${text}"`
  return JSON.stringify(text).replaceAll("*/", "*\\/").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
}

export function toKey(name: string): string {
  return PLAIN.test(name) || IDENTIFIER.test(name) ? name : quote(name)
}

/** The type of exactly this value. */
export function literalOf(value: unknown, depth = 0): Type {
  if (typeof value === "string") return { kind: "literal", text: quote(value), of: "string" }
  if (typeof value === "number")
    return Number.isFinite(value) ? { kind: "literal", text: `${value}`, of: "number" } : NUMBER
  if (typeof value === "boolean") return { kind: "literal", text: `${value}`, of: "boolean" }
  if (value === null) return NULL
  if (depth > MAX_DEPTH) return UNKNOWN
  if (Array.isArray(value)) {
    const of = value.map(one => literalOf(one, depth + 1))
    return { kind: "tuple", of, needed: of.length, rest: undefined }
  }
  if (!isObject(value)) return UNKNOWN
  return objectOf(Object.entries(value).map(([name, one]) => toField(name, literalOf(one, depth + 1))))
}

export function toField(name: string, type: Type, optional = false): Field {
  return { name, type, optional, doc: "", limits: "" }
}

/** Lines of a comment; empty ones are left out. */
export function toCommentLines(text: string): string[] {
  const safe = text.includes("*/") || text.includes("@ts-") ? disarm(text) : text
  if (!/[\0-\x1f\x7f\x85\u2028\u2029]| {2}/.test(safe)) return safe.trim() ? [safe.trim()] : []
  return safe
    .split(/[\n\r\v\f\x85\u2028\u2029]/)
    .map(line => (/[\0-\x1f\x7f]| {2}/.test(line) ? line.replace(/[\0-\x1f\x7f ]+/g, " ") : line).trim())
    .filter(Boolean)
}

export function toComment(text: string): string {
  return toCommentLines(text).join(" ")
}

/** Neither the end of a comment, nor a directive to the compiler such as `@ts-expect-error`. */
function disarm(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll("@ts-", "@ ts-")
}
