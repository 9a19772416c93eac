/** The entry that `toolyard add` is to write, from what was given on the command line. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { splitPair } from "./call-args.ts"

export interface EntryOptions {
  url?: string
  sse?: boolean
  header?: string[]
  env?: string[]
  entry?: string
  description?: string
}

export function toEntry(options: EntryOptions, command: string[]): JsonObject {
  const { url, sse, description } = options
  const ways = [command.length > 0, url !== undefined, options.entry !== undefined].filter(Boolean).length
  if (ways !== 1)
    throw new YardError(
      "usage",
      ways === 0 ? "what is the server?" : "a command, --url and --entry exclude each other",
      {
        hint: "Give exactly one: -- COMMAND ARGS…, --url URL or --entry JSON.",
      },
    )
  const env = pairs("--env", options.env)
  const headers = pairs("--header", options.header)
  if (url === undefined && headers) throw new YardError("usage", "--header belongs to --url")
  if (url === undefined && sse) throw new YardError("usage", "--sse belongs to --url")
  if (command.length === 0 && env) throw new YardError("usage", "--env belongs to a command")
  const about = description === undefined ? {} : { description }
  if (options.entry !== undefined) return { ...parseEntry(options.entry), ...about }
  if (url !== undefined) return { type: sse ? "sse" : "http", url, ...(headers && { headers }), ...about }
  const [program, ...args] = command
  return { type: "stdio", command: program, ...(args.length > 0 && { args }), ...(env && { env }), ...about }
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
