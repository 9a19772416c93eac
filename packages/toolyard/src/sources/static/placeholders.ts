/**
 * `{{name}}` in a text stands for a parameter: `{{name?}}` may be absent, `{{name=default}}` has a default,
 * `{{name:integer}}` a type, `{{name...}}` is a list. `\{{` is a plain `{{`.
 */
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"

export const PLACEHOLDER_TYPES = ["string", "integer", "number", "boolean"] as const
export type PlaceholderType = (typeof PLACEHOLDER_TYPES)[number]

export interface Placeholder {
  name: string
  type?: PlaceholderType
  optional: boolean
  default?: string
  list: boolean
}

export type Part = string | Placeholder

/** Every place of the same name together: what is known of one parameter. */
export interface Parameter {
  name: string
  type: PlaceholderType
  required: boolean
  default?: string | number | boolean
  list: boolean
}

const TOKEN = /\\\{\{|\{\{/g
const INSIDE = /^\s*([A-Za-z_][\w-]*)\s*(?::\s*([A-Za-z]+)\s*)?(\?|\.\.\.|=[\s\S]*)?\s*$/

export function parseText(text: string): Part[] {
  const parts: Part[] = []
  let plain = ""
  let from = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index < from) continue
    plain += text.slice(from, index)
    if (token !== "{{") {
      plain += "{{"
      from = index + token.length
      continue
    }
    const end = text.indexOf("}}", index)
    if (end === -1) throw malformed(text.slice(index, index + 40), "it is never closed with }}")
    if (plain !== "") parts.push(plain)
    plain = ""
    parts.push(parsePlaceholder(text.slice(index + 2, end)))
    from = end + 2
  }
  plain += text.slice(from)
  if (plain !== "") parts.push(plain)
  return parts
}

function parsePlaceholder(inside: string): Placeholder {
  const written = `{{${inside}}}`
  const match = inside.includes("{{") ? undefined : INSIDE.exec(inside)
  if (!match) throw malformed(written, "inside stands a name (letters, digits, _ and -), such as {{path}}")
  const [, name = "", type, mark] = match
  if (type !== undefined && !PLACEHOLDER_TYPES.includes(type as PlaceholderType)) {
    throw malformed(written, `${type} is not one of ${PLACEHOLDER_TYPES.join(", ")}`)
  }
  const withDefault = mark?.startsWith("=") === true
  return {
    name,
    ...(type !== undefined && { type: type as PlaceholderType }),
    // An empty list is a list.
    optional: mark !== undefined,
    ...(withDefault && { default: mark.slice(1) }),
    list: mark === "...",
  }
}

const malformed = (written: string, why: string): YardError =>
  new YardError("config_invalid", `the placeholder ${written} is malformed: ${why}`, {
    hint: "Correct it in toolyard.json; write \\{{ (in JSON \\\\{{) where plain braces are meant.",
  })

/** The parameters in the order of their first place. */
export function parametersOf(parts: Iterable<Part>): Map<string, Parameter> {
  const places = new Map<string, Placeholder[]>()
  for (const part of parts) {
    if (typeof part === "string") continue
    const known = places.get(part.name)
    if (known) known.push(part)
    else places.set(part.name, [part])
  }
  return new Map([...places].map(([name, all]) => [name, parameterOf(name, all)]))
}

function parameterOf(name: string, places: Placeholder[]): Parameter {
  const only = <T>(what: string, values: (T | undefined)[]): T | undefined => {
    const distinct = [...new Set(values.filter(value => value !== undefined))]
    if (distinct.length > 1) {
      throw new YardError("config_invalid", `{{${name}}} has two ${what}: ${distinct.join(" and ")}`)
    }
    return distinct[0]
  }
  const type = only(
    "types",
    places.map(place => place.type),
  )
  const written = only(
    "defaults",
    places.map(place => place.default),
  )
  const list = only(
    "forms",
    places.map(place => (place.list ? "a list" : "a single value")),
  )
  return {
    name,
    type: type ?? "string",
    required: written === undefined && places.some(place => !place.optional),
    ...(written !== undefined && { default: toType(name, type ?? "string", written) }),
    list: list === "a list",
  }
}

function toType(name: string, type: PlaceholderType, text: string): string | number | boolean {
  if (type === "string") return text
  const value = type === "boolean" ? { true: true, false: false }[text.trim()] : Number(text)
  const fits = type === "boolean" ? value !== undefined : text.trim() !== "" && Number.isFinite(value)
  if (!fits || (type === "integer" && !Number.isInteger(value))) {
    throw new YardError("config_invalid", `the default of {{${name}}} is not of type ${type}: ${text}`)
  }
  return value as number | boolean
}

/** The JSON Schema of an object with these parameters; `known` says more of some of them. */
export function schemaOf(parameters: Iterable<Parameter>, known: Record<string, JsonObject> = {}): JsonObject {
  const all = [...parameters]
  const properties = all.map(({ name, type, list, default: fallback }) => {
    const own = list ? { type: "array", items: { type } } : { type }
    const more = Object.hasOwn(known, name) ? known[name] : undefined
    return [name, { ...own, ...(fallback !== undefined && { default: fallback }), ...more }] as const
  })
  const required = all.filter(parameter => parameter.required).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** A value inside a longer text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
