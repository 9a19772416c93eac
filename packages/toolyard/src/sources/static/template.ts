/** JSON with `{{name}}` in its strings: understood once, filled at every use. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { type Parameter, type Part, parametersOf, parseText, toText } from "./placeholders.ts"

export interface Template {
  parameters: Map<string, Parameter>
  /** `values` has every value there is; what is absent is left out, or empty inside a longer text. */
  fill(values: JsonObject): unknown
}

/** What stands for a key or an item that is to be left out. */
const ABSENT = Symbol("absent")
type Fill = (values: JsonObject) => unknown

/** Throws `config_invalid` where a placeholder is malformed. */
export function compileTemplate(written: unknown): Template {
  const parts: Part[] = []
  const fill = compile(written, parts)
  for (const part of parts) {
    if (typeof part !== "string" && part.list) {
      throw new YardError("config_invalid", `{{${part.name}...}} is for command lines; write "{{${part.name}}}" here`)
    }
  }
  return {
    parameters: parametersOf(parts),
    fill: values => {
      const filled = fill(values)
      return filled === ABSENT ? undefined : filled
    },
  }
}

function compile(written: unknown, seen: Part[]): Fill {
  if (typeof written === "string") return compileText(written, seen)
  if (Array.isArray(written)) {
    const items = written.map(item => compile(item, seen))
    return values => items.map(item => item(values)).filter(item => item !== ABSENT)
  }
  if (isObject(written)) {
    const entries = Object.entries(written).map(([key, value]) => [key, compile(value, seen)] as const)
    return values => {
      const filled = entries.map(([key, value]) => [key, value(values)] as const)
      return Object.fromEntries(filled.filter(([, value]) => value !== ABSENT))
    }
  }
  return () => written
}

function compileText(text: string, seen: Part[]): Fill {
  const parts = parseText(text)
  seen.push(...parts)
  const [only] = parts
  if (parts.length === 1 && typeof only === "object") {
    return values => (Object.hasOwn(values, only.name) ? values[only.name] : ABSENT)
  }
  return values => parts.map(part => (typeof part === "string" ? part : textOf(values, part.name))).join("")
}

const textOf = (values: JsonObject, name: string): string => (Object.hasOwn(values, name) ? toText(values[name]) : "")

/** The given values with the defaults of those that are absent. */
export function withDefaults(parameters: Iterable<Parameter>, given: JsonObject): JsonObject {
  const values: [string, unknown][] = []
  for (const { name, default: fallback, required } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : fallback
    if (value !== undefined) values.push([name, value])
    else if (required) throw new YardError("invalid_arguments", `"${name}" is missing`)
  }
  return Object.fromEntries(values)
}
