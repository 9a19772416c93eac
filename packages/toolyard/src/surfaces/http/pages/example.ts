/** Arguments to start from: what a schema asks for, with the values that it names itself. */
import { isObject, type JsonObject } from "../../../model/json.ts"

const MAX_DEPTH = 6
const MAX_PROPERTIES = 50

/** An object with everything that is required, and nothing else. */
export function exampleArguments(schema: unknown): JsonObject {
  const made = exampleOf(schema, schema, 0)
  return isObject(made) ? made : {}
}

function exampleOf(schema: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return depth === 0 ? {} : null
  const { default: standard, examples, const: constant, enum: choices, $ref } = schema
  if (standard !== undefined) return standard
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(choices) && choices.length > 0) return choices[0]
  if (typeof $ref === "string") return exampleOf(resolveRef($ref, root), root, depth + 1)
  for (const list of [schema.anyOf, schema.oneOf, schema.allOf])
    if (Array.isArray(list) && list.length > 0 && schema.type === undefined && schema.properties === undefined)
      return exampleOf(list[0], root, depth + 1)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type ?? (isObject(schema.properties) ? "object" : undefined)) {
    case "string":
      return ""
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 0
    case "boolean":
      return false
    case "array": {
      const fewest = typeof schema.minItems === "number" ? Math.min(schema.minItems, 3) : 0
      return Array.from({ length: fewest }, () => exampleOf(schema.items, root, depth + 1))
    }
    case "object":
      return exampleObject(schema, root, depth)
    default:
      return depth === 0 ? {} : null
  }
}

function exampleObject({ required, properties }: JsonObject, root: unknown, depth: number): JsonObject {
  const names = Array.isArray(required) ? required.filter(name => typeof name === "string") : []
  const known = isObject(properties) ? properties : {}
  return Object.fromEntries(
    names
      .slice(0, MAX_PROPERTIES)
      .map(name => [name, exampleOf(Object.hasOwn(known, name) ? known[name] : undefined, root, depth + 1)]),
  )
}

function resolveRef(ref: string, root: unknown): unknown {
  if (!ref.startsWith("#/")) return undefined
  const steps = ref.slice(2).split("/")
  return steps.reduce<unknown>((node, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }, root)
}
