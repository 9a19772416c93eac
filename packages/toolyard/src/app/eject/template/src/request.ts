/** One operation of the API as an HTTP request: from a tool's arguments to the answer. */
import { setTimeout as sleep } from "node:timers/promises"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { toResult } from "./answer.ts"
import type { Auth } from "./auth.ts"
import { type BodyPlan, toBody } from "./body.ts"
import { isGiven, literal, percent, reserved, type Style, toPairs, toSegment, toText } from "./encode.ts"
import { delayBefore, follow, type HttpRequest } from "./send.ts"
import { createRedact, expand } from "./text.ts"

export interface Operation {
  method: string
  /** Where the API is; BASE_URL in the environment goes before it. */
  server: string
  /** `/pets/{id}` */
  path: string
  parameters?: Parameter[]
  body?: BodyPlan
  /** Any of these is enough: the names of schemes that belong together. */
  security?: string[][]
  /** The tool has an output schema, so its result must be an object. */
  givesObject?: true
}

export interface Parameter {
  name: string
  in: "path" | "query" | "header" | "cookie"
  /** The argument that holds it, if it is called otherwise. */
  argument?: string
  /** `form` in queries and cookies, `simple` in paths and headers, unless said. */
  style?: Style
  /** True for `form`, unless said. */
  explode?: boolean
  allowReserved?: true
  /** Sent as this media type instead of by style. */
  content?: string
}

export interface Api {
  auth: Auth
  /** Sent with every request; `${NAME}` is a variable of the environment. */
  headers: Record<string, string>
}

type Args = Record<string, unknown>

const TIMEOUT_MS = 60_000
const REPEATABLE = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** They say whom a request is for and where it ends. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i

export async function callOperation(
  operation: Operation,
  args: Args,
  api: Api,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { security = [], givesObject = false } = operation
  const withoutHeaders = createRedact(Object.values(api.headers))
  const redact = (text: string): string => withoutHeaders(api.auth.redact(text))
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  let renewed = false
  for (let tries = 0; ; tries++) {
    const answer = await follow(await toRequest(operation, args, api), limit)
    if (answer.status === 401 && !renewed && api.auth.forget()) {
      renewed = true
      continue
    }
    const delay = delayBefore(answer, tries)
    if (delay === undefined || !REPEATABLE.has(operation.method)) {
      const help = answer.status === 401 || answer.status === 403 ? api.auth.explain(security) : ""
      return toResult(operation.method, answer, { givesObject, help, redact })
    }
    await sleep(delay, undefined, { signal: limit })
  }
}

async function toRequest(operation: Operation, args: Args, { auth, headers: fixed }: Api): Promise<HttpRequest> {
  const { method, security = [] } = operation
  const grant = await auth.authorize(security)
  const own = toHeaders(operation, args)
  const wanted = own.find(([name]) => name.toLowerCase() === "content-type")?.[1]
  const body = operation.body && toBody(operation.body, args, wanted)
  const headers = new Map<string, string>()
  const set = (name: string, value: string): void => {
    const key = name.toLowerCase()
    const cookies = key === "cookie" ? headers.get(key) : undefined
    headers.set(key, checked(name, cookies === undefined ? value : `${cookies}; ${value}`))
  }
  set("accept", "application/json, */*;q=0.8")
  for (const [name, value] of Object.entries(fixed)) set(name, expand(value))
  for (const [name, value] of own) set(name, value)
  if (body) set("content-type", body.contentType)
  for (const [name, value] of grant.headers) set(name, value)
  return { method, ...toAddress(operation, args, grant.query), headers, body: body?.bytes }
}

function toAddress({ server, path, parameters = [] }: Operation, args: Args, secrets: string[]) {
  const base = new URL(process.env.BASE_URL || expand(server))
  const [template = "", fixed = ""] = path.replace(/#.*$/s, "").split(/\?(.*)/s)
  const filled = template.split("/").map(segment => fillSegment(segment, parameters, args))
  const given = parameters.filter(parameter => parameter.in === "query").flatMap(parameter => toQuery(parameter, args))
  const query = [base.search.slice(1), literal(fixed), ...given, ...secrets].filter(part => part !== "")
  const pathname = base.pathname.replace(/\/+$/, "") + filled.join("/") || "/"
  return { origin: base.origin, path: pathname + (query.length > 0 ? `?${query.join("&")}` : "") }
}

function fillSegment(segment: string, parameters: Parameter[], args: Args): string {
  let isFilled = false
  const parts = segment.split(/(\{[^{}]*\})/).map((part, index) => {
    if (index % 2 === 0) return literal(part)
    const name = part.slice(1, -1).replace(/^[;.+?#&/]|\*$/g, "")
    const parameter = parameters.find(one => one.in === "path" && one.name === name)
    if (!parameter) return percent(part)
    isFilled = true
    const value = args[parameter.argument ?? parameter.name]
    const inPath = (text: string): string => reserved(text).replaceAll("/", "%2F").replaceAll("?", "%3F")
    const encode = parameter.allowReserved ? inPath : percent
    const text = isGiven(value)
      ? (toContent(parameter, value, percent) ?? toSegment(styled(parameter), value, encode))
      : ""
    // An empty one would make it the address of something else.
    if (text === "") throw new Error(`\`${parameter.argument ?? name}\` is part of the path and can't be empty`)
    return text
  })
  const text = parts.join("")
  if (isFilled && /^(?:\.|%2e){1,2}$/i.test(text)) throw new Error(`"${text}" in the path would lead elsewhere`)
  return text
}

function toQuery(parameter: Parameter, args: Args): string[] {
  const value = args[parameter.argument ?? parameter.name]
  const content = value === undefined ? undefined : toContent(parameter, value, percent)
  if (content !== undefined) return [`${percent(parameter.name)}=${content}`]
  if (parameter.content) return []
  const pairs = toPairs(styled(parameter), value, parameter.allowReserved ? reserved : percent, percent)
  return pairs.map(pair => pair.join("="))
}

function toHeaders({ parameters = [] }: Operation, args: Args): [string, string][] {
  const headers: [string, string][] = []
  const cookies: string[] = []
  for (const parameter of parameters) {
    const value = args[parameter.argument ?? parameter.name]
    if (!isGiven(value)) continue
    const { name } = parameter
    if (parameter.in === "header") {
      headers.push([name, toContent(parameter, value) ?? toSegment(styled(parameter), value, text => text)])
    } else if (parameter.in === "cookie") {
      const content = toContent(parameter, value, percent)
      const key = (text: string): string => (HEADER_NAME.test(text) ? text : percent(text))
      const pairs = content === undefined ? toPairs(styled(parameter), value, percent, key) : [[name, content]]
      cookies.push(...pairs.map(pair => pair.join("=")))
    }
  }
  return cookies.length > 0 ? [...headers, ["cookie", cookies.join("; ")]] : headers
}

function styled({ name, in: place, style, explode }: Parameter) {
  const used = style ?? (place === "query" || place === "cookie" ? "form" : "simple")
  return { name, style: used, explode: explode ?? used === "form" }
}

function toContent({ content }: Parameter, value: unknown, encode = (text: string) => text): string | undefined {
  if (content === undefined) return undefined
  return encode(/[/+]json\b/i.test(content) ? JSON.stringify(value) : toText(value))
}

function checked(name: string, value: string): string {
  if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name)) throw new Error(`${name} can't be sent as a header`)
  if (!value.isWellFormed() || /[\0-\x08\x0a-\x1f\x7f]/.test(value))
    throw new Error(`the value for ${name} has a character that a header can't hold`)
  return Buffer.from(value.trim()).toString("latin1")
}
