/** Schemas that authors give themselves: of any library that follows Standard Schema, or plain JSON Schema. */
import { createRequire } from "node:module"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { StandardIssue, StandardResult, StandardSchema } from "../tool-context.ts"

const TARGET = "draft-2020-12"
type Side = "input" | "output"
type ToJson = (options: JsonObject) => unknown

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false
  const standard = (value as Partial<StandardSchema>)["~standard"]
  return isObject(standard) && typeof standard.validate === "function"
}

/** Schemas by property name, as MCP's own SDK takes them, as one schema of an object; anything else as it is. */
export function asSchema(given: unknown, file: string): unknown {
  if (!isObject(given) || isStandardSchema(given)) return given
  const shape = Object.entries(given)
  if (shape.length === 0 || !shape.every((entry): entry is [string, StandardSchema] => isStandardSchema(entry[1])))
    return given
  return objectOf(shape, file)
}

function objectOf(shape: readonly [string, StandardSchema][], file: string): StandardSchema {
  const validate = async (value: unknown): Promise<StandardResult<unknown>> => {
    const given: JsonObject = isObject(value) ? value : {}
    const made: [string, unknown][] = []
    const issues: StandardIssue[] = []
    for (const [name, schema] of shape) {
      const result = await schema["~standard"].validate(Object.hasOwn(given, name) ? given[name] : undefined)
      if (result.issues) issues.push(...result.issues.map(issue => ({ ...issue, path: [name, ...(issue.path ?? [])] })))
      else if (result.value !== undefined) made.push([name, result.value])
    }
    return issues.length > 0 ? { issues } : { value: Object.fromEntries(made) }
  }
  const toJson = (side: Side) => (): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(shape.map(([name, schema]) => [name, toJsonSchema(schema, side, file) ?? {}])),
    required: shape.filter(([, schema]) => !takesNothing(schema)).map(([name]) => name),
  })
  const jsonSchema = { input: toJson("input"), output: toJson("output") }
  return { "~standard": { version: 1, vendor: "toolyard", validate, jsonSchema } as StandardSchema["~standard"] }
}

/** Whether a property of this schema may be left out. */
function takesNothing(schema: StandardSchema): boolean {
  const result = schema["~standard"].validate(undefined)
  return !(result instanceof Promise) && !result.issues
}

/** The schema as JSON, or nothing where the library has no way to say it. `file` is whose `zod` may be used. */
export function toJsonSchema(schema: unknown, side: Side, file: string): JsonObject | undefined {
  if (!isStandardSchema(schema)) return isObject(schema) ? schema : undefined
  const { vendor, jsonSchema } = schema["~standard"] as { vendor: string; jsonSchema?: Partial<Record<Side, ToJson>> }
  // A date and the like has no form in JSON Schema: anything is let through then, for `validate` to judge.
  const lenient = vendor === "zod" ? { unrepresentable: "any", io: side } : undefined
  const own = (schema as { toJSONSchema?: ToJson }).toJSONSchema
  const ways: (() => unknown)[] = [
    () => jsonSchema?.[side]?.({ target: TARGET, ...(lenient && { libraryOptions: lenient }) }),
    () => own?.call(schema, { ...lenient }),
    () => vendor === "zod" && zodOf(file)?.(schema, { target: TARGET, ...lenient }),
  ]
  for (const way of ways) {
    try {
      const made = way()
      if (isObject(made)) return JSON.parse(JSON.stringify(made)) as JsonObject
    } catch {}
  }
  return undefined
}

function zodOf(file: string): ((schema: unknown, options: JsonObject) => unknown) | undefined {
  const zod = createRequire(file)("zod") as { toJSONSchema?: (schema: unknown, options: JsonObject) => unknown }
  return zod.toJSONSchema
}

/** What is to be used in the value's place; throws an error that names every issue with its path. */
export async function validate<T>(schema: StandardSchema<T>, value: unknown, what: string): Promise<T> {
  const result = await schema["~standard"].validate(value)
  if (!result.issues) return result.value
  throw new InvalidValue(`${what}:\n${result.issues.map(toLine).join("\n")}`)
}

/** Its place in the code is of no interest: the value is wrong, not the function. */
export class InvalidValue extends Error {}

function toLine({ path, message }: StandardIssue): string {
  const keys = (path ?? []).map(part => String(typeof part === "object" ? part.key : part))
  return keys.length > 0 ? `${keys.join(".")}: ${message}` : message
}

/** MCP wants every input to be an object. */
export function toInputSchema(schema: JsonObject | undefined): JsonObject {
  if (!schema) return { type: "object" }
  return schema.type === "object" ? schema : { ...schema, type: "object" }
}

/** MCP wants every output to be an object, too: what is not stands under `result` in one. */
export function toOutputSchema(schema: JsonObject | undefined): { outputSchema?: JsonObject; wrapped: boolean } {
  if (!schema) return { wrapped: false }
  if (schema.type === "object") return { outputSchema: schema, wrapped: false }
  // It speaks of itself as a whole, which it would no longer be.
  if (JSON.stringify(schema).includes('"$ref":"#"')) return { wrapped: false }
  const { $defs, $schema, ...result } = schema
  const outputSchema = {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { result },
    required: ["result"],
    "x-toolyard-wrapped": true,
    ...($defs !== undefined && { $defs }),
  }
  return { outputSchema, wrapped: true }
}
