/** Whether a plan can be built: everything that is wrong with it, in words that help the model to put it right. */
import type { Ajv } from "ajv"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { isListed } from "../documents/whitelist.ts"
import type { Plan, PlannedTool } from "../model.ts"
import type { RawPlan, RawTool } from "./schema.ts"

export type CheckedPlan = { plan: Plan } | { problems: string[] }

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/
/** A handler is a file of that name, and these are no file names everywhere. */
const NO_FILE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/
const PLACEHOLDER = /\{[+/?&#.;]?([^{}]*)\}/g
const MAX_TOOLS = 100
const MAX_DESCRIPTION_CHARS = 2000
const MAX_SCHEMA_CHARS = 30_000

export async function checkPlan(raw: RawPlan, whitelist: readonly string[]): Promise<CheckedPlan> {
  const problems: string[] = []
  const tools: PlannedTool[] = []
  const names = new Set<string>()
  const compile = await openCompiler()
  if (raw.tools.length === 0) problems.push("there are no tools in it")
  if (raw.tools.length > MAX_TOOLS)
    problems.push(`there are ${raw.tools.length} tools; at most ${MAX_TOOLS} are useful`)
  for (const one of raw.tools.slice(0, MAX_TOOLS)) {
    const found: string[] = []
    if (!NAME.test(one.name) || NO_FILE.test(one.name)) {
      found.push("the name must begin with a letter, with at most 48 letters, digits and _")
    }
    if (names.has(one.name.toLowerCase())) found.push("the name is there twice")
    names.add(one.name.toLowerCase())
    const tool = readTool(one, found, compile, whitelist)
    problems.push(...found.map(problem => `tool ${JSON.stringify(one.name.slice(0, 60))}: ${problem}`))
    if (tool) tools.push(tool)
  }
  if (problems.length > 0) return { problems }
  return { plan: { description: raw.description.trim().slice(0, MAX_DESCRIPTION_CHARS), tools } }
}

type Compile = (schema: JsonObject) => string | undefined

function readTool(
  raw: RawTool,
  problems: string[],
  compile: Compile,
  whitelist: readonly string[],
): PlannedTool | undefined {
  const description = raw.description.trim()
  if (description === "") problems.push("it has no description")
  if (description.length > MAX_DESCRIPTION_CHARS)
    problems.push(`its description is over ${MAX_DESCRIPTION_CHARS} characters`)
  const inputSchema = readSchema("inputSchema", raw.inputSchema, problems, compile)
  const outputSchema =
    raw.outputSchema == null ? undefined : readSchema("outputSchema", raw.outputSchema, problems, compile)
  if (inputSchema && inputSchema.type === undefined) inputSchema.type = "object"
  if (inputSchema && inputSchema.type !== "object") problems.push('its inputSchema is not of "type": "object"')
  const needsNetwork = raw.needsNetwork || raw.endpoint != null
  const endpoint = raw.endpoint ? readEndpoint(raw.endpoint, inputSchema ?? {}, problems, whitelist) : undefined
  if (needsNetwork && !raw.endpoint) problems.push("it needs the network but has no endpoint")
  if (!inputSchema) return undefined
  return {
    name: raw.name,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    needsNetwork,
    ...(endpoint && { endpoint }),
    ...(raw.notes?.trim() && { notes: raw.notes.trim() }),
  }
}

function readSchema(key: string, text: string, problems: string[], compile: Compile): JsonObject | undefined {
  if (text.length > MAX_SCHEMA_CHARS) {
    problems.push(`its ${key} is over ${MAX_SCHEMA_CHARS} characters`)
    return undefined
  }
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch {
    // Said below.
  }
  if (!isObject(schema)) {
    problems.push(`its ${key} is not the JSON text of an object`)
    return undefined
  }
  const fault = compile(schema)
  if (fault !== undefined) problems.push(`its ${key} is not valid JSON Schema: ${fault}`)
  return schema
}

function readEndpoint(
  { method, url: written }: { method: string; url: string },
  inputSchema: JsonObject,
  problems: string[],
  whitelist: readonly string[],
): { method: string; url: string } {
  const verb = method.trim().toUpperCase()
  if (!METHODS.test(verb))
    problems.push(`${JSON.stringify(method.slice(0, 20))} is not an HTTP method that can be used`)
  const parameters = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []
  // The other common way to write a parameter.
  const url = written.trim().replace(/\/:([A-Za-z_]\w*)(?=[/?#.]|$)/g, "/{$1}")
  const origin = url.match(/^https?:\/\/[^/?#{}\\@\s]+(?=[/?#{]|$)/i)?.[0]
  const host = origin && URL.canParse(origin) && !/^[^/?#]*\/\/[^/?#]*[{}]/.test(url) ? new URL(origin) : undefined
  if (!host)
    problems.push(
      `its endpoint must be a whole http(s) URL whose host is no parameter, not ${JSON.stringify(url.slice(0, 200))}`,
    )
  else if (!isListed(host, whitelist)) {
    const allowed =
      whitelist.length === 0 ? "no host may be reached: make it pure computation" : "use a listed host only"
    problems.push(`its endpoint goes to ${host.host}, which is not allowed; ${allowed}`)
  }
  const named = [...url.matchAll(PLACEHOLDER)].flatMap(([, list = ""]) =>
    list.split(",").map(name => name.replace(/\*$/, "")),
  )
  for (const name of new Set(named)) {
    if (!parameters.includes(name))
      problems.push(`{${name.slice(0, 60)}} in its endpoint is not a property of its inputSchema`)
  }
  return { method: verb, url }
}

async function openCompiler(): Promise<Compile> {
  const options = { strict: false, validateFormats: false, addUsedSchema: false, logger: false as const }
  const [{ default: old }, { default: current }] = await Promise.all([import("ajv"), import("ajv/dist/2020.js")])
  return schema => {
    const isOld = typeof schema.$schema === "string" && /draft-0[4-7]/.test(schema.$schema)
    // A new one each time: schemas with the same `$id` must not meet.
    const ajv: Ajv = isOld ? new old.Ajv(options) : new current.Ajv2020(options)
    try {
      ajv.compile(schema)
      return undefined
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).slice(0, 300)
    }
  }
}
