/** Checks arguments against a tool's raw JSON Schema. Ajv is loaded and schemas compiled only when first needed. */
import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import { YardError } from "../model/errors.ts"
import { isObject, type JsonObject } from "../model/json.ts"

/** `undefined` once the arguments are fine, else what is wrong with them, one problem a line. */
export type Check = (args: JsonObject) => string | undefined

const MAX_PROBLEMS = 8
const OPTIONS = { strict: false, allErrors: true, validateFormats: false, addUsedSchema: false, logger: false as const }
const PASS: Check = () => undefined

export class Validator {
  readonly #warn: (message: string) => void
  #draft07: Ajv | undefined
  #draft2020: Ajv | undefined

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  /** A schema that won't compile never takes its tool away: the arguments then go through unchecked. */
  async compile(tool: string, schema: unknown): Promise<Check> {
    if (!isObject(schema)) return PASS
    // The commonest schema of tools without parameters needs no compiler.
    if (Object.keys(schema).every(key => key === "type" || key === "$schema") && schema.type === "object") return PASS
    try {
      const validate = await this.#validatorOf(schema)
      return args => (validate(args) ? undefined : describe(validate))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#warn(`the arguments of ${tool} are passed through unchecked: its schema does not compile (${reason})`)
      return PASS
    }
  }

  async #validatorOf(schema: JsonObject): Promise<ValidateFunction> {
    const dialect = typeof schema.$schema === "string" ? schema.$schema : ""
    const old = /draft-0[4-7]/.test(dialect)
    const create = old ? await draft07() : await draft2020()
    const known = old ? this.#draft07 : this.#draft2020
    const ajv = known ?? create()
    if (old) this.#draft07 = ajv
    else this.#draft2020 = ajv
    try {
      const validate = ajv.compile(schema)
      // Else Ajv would keep it for ever.
      ajv.removeSchema(schema)
      return validate
    } catch {
      // Another tool's schema may have left the same `$id` behind.
      return create().compile(schema)
    }
  }
}

async function draft07(): Promise<() => Ajv> {
  const { default: ajv } = await import("ajv")
  return () => new ajv.Ajv(OPTIONS)
}

async function draft2020(): Promise<() => Ajv> {
  const { default: ajv } = await import("ajv/dist/2020.js")
  return () => new ajv.Ajv2020(OPTIONS)
}

function describe(validate: ValidateFunction): string {
  const errors = validate.errors ?? []
  const lines = new Set(errors.map(describeOne))
  const shown = [...lines].slice(0, MAX_PROBLEMS)
  return [...shown, ...(lines.size > shown.length ? [`… and ${lines.size - shown.length} more`] : [])].join("\n")
}

function describeOne({ instancePath, keyword, params, message }: ErrorObject): string {
  const at = instancePath === "" ? "arguments" : `arguments${instancePath.replaceAll("/", ".")}`
  switch (keyword) {
    case "required":
      return `${at}: "${params.missingProperty}" is missing`
    case "additionalProperties":
      return `${at}: "${params.additionalProperty}" is not known here`
    case "enum":
      return `${at}: must be one of ${JSON.stringify(params.allowedValues)}`
    case "const":
      return `${at}: must be ${JSON.stringify(params.allowedValue)}`
    default:
      return `${at}: ${message}`
  }
}

export function invalidArguments(tool: string, problems: string): YardError {
  return new YardError("invalid_arguments", `Invalid arguments for ${tool}:\n${problems}`, {
    data: { problems: problems.split("\n") },
  })
}
