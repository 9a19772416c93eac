/** Calls what a module exports as a tool with a schema of its own: a function, or an object with `run` or `execute`. */
import { isObject } from "./result.ts"
import { isStandard, type ToolContext, validate } from "./tool-context.ts"

type Values = Record<string, unknown>
type Run = (...args: unknown[]) => unknown

/** `positions`: the parameters by name, where they stand side by side. */
export async function callExport(
  module: object,
  tool: string,
  args: Values,
  context: ToolContext,
  positions?: readonly string[],
): Promise<unknown> {
  const exported = module as Values
  const key = Object.keys(exported).find(name => name === tool || (exported[name] as { name?: unknown })?.name === tool)
  const value = key === undefined ? undefined : exported[key]
  const schemas = isObject(exported.schemas) && isObject(exported.schemas[key ?? ""]) ? exported.schemas[key ?? ""] : {}
  const said = { ...(value as Values), ...(schemas as Values) }
  const run = typeof value === "function" ? (value as Run) : ((value as Values)?.run ?? (value as Values)?.execute)
  if (typeof run !== "function") throw new Error(`the module has no tool ${tool}`)
  const given = await checked(said.inputSchema ?? said.input ?? said.parameters, args, "the arguments do not fit")
  const values = positions ? positions.map(name => (given as Values)[name]) : [given]
  const result = await (run as Run).call(value, ...values, context)
  return checked(said.outputSchema ?? said.output, result, "the result does not fit the tool's own output schema")
}

/** By one schema, or by one for each property; anything else checks nothing here. */
async function checked(schema: unknown, value: unknown, what: string): Promise<unknown> {
  if (isStandard(schema)) return validate(schema, value, what)
  const shape = isObject(schema) ? Object.entries(schema) : []
  if (shape.length === 0 || !shape.every(([, one]) => isStandard(one)) || !isObject(value)) return value
  const made = await Promise.all(
    shape.map(async ([name, one]) => [name, isStandard(one) && (await validate(one, value[name], `${what}: ${name}`))]),
  )
  return Object.fromEntries(made.filter(([, item]) => item !== undefined))
}
