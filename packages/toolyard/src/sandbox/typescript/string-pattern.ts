/** Regular expressions for the string types that TypeScript can tell apart: `${number}px`, `Uppercase<string>` … */
import { type Type, TypeFlags } from "typescript/unstable/sync"

/** Numbers as people write them; TypeScript would also take `0x1F` and spaces around for `${number}`. */
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`
const BIGINT = String.raw`-?\d+`
const ANY = String.raw`[\s\S]*`
const MAPPED: Record<string, string> = {
  Uppercase: "[^a-z]*",
  Lowercase: "[^A-Z]*",
  Capitalize: String.raw`(?![a-z])[\s\S]*`,
  Uncapitalize: String.raw`(?![A-Z])[\s\S]*`,
}
/** Keys that an index signature of numbers is about. */
export const NUMERIC_KEY = String.raw`^-?(?:0|[1-9]\d*)(?:\.\d+)?$`

/** `undefined` when any string will do. */
export function patternOf(type: Type): string | undefined {
  const pattern = `^${sourceOf(type)}$`
  if (pattern === `^${ANY}$`) return undefined
  // What begins or ends with anything needs no anchor there.
  return pattern.replace(/^\^\[\\s\\S\]\*/, "").replace(/\[\\s\\S\]\*\$$/, "")
}

function sourceOf(type: Type): string {
  if (type.isTemplateLiteralType()) {
    const parts = type.getTypes().map(sourceOf)
    return type.texts.map((text, i) => escaped(text) + (parts[i] ?? "")).join("")
  }
  if (type.isStringMappingType()) return MAPPED[type.getSymbol()?.name ?? ""] ?? ANY
  if (type.isUnionType()) return `(?:${type.getTypes().map(sourceOf).join("|")})`
  if (type.isLiteralType()) return escaped(String(type.value))
  if (type.flags & TypeFlags.Number) return NUMBER
  if (type.flags & TypeFlags.BigInt) return BIGINT
  return ANY
}

/** As the `u` flag has it: only characters of the syntax may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}
