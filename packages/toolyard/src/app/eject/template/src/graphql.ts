/** A query or a mutation as a request: from a tool's arguments to what the server gives. */
import { setTimeout as sleep } from "node:timers/promises"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { toResult } from "./answer.ts"
import { isObject } from "./encode.ts"
import { delayBefore, follow, type HttpRequest } from "./send.ts"
import { createRedact, expand } from "./text.ts"

export interface Field {
  kind: "query" | "mutation"
  field: string
  /** Types of the arguments as GraphQL writes them. */
  variables?: Record<string, string>
  /** What is asked for when the caller does not say. */
  selection?: string
  /** The argument by which the caller says. */
  select?: string
}

export interface Endpoint {
  /** BASE_URL in the environment goes before it. */
  url: string
  /** Sent with every request; `${NAME}` is a variable of the environment. */
  headers: Record<string, string>
}

type Values = Record<string, unknown>

const TIMEOUT_MS = 60_000

export async function callField(
  field: Field,
  args: Values,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const request = toRequest(field, args, endpoint)
  const redact = createRedact(Object.values(endpoint.headers))
  for (let tries = 0; ; tries++) {
    const answer = await follow(request, limit)
    const delay = field.kind === "query" ? delayBefore(answer, tries) : undefined
    if (delay !== undefined) {
      await sleep(delay, undefined, { signal: limit })
      continue
    }
    const body = parsed(redact(answer.bytes.toString()))
    if (isObject(body) && ("data" in body || Array.isArray(body.errors))) return toFieldResult(field.field, body)
    return { ...toResult("POST", answer, { givesObject: false, redact }), isError: true }
  }
}

function toRequest(field: Field, args: Values, { url, headers }: Endpoint): HttpRequest {
  const { origin, pathname, search } = new URL(process.env.BASE_URL || expand(url))
  const given = Object.keys(field.variables ?? {}).filter(name => args[name] !== undefined)
  const variables = Object.fromEntries(given.map(name => [name, args[name]]))
  const body = JSON.stringify({ query: toDocument(field, args), variables, operationName: field.field })
  const own = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), expand(value)])
  const accept = "application/graphql-response+json, application/json;q=0.9"
  return {
    method: "POST",
    origin,
    path: pathname + search,
    headers: new Map([["accept", accept], ...own, ["content-type", "application/json"]]),
    body: Buffer.from(body),
  }
}

/** Only what was given is named: for the rest the server's own defaults hold. */
function toDocument({ kind, field, variables = {}, selection = "", select }: Field, args: Values): string {
  const given = Object.entries(variables).filter(([name]) => args[name] !== undefined)
  const around = (parts: string[]): string => (parts.length === 0 ? "" : `(${parts.join(", ")})`)
  const declared = around(given.map(([name, type]) => `$${name}: ${type}`))
  const passed = around(given.map(([name]) => `${name}: $${name}`))
  const wanted = select !== undefined && typeof args[select] === "string" ? args[select].trim() : ""
  const chosen = wanted === "" ? selection : toSelection(wanted)
  return `${kind} ${field}${declared} { ${field}${passed} ${chosen} }`
}

/** One selection and nothing more: what ends it early would be a document of the caller's own. */
function toSelection(text: string): string {
  const whole = text.startsWith("{") ? text : `{ ${text} }`
  const plain = whole.replace(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g, "").replace(/#.*$/gm, "")
  let depth = 0
  for (const [index, mark] of [...plain].entries()) {
    if (mark === "{") depth++
    if (mark === "}") depth--
    if (depth === 0 && plain.slice(index + 1).trim() !== "") throw new Error("the selection ends before its end")
    if (depth === 0) return whole.replace(/#.*$/gm, "").replace(/\s+/g, " ")
  }
  throw new Error("the selection is never closed with }")
}

/** Errors may come with data. */
function toFieldResult(field: string, { data, errors }: Values): CallToolResult {
  const value = isObject(data) ? (data[field] ?? null) : null
  const said = (Array.isArray(errors) ? errors : []).map(toLine).join("\n")
  if (said !== "" && value === null) return { isError: true, content: [{ type: "text", text: said }] }
  const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(value) }]
  if (said !== "") content.push({ type: "text", text: `(Not all of it could be had:\n${said})` })
  return { content, ...(isObject(value) && { structuredContent: value }) }
}

function toLine(error: unknown): string {
  if (!isObject(error)) return String(error)
  const path = Array.isArray(error.path) && error.path.length > 0 ? ` (at ${error.path.join(".")})` : ""
  const code =
    isObject(error.extensions) && typeof error.extensions.code === "string" ? `${error.extensions.code}: ` : ""
  return `${code}${String(error.message ?? "unknown error")}${path}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
