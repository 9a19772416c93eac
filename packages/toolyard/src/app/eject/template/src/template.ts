/** JSON with `{{name}}` in its strings, filled with values. A string that is nothing else becomes the value itself. */

export type Values = Record<string, unknown>

const PLACE = /(\\\{\{)|\{\{\s*([A-Za-z_][\w-]*)[\s\S]*?\}\}/g
const ONLY = /^\{\{\s*([A-Za-z_][\w-]*)(?:(?!\}\})[\s\S])*\}\}$/

/** What is absent is left out, or empty inside a longer text. */
export function fill(written: unknown, values: Values): unknown {
  if (typeof written === "string") {
    const only = ONLY.exec(written)?.[1]
    if (only !== undefined) return Object.hasOwn(values, only) ? values[only] : undefined
    return written.replace(PLACE, (_, plain: string | undefined, name: string) =>
      plain === undefined ? toText(Object.hasOwn(values, name) ? values[name] : undefined) : "{{",
    )
  }
  if (Array.isArray(written)) return written.map(item => fill(item, values)).filter(item => item !== undefined)
  if (typeof written !== "object" || written === null) return written
  const filled = Object.entries(written).map(([key, value]) => [key, fill(value, values)] as const)
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
