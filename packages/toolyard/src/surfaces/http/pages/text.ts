/** What others wrote, made fit to be looked at: short, in one line, readable, and with nothing invisible in it. */
import type { JsonObject } from "../../../model/json.ts"

const WIDTH = 96
/** Deeper than anybody reads; what lies below stands in one line. */
const MAX_DEPTH = 40

/** The first line's worth of a text; an ellipsis says that there is more. */
export function toOneLine(text: unknown, max = 160): string {
  if (typeof text !== "string") return ""
  return cut(
    text
      .slice(0, 4 * max)
      .replace(/\s+/g, " ")
      .trim(),
    max,
    text.length > 4 * max,
  )
}

export function cut(text: string, max: number, hasMore = false): string {
  if (text.length <= max && !hasMore) return text
  const kept = text.slice(0, max - 1)
  // Between words, where there is such a place near the end.
  const space = kept.lastIndexOf(" ")
  return `${(space > max - 20 && space > 0 ? kept.slice(0, space) : kept).trimEnd()}…`
}

/** JSON for people: what fits into a line stands in one. */
export function toReadableJson(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return JSON.stringify(value) ?? "null"
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map(item => toReadableJson(item, depth + 1))
    : Object.entries(value as JsonObject).map(
        ([key, item]) => `${JSON.stringify(key)}: ${toReadableJson(item, depth + 1)}`,
      )
  if (parts.length === 0) return isList ? "[]" : "{}"
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`
  if (line.length + 2 * depth <= WIDTH && !line.includes("\n")) return line
  const indent = "  ".repeat(depth + 1)
  const body = parts.join(`,\n${indent}`)
  return `${isList ? "[" : "{"}\n${indent}${body}\n${indent.slice(2)}${isList ? "]" : "}"}`
}

/** A name as a part of a URL that may stand anywhere, quotes of a shell included. */
export function toUrlPart(name: string): string {
  const toHex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(name.toWellFormed()).replace(/[!'()*]/g, toHex)
}

/**
 * Characters that would make the text around them look like something else: they are named instead.
 * In JSON the name means the same character.
 */
export function revealHidden(html: string): string {
  return html
    .toWellFormed()
    .replace(
      /[\u0000-\u0008\u000b\u000e-\u001f\u007f\u200b\u202a-\u202e\u2060-\u2069\ufeff]/g,
      hidden => `\\u${hidden.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
}

export const plural = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`
