/** The command line of an entry with its placeholders understood, and what it becomes with values in their places. */
import type { CommandEntry } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import {
  type Parameter,
  type Part,
  PLACEHOLDER_TYPES,
  type Placeholder,
  parametersOf,
  parseText,
  schemaOf,
  toText,
} from "../static/placeholders.ts"

export interface CommandLine {
  args: Part[][]
  stdin: Part[] | undefined
  parameters: Map<string, Parameter>
  inputSchema: JsonObject
}

/** Throws `config_invalid` where a placeholder is malformed. */
export function parseCommandLine({ command, args, stdin, parameters: known }: CommandEntry): CommandLine {
  if (command.includes("{{")) throw invalid("`command` can't hold a placeholder: which program runs is fixed")
  const parsedArgs = args.map(parseText)
  const parsedStdin = stdin === undefined ? undefined : parseText(stdin)
  for (const parts of [...parsedArgs, parsedStdin ?? []]) {
    const list = parts.find((part): part is Placeholder => typeof part !== "string" && part.list)
    if (list && (parts === parsedStdin || parts.length > 1)) {
      throw invalid(`{{${list.name}...}} must be a whole argument: it becomes several`)
    }
  }
  const parameters = parametersOf([...parsedArgs.flat(), ...(parsedStdin ?? [])])
  for (const [name, parameter] of parameters) refine(parameter, Object.hasOwn(known, name) ? known[name] : undefined)
  return {
    args: parsedArgs,
    stdin: parsedStdin,
    parameters,
    inputSchema: schemaOf(parameters.values(), known),
  }
}

/** What the entry's own schema says goes before what the placeholder says. */
function refine(parameter: Parameter, schema: JsonObject | undefined): void {
  if (!schema) return
  if (schema.default !== undefined) {
    parameter.default = schema.default as NonNullable<Parameter["default"]>
    parameter.required = false
  }
  const { type, pattern } = schema
  if (parameter.list && type !== undefined && type !== "array") {
    throw invalid(`the schema of "${parameter.name}" must have the type "array", as {{${parameter.name}...}} is a list`)
  }
  // Any other type, or several, is left to the schema: the value is then passed as its text.
  if (!parameter.list && type !== undefined)
    parameter.type = PLACEHOLDER_TYPES.find(known => known === type) ?? "string"
  if (typeof pattern === "string") toPattern(parameter.name, pattern)
}

export interface Invocation {
  args: string[]
  stdin: string | undefined
}

/** Throws `invalid_arguments` for values that are missing or that a program could take for something else. */
export function fillCommandLine(line: CommandLine, given: JsonObject): Invocation {
  const valueFor = (name: string): unknown => {
    const parameter = line.parameters.get(name) as Parameter
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null) {
      if (parameter.required) throw refused(`"${name}" is missing`)
      return parameter.default
    }
    return checked(parameter, value)
  }
  const args: string[] = []
  let optionsEnded = false
  for (const [index, parts] of line.args.entries()) {
    const filled = fillArgument(parts, valueFor, optionsEnded ? undefined : line)
    const whole = parts.length === 1 && typeof parts[0] !== "string"
    // An option goes with its value: `--since` alone would take the next argument for it.
    if (filled.length === 0 && whole && isOption(line.args[index - 1])) args.pop()
    args.push(...filled)
    optionsEnded ||= parts.length === 1 && parts[0] === "--"
  }
  const stdin = line.stdin?.map(part => (typeof part === "string" ? part : toText(valueFor(part.name)))).join("")
  return { args, stdin }
}

function isOption(parts: Part[] | undefined): boolean {
  const [only] = parts ?? []
  return parts?.length === 1 && typeof only === "string" && /^--?[^-]/.test(only)
}

/** None where a placeholder in it has no value; several for a list. `guard` is given where options may still come. */
function fillArgument(parts: Part[], valueFor: (name: string) => unknown, guard: CommandLine | undefined): string[] {
  let text = ""
  for (const part of parts) {
    if (typeof part === "string") {
      text += part
      continue
    }
    const value = valueFor(part.name)
    if (part.list) {
      const items = (value ?? []) as unknown[]
      return items.map(item => (guard ? unlikeOption(guard, part.name, item) : toText(item)))
    }
    if (value === undefined) return []
    text += text === "" && guard ? unlikeOption(guard, part.name, value) : toText(value)
  }
  return [text]
}

/** The text of a value that begins an argument: a caller must not be able to pass options by it. */
function unlikeOption(line: CommandLine, name: string, value: unknown): string {
  const text = toText(value)
  if (!text.startsWith("-") || typeof value === "number") return text
  const { properties } = line.inputSchema as { properties: Record<string, JsonObject> }
  const { items, ...schema } = properties[name] ?? {}
  const { enum: values, pattern } = { ...schema, ...(line.parameters.get(name)?.list && (items as JsonObject)) }
  if (Array.isArray(values) && values.includes(value)) return text
  // A pattern says how a value begins only when it is tied to the beginning.
  if (typeof pattern === "string" && pattern.startsWith("^") && toPattern(name, pattern).test(text)) return text
  throw refused(`"${name}" may not begin with "-": the program could take it for an option`, {
    hint: 'To allow it, put "--" before the placeholder in `args` of toolyard.json, or write --option={{value}}.',
  })
}

function checked({ name, type, list }: Parameter, value: unknown): unknown {
  if (list && !Array.isArray(value)) throw refused(`"${name}" must be a list`)
  const items = list ? (value as unknown[]) : [value]
  for (const item of items) {
    const numeric = type === "integer" ? Number.isInteger(item) : Number.isFinite(item)
    if ((type === "integer" || type === "number") && !numeric) throw refused(`"${name}" must be of type ${type}`)
    if (type === "boolean" && typeof item !== "boolean") throw refused(`"${name}" must be true or false`)
    if (toText(item).includes("\0")) throw refused(`"${name}" holds a NUL character, which no argument can`)
  }
  return value
}

function toPattern(name: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u")
  } catch {
    throw invalid(`the pattern of "${name}" is not a regular expression: ${pattern}`)
  }
}

const invalid = (message: string): YardError => new YardError("config_invalid", message)
const refused = (message: string, options: { hint?: string } = {}): YardError =>
  new YardError("invalid_arguments", message, options)
