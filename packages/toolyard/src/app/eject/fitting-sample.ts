/** Made-up arguments for the tests of an ejected server: such as its own check of them lets through. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { isObject, type JsonObject } from "../../model/json.ts"
import { sampleArguments } from "../../sources/prompt/verify/sample.ts"
import { textFor } from "./pattern-text.ts"

export type Sampler = (schema: JsonObject) => JsonObject | undefined

/** As much as may be given, or only what must be; nothing where neither fits. */
export function createSampler(): Sampler {
  // One for all schemas, and none of them kept: making one takes longer than using it.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    addUsedSchema: false,
  })
  const fits = (args: JsonObject, schema: JsonObject): boolean => {
    try {
      return ajv.validate(schema, args) === true
    } catch {
      // A schema that can't be compiled checks nothing.
      return true
    } finally {
      ajv.removeSchema(schema)
    }
  }
  return schema => {
    const known = withExamples(schema) as JsonObject
    return [true, false].map(all => sampleArguments(known, { all })).find(args => fits(args, schema))
  }
}

/** A text for every pattern. */
function withExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExamples)
  if (!isObject(value)) return value
  const copy: JsonObject = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withExamples(inner)]))
  const text = typeof value.pattern === "string" && value.enum === undefined ? textFor(value.pattern) : undefined
  return text === undefined || copy.examples !== undefined ? copy : { ...copy, examples: [text] }
}
