/** Arguments as they are written for prompts and URI templates: their types, the values they may have, and defaults. */
import { isObject, type JsonObject } from "../../model/json.ts"
import { type Parameter, PLACEHOLDER_TYPES, type PlaceholderType } from "./placeholders.ts"
import { invalid } from "./written.ts"

export interface Argument {
  name: string
  title?: string
  description?: string
  required: boolean
  type: PlaceholderType
  /** No other value is taken. */
  enum?: string[]
  /** Proposed, but others are taken too. */
  values?: string[]
  default?: string
}

/** From a list, or an object by name. Throws `config_invalid`. */
export function toArguments(written: unknown): Argument[] {
  if (written === undefined) return []
  if (Array.isArray(written)) return written.map(item => toArgument(isObject(item) ? item.name : undefined, item))
  if (!isObject(written)) throw invalid("has `arguments` that are neither a list nor an object by name")
  return Object.entries(written).map(([name, item]) => toArgument(name, item))
}

function toArgument(name: unknown, written: unknown): Argument {
  if (typeof name !== "string" || name === "") throw invalid("has an argument without a name")
  // The short form is its description.
  const item: JsonObject = typeof written === "string" ? { description: written } : isObject(written) ? written : {}
  const type = PLACEHOLDER_TYPES.find(known => known === (item.type ?? "string"))
  if (!type) throw invalid(`has an argument "${name}" whose type is not one of ${PLACEHOLDER_TYPES.join(", ")}`)
  const list = (key: "enum" | "values"): string[] | undefined => {
    const values = item[key]
    if (values === undefined) return undefined
    if (!Array.isArray(values)) throw invalid(`has an argument "${name}" whose \`${key}\` is not a list`)
    return values.map(String)
  }
  const [only, proposed] = [list("enum"), list("values")]
  const argument: Argument = {
    name,
    ...(typeof item.title === "string" && { title: item.title }),
    ...(typeof item.description === "string" && { description: item.description }),
    required: item.required === true && item.default === undefined,
    type,
    ...(only && { enum: only }),
    ...(proposed && { values: proposed }),
    ...(item.default !== undefined && { default: String(item.default) }),
  }
  const fault = argument.default === undefined ? undefined : whyNot(argument, argument.default)
  if (fault !== undefined) throw invalid(`has an argument "${name}" whose default ${fault}`)
  return argument
}

/** An argument that nobody declared, but that is used. */
export const fromParameter = ({ name, type, required, default: fallback }: Parameter): Argument => ({
  name,
  type,
  required,
  ...(fallback !== undefined && { default: String(fallback) }),
})

/** Why a value can't be taken; undefined when it can. */
export function whyNot({ type, enum: only }: Argument, value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "must be a text"
  const text = String(value).trim()
  const number = text === "" ? Number.NaN : Number(text)
  if (type === "number" && !Number.isFinite(number)) return "must be a number"
  if (type === "integer" && !Number.isInteger(number)) return "must be a whole number"
  if (type === "boolean" && text !== "true" && text !== "false") return "must be true or false"
  if (only && !only.includes(String(value)))
    return `must be one of ${only.map(item => JSON.stringify(item)).join(", ")}`
  return undefined
}

/** The values to propose. */
export function proposals({ type, enum: only, values }: Argument): string[] {
  return only ?? values ?? (type === "boolean" ? ["true", "false"] : [])
}
