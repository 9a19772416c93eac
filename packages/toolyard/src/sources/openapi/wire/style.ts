/** A parameter's value in each of the styles of the OpenAPI specification, which are those of RFC 6570 and three more. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ParameterPlan } from "../operation.ts"
import { type Encode, isGiven, toText } from "./encode.ts"

export interface Styled {
  name: string
  style: ParameterPlan["style"]
  explode: boolean
}

type Pair = [name: string, value: string]

/** What stands in place of `{name}` in a path, or in a header. Empty for an empty list. */
export function toSegment({ name, style, explode }: Styled, value: unknown, encode: Encode): string {
  const text = (item: unknown): string => encode(toText(item))
  const items = Array.isArray(value) ? value.filter(isGiven) : undefined
  const members = isObject(value) ? given(value).map(([key, item]): Pair => [encode(key), text(item)]) : undefined
  const flat = (items?.map(text) ?? members?.flat())?.join(",")
  const named = (key: string, item: string): string => (item === "" ? key : `${key}=${item}`)
  if (style === "label") {
    if (!explode || !(items ?? members)) return `.${flat ?? text(value)}`
    return (items?.map(text) ?? members!.map(([key, item]) => `${key}=${item}`)).map(part => `.${part}`).join("")
  }
  if (style === "matrix") {
    if (!explode || !(items ?? members)) return `;${named(encode(name), flat ?? text(value))}`
    return (items?.map((item): Pair => [encode(name), text(item)]) ?? members!)
      .map(([key, item]) => `;${named(key, item)}`)
      .join("")
  }
  if (explode && members) return members.map(([key, item]) => `${key}=${item}`).join(",")
  return flat ?? text(value)
}

/** The `name=value` pairs of a query, a form or a cookie, encoded. None for `null` and for an empty list. */
export function toPairs({ name, style, explode }: Styled, value: unknown, encode: Encode, encodeName = encode): Pair[] {
  if (!isGiven(value)) return []
  const text = (item: unknown): string => encode(toText(item))
  if (style === "deepObject" && typeof value === "object")
    return deepPairs(name, value).map(([key, item]): Pair => [encodeName(key), text(item)])
  if (Array.isArray(value)) {
    const items = value.filter(isGiven).map(text)
    if (explode) return items.map(item => [encodeName(name), item])
    return items.length === 0 ? [] : [[encodeName(name), items.join(DELIMITERS[style] ?? ",")]]
  }
  if (!isObject(value)) return [[encodeName(name), text(value)]]
  if (explode) {
    return given(value).flatMap(([key, item]): Pair[] =>
      Array.isArray(item)
        ? item.filter(isGiven).map((part): Pair => [encodeName(key), text(part)])
        : [[encodeName(key), text(item)]],
    )
  }
  const flat = given(value).flatMap(([key, item]) => [encode(key), text(item)])
  return flat.length === 0 ? [] : [[encodeName(name), flat.join(DELIMITERS[style] ?? ",")]]
}

const DELIMITERS: Partial<Record<ParameterPlan["style"], string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" }

/** `a[b][c]`; lists as `a[]`, but with numbers where their items have parts that belong together. */
function deepPairs(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    const items = value.filter(isGiven)
    const isFlat = items.every(item => typeof item !== "object")
    return items.flatMap((item, index) => deepPairs(`${name}[${isFlat ? "" : index}]`, item))
  }
  if (isObject(value)) return given(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item))
  return [[name, value]]
}

const given = (value: JsonObject): [string, unknown][] => Object.entries(value).filter(([, item]) => isGiven(item))
