/** The arguments of `call`: a JSON object, single `--arg name=value` pairs, or both. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"

const HINT = 'Write an object, such as \'{"name": "value"}\', or --arg name=value.'

export function parseArgs(text: string): JsonObject {
  if (text.trim() === "") return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new YardError("usage", `the arguments are not valid JSON: ${(error as Error).message}`, { hint: HINT })
  }
  if (!isObject(value)) throw new YardError("usage", "the arguments must be a JSON object", { hint: HINT })
  return value
}

/** `name=value` → its two parts. */
export function splitPair(option: string, pair: string): [name: string, value: string] {
  const at = pair.indexOf("=")
  // The value may be a secret, so what was written is not repeated.
  if (at <= 0) throw new YardError("usage", `${option} wants name=value`, { hint: `For example ${option} name=value.` })
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/** Values as the schema wants them: what is to be a string stays as written, everything else is read as JSON if it is JSON. */
export function typedPairs(pairs: [string, string][], schema: unknown): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      toValue(value, Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  )
}

function toValue(text: string, schema: unknown): unknown {
  const types = isObject(schema) ? [schema.type].flat() : []
  if (types.includes("string") && !(types.includes("null") && text === "null")) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  // A number that would come out changed was meant as text.
  return typeof value === "number" && !Number.isSafeInteger(value) && Number.isInteger(value) ? text : value
}
