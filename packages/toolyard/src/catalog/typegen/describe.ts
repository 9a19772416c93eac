/** What a schema says for readers: its description and tags, and limits that no type can express. */
import { isObject, type JsonObject } from "../../model/json.ts"

const MAX_DEFAULT = 80

/** Of the schema, or of the elements where only they have one. */
export function docOf(schema: unknown): string {
  if (!isObject(schema)) return ""
  const text = textOf(schema) || textOf(schema.items)
  const tags = [text]
  if (Object.hasOwn(schema, "default")) tags.push(defaultOf(schema.default))
  if (schema.deprecated === true) tags.push("@deprecated")
  return tags.length === 1 ? text : tags.filter(Boolean).join(" ")
}

function textOf(schema: unknown): string {
  if (!isObject(schema)) return ""
  return typeof schema.description === "string" ? schema.description.trim() : ""
}

function defaultOf(value: unknown): string {
  const text = JSON.stringify(value) ?? ""
  return text.length <= MAX_DEFAULT ? `@default ${text}` : ""
}

/** `1–100`, `≥ 0`, `date-time`. */
export function limitsOf(schema: unknown): string {
  if (!isObject(schema)) return ""
  if (typeof schema.format === "string" && schema.format.length <= 20) return schema.format
  const low = limit(schema, "minimum")
  const high = limit(schema, "maximum")
  if (low !== undefined && high !== undefined) return `${low}–${high}`
  return low !== undefined ? `≥ ${low}` : high !== undefined ? `≤ ${high}` : ""
}

/** What merely says how wide an integer is kept is left out. */
function limit(schema: JsonObject, key: string): number | undefined {
  const value = schema[key]
  return typeof value === "number" && Math.abs(value) < 32_767 ? value : undefined
}
