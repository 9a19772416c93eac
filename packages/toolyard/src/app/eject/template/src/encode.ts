/** Values as they stand in an address: the styles of the OpenAPI specification. */

export type Style = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject"
export interface Styled {
  name: string
  style: Style
  explode: boolean
}
export type Encode = (text: string) => string
export type Pair = [name: string, value: string]

/** Everything but what means nothing anywhere in an address. */
export function percent(text: string): string {
  if (!text.isWellFormed()) throw new Error("a text has half a character in it (an unpaired surrogate)")
  return encodeURIComponent(text).replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** For `allowReserved`: marks stay, and what is encoded already stays so, but nothing can end the value. */
export function reserved(text: string): string {
  const parts = text.split(/(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;=])/)
  return parts.map((part, index) => (index % 2 === 1 ? part : percent(part))).join("")
}

/** A part of the address that is fixed: only what can't stand in one is encoded. */
export function literal(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent)
}

export function toText(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What stands in place of `{name}` in a path, or in a header. */
export function toSegment({ name, style, explode }: Styled, value: unknown, encode: Encode): string {
  const pairs: Pair[] = isObject(value)
    ? membersOf(value).map(([key, item]) => [encode(key), encode(toText(item))])
    : []
  const items = Array.isArray(value) ? value.filter(isGiven).map(item => encode(toText(item))) : undefined
  const isList = items !== undefined || isObject(value)
  const flat = items?.join(",") ?? (isObject(value) ? pairs.flat().join(",") : encode(toText(value)))
  const named = (key: string, item: string): string => (item === "" ? key : `${key}=${item}`)
  const equals = pairs.map(([key, item]) => `${key}=${item}`)
  if (style === "label") return explode && isList ? (items ?? equals).map(part => `.${part}`).join("") : `.${flat}`
  if (style === "matrix") {
    if (!explode || !isList) return `;${named(encode(name), flat)}`
    const all = items?.map((item): Pair => [encode(name), item]) ?? pairs
    return all.map(([key, item]) => `;${named(key, item)}`).join("")
  }
  return explode && isObject(value) ? equals.join(",") : flat
}

/** The pairs of a query, a form or a cookie, encoded; none for an empty list. */
export function toPairs({ name, style, explode }: Styled, value: unknown, encode: Encode, encodeName = encode): Pair[] {
  const text = (item: unknown): string => encode(toText(item))
  if (!isGiven(value)) return []
  if (style === "deepObject" && typeof value === "object")
    return deepPairs(name, value).map(([key, item]) => [encodeName(key), text(item)])
  const delimiter = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ","
  const joined = (parts: string[]): Pair[] => (parts.length === 0 ? [] : [[encodeName(name), parts.join(delimiter)]])
  if (Array.isArray(value)) {
    const items = value.filter(isGiven).map(text)
    return explode ? items.map(item => [encodeName(name), item]) : joined(items)
  }
  if (!isObject(value)) return [[encodeName(name), text(value)]]
  if (!explode) return joined(membersOf(value).flatMap(([key, item]) => [encode(key), text(item)]))
  return membersOf(value).flatMap(([key, item]) =>
    [item]
      .flat()
      .filter(isGiven)
      .map((part): Pair => [encodeName(key), text(part)]),
  )
}

/** `a[b][c]`; lists as `a[]`, but with numbers where their items have parts that belong together. */
function deepPairs(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    const items = value.filter(isGiven)
    const isFlat = items.every(item => typeof item !== "object")
    return items.flatMap((item, index) => deepPairs(`${name}[${isFlat ? "" : index}]`, item))
  }
  if (isObject(value)) return membersOf(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item))
  return [[name, value]]
}

function membersOf(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => isGiven(item))
}
