/** The tools of a module: its functions as the types describe them, and what the author says of them at run time. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ToolDefinition } from "../../../model/mcp.ts"
import type { DescribedFunction, ParameterPlan } from "../description.ts"
import type { StandardSchema, ToolContext } from "../tool-context.ts"
import type { Exports } from "./load.ts"
import { bindArguments, type Run } from "./revive.ts"
import { asSchema, isStandardSchema, toInputSchema, toJsonSchema, toOutputSchema } from "./standard-schema.ts"

export interface HostedTool {
  readonly definition: ToolDefinition
  /** The output stands under `result` of an object. */
  readonly wrapped: boolean
  /** What the author's own schemas check; what they give is used from then on. */
  readonly input?: StandardSchema
  readonly output?: StandardSchema
  run(args: unknown, context: ToolContext): unknown
}

/** How authors name the same thing; the first that is there counts. */
const RUN = ["run", "execute"]
const INPUT = ["inputSchema", "input", "parameters"]
const OUTPUT = ["outputSchema", "output"]

export interface ModuleTools {
  readonly tools: Map<string, HostedTool>
  readonly problems: string[]
}

export function collectTools(exports: Exports, described: readonly DescribedFunction[], file: string): ModuleTools {
  const tools = new Map<string, HostedTool>()
  const problems: string[] = []
  const given = exports.get("schemas")
  const schemas = isObject(given) && !runOf(given) ? given : {}
  const known = new Map(described.map(entry => [entry.export, entry]))
  const rest = [...exports.keys()].filter(name => !known.has(name) && !name.startsWith("_"))
  for (const name of [...known.keys(), ...rest]) {
    const value = exports.get(name)
    const own = Object.hasOwn(schemas, name) && isObject(schemas[name]) ? schemas[name] : {}
    const tool = toTool(name, value, own, known.get(name), file)
    if (!tool && known.has(name) && !isObject(value)) problems.push(`${name} is no function, so it is no tool`)
    if (!tool) continue
    const { name: toolName } = tool.definition
    if (tools.has(toolName)) problems.push(`two tools are named ${toolName}; the first is used`)
    else tools.set(toolName, tool)
  }
  return { tools, problems }
}

function toTool(
  name: string,
  value: unknown,
  schemas: JsonObject,
  known: DescribedFunction | undefined,
  file: string,
): HostedTool | undefined {
  const run = runOf(value)
  if (!run) return undefined
  const isFunction = typeof value === "function"
  const said = { ...sayings(value as object), ...schemas }
  const hasInput = pick(said, INPUT) !== undefined
  // A function that only happens to be exported, and that its description leaves out.
  if (!known && isFunction && !hasInput) return undefined
  if (!isFunction && !hasInput && !isMeant(value as object, said, known)) return undefined
  const base = known?.definition ?? { name, inputSchema: { type: "object" } }
  const tool = withSchemas(base, said, known?.wrapped ?? false, file)
  const schema = tool.definition.inputSchema as JsonObject
  const plan = known && (!hasInput || (isFunction && isPositional(known.parameters, schema))) ? known.parameters : WHOLE
  const typed = hasInput ? {} : schema
  return { ...tool, run: bindArguments(run, plan, typed) }
}

/** Much has an `execute`, a connection to a database for one: only what is written as a tool is offered to a model. */
function isMeant(value: object, said: JsonObject, known: DescribedFunction | undefined): boolean {
  const prototype = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  return isPlain && (Object.keys(said).length > 0 || known?.definition.description !== undefined)
}

const WHOLE: ParameterPlan[] = [{ kind: "whole" }, { kind: "context" }]

/** Whether the schema is one of parameters that stand side by side. */
function isPositional(plan: readonly ParameterPlan[], { properties }: JsonObject): boolean {
  const named = plan.filter(part => part.kind === "named")
  return named.length > 0 && isObject(properties) && named.every(({ name }) => Object.hasOwn(properties, name))
}

/** A definition with what the author says at run time, which counts for more than the types. */
export function withSchemas(
  base: JsonObject & { name: string },
  said: JsonObject,
  wrapped: boolean,
  file: string,
): Omit<HostedTool, "run"> {
  const input = asSchema(pick(said, INPUT), file)
  const output = asSchema(pick(said, OUTPUT), file)
  const made = output === undefined ? undefined : toOutputSchema(toJsonSchema(output, "output", file))
  const { outputSchema, ...rest } = base
  const promised = made ? made.outputSchema : outputSchema
  const definition: ToolDefinition = {
    ...rest,
    ...(typeof said.name === "string" && said.name !== "" && { name: said.name }),
    ...(typeof said.title === "string" && { title: said.title }),
    ...(typeof said.description === "string" && { description: said.description }),
    inputSchema:
      input === undefined
        ? toInputSchema(asObject(rest.inputSchema))
        : toInputSchema(toJsonSchema(input, "input", file)),
    ...(promised !== undefined && { outputSchema: promised }),
    ...(isObject(said.annotations) && { annotations: said.annotations }),
  }
  return {
    definition,
    wrapped: made ? made.wrapped : wrapped,
    ...(isStandardSchema(input) && { input }),
    ...(isStandardSchema(output) && { output }),
  }
}

const asObject = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined)

/** What is called: the function itself, or that of an object which is called as its method. */
function runOf(value: unknown): Run | undefined {
  if (typeof value === "function") return value as Run
  const run = isObject(value) ? pick(value, RUN) : undefined
  return typeof run === "function" ? (run.bind(value) as Run) : undefined
}

/** What a function or tool object carries; a function's own `name` says nothing that is not known. */
function sayings(value: object): JsonObject {
  const said: JsonObject = {}
  for (const key of ["name", "title", "description", "annotations", ...INPUT, ...OUTPUT]) {
    if (typeof value === "function" && key === "name") continue
    const found = (value as JsonObject)[key]
    if (found !== undefined) said[key] = found
  }
  return said
}

function pick(said: JsonObject, names: readonly string[]): unknown {
  return names.map(name => said[name]).find(value => value !== undefined)
}
