/** The entry that `toolyard add` is to write, from what was given on the command line. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { splitPair } from "./call-args.ts"

export interface EntryOptions {
  tool?: boolean
  file?: string
  static?: boolean
  openapi?: string
  graphql?: string
  prompt?: string
  url?: string
  sse?: boolean
  header?: string[]
  env?: string[]
  entry?: string
  description?: string
}

/** The ways to say what a server is, each with the options that belong to it. */
const WAYS = {
  command: ["env", "tool"],
  file: ["env"],
  static: [],
  openapi: ["header"],
  graphql: ["header"],
  prompt: [],
  url: ["header", "sse"],
  entry: [],
} satisfies Record<string, (keyof EntryOptions)[]>

type Way = keyof typeof WAYS

export function toEntry(options: EntryOptions, command: string[]): JsonObject {
  const way = wayOf(options, command)
  for (const option of ["header", "env", "sse", "tool"] as const) {
    if (options[option] === undefined || (WAYS[way] as string[]).includes(option)) continue
    const owners = Object.entries(WAYS).filter(([, owned]) => (owned as string[]).includes(option))
    const names = owners.map(([owner]) => (owner === "command" ? "a command" : `--${owner}`))
    throw new YardError("usage", `--${option} belongs to ${names.join(" or ")}`)
  }
  const env = pairs("--env", options.env)
  const headers = pairs("--header", options.header)
  const { description } = options
  return {
    ...shapeOf(way, options, command),
    ...(env && { env }),
    ...(headers && { headers }),
    ...(description !== undefined && { description }),
  }
}

function wayOf(options: EntryOptions, command: string[]): Way {
  const given = (Object.keys(WAYS) as Way[]).filter(way =>
    way === "command" ? command.length > 0 : options[way] !== undefined,
  )
  if (given.length === 1) return given[0] as Way
  const names = given.map(way => (way === "command" ? "a command" : `--${way}`))
  throw new YardError(
    "usage",
    given.length === 0 ? "what is the server?" : `${names.join(" and ")} exclude each other`,
    {
      hint: "Give exactly one: -- COMMAND ARGS…, --file, --url, --static, --openapi, --graphql, --prompt or --entry.",
    },
  )
}

function shapeOf(way: Way, options: EntryOptions, [program, ...args]: string[]): JsonObject {
  const { file = "", url, openapi, graphql, prompt } = options
  switch (way) {
    case "command":
      return { type: options.tool ? "command" : "stdio", command: program, ...(args.length > 0 && { args }) }
    case "file":
      return { type: /\.pyw?$/i.test(file) ? "python" : "module", file }
    case "static":
      return { type: "static", tools: {}, resources: {}, prompts: {} }
    case "openapi":
      return { type: "openapi", spec: openapi }
    case "graphql":
      return { type: "graphql", url: graphql }
    case "prompt":
      return { type: "prompt", prompt }
    case "url":
      return { type: options.sse ? "sse" : "http", url }
    case "entry":
      return parseEntry(options.entry as string)
  }
}

function pairs(option: string, given: string[] = []): Record<string, string> | undefined {
  return given.length === 0 ? undefined : Object.fromEntries(given.map(pair => splitPair(option, pair)))
}

function parseEntry(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // What it says is not repeated: there may be a secret in it.
  }
  if (isObject(value)) return value
  throw new YardError("usage", "--entry is not a JSON object", { hint: 'For example --entry \'{"command": "npx"}\'.' })
}

const SECRET_NAME =
  /token|secret|passw|credential|authorization|cookie|api[-_]?key|access[-_]?key|private[-_]?key|[-_]key$/i
const SECRET_VALUE =
  /^(?:Bearer\s+\S|Basic\s+\S|gh[pousr]_|github_pat_|glpat-|sk-|xox[abposr]-|AKIA[0-9A-Z]{8}|eyJ[\w-]{10})/

/** The names of the values that look as if they should not stand in a file. */
export function secretsIn(entry: JsonObject): string[] {
  const named = [entry.env, entry.headers].flatMap(map => (isObject(map) ? Object.entries(map) : []))
  const secrets = named.flatMap(([name, value]) =>
    typeof value === "string" &&
    value !== "" &&
    !value.includes("${") &&
    (SECRET_NAME.test(name) || SECRET_VALUE.test(value))
      ? [name]
      : [],
  )
  const args = Array.isArray(entry.args) && entry.args.some(arg => typeof arg === "string" && SECRET_VALUE.test(arg))
  return [...secrets, ...(args ? ["an argument"] : []), ...(hasUrlSecret(entry.url) ? ["the URL"] : [])]
}

function hasUrlSecret(url: unknown): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false
  const { password, searchParams } = new URL(url)
  const inQuery = [...searchParams].some(([name, value]) => SECRET_NAME.test(name) && !value.includes("${"))
  return (password !== "" && !url.includes("${")) || inQuery
}
