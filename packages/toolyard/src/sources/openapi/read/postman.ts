/** A Postman collection (v2.0, v2.1) as an OpenAPI document: each request is an operation. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { entriesOf, lookUp, schemeOf } from "./postman-auth.ts"
import { formOf, textOf } from "./postman-body.ts"
import { parseSample, shapeOf } from "./shape.ts"

const MAX_REQUESTS = 5000
/** What is sent by other means. */
const OWN_HEADERS = /^(?:authorization|content-type|content-length|accept|host|user-agent|cookie|connection)$/i
/** What may be a secret is no example. */
const SECRET = /key|token|secret|passw|auth|session|credential/i

export function isPostman(value: JsonObject): boolean {
  const schema = isObject(value.info) ? value.info.schema : undefined
  return Array.isArray(value.item) && typeof schema === "string" && /getpostman|postman\.com/.test(schema)
}

interface Context {
  variables: Map<string, string>
  schemes: JsonObject
  paths: Record<string, JsonObject>
  /** A request tells of its own auth, or a folder of that of all its requests. */
  auth: unknown
  tags: string[]
}

export function fromPostman(collection: JsonObject): JsonObject {
  const info = isObject(collection.info) ? collection.info : {}
  const context: Context = {
    variables: new Map(entriesOf(collection.variable).map(([name, value]) => [name, value])),
    schemes: {},
    paths: Object.create(null),
    auth: collection.auth,
    tags: [],
  }
  addItems(collection.item, context, { left: MAX_REQUESTS })
  return {
    openapi: "3.1.0",
    info: { title: info.name, version: "1", description: textOf(info.description) },
    paths: { ...context.paths },
    components: { securitySchemes: context.schemes },
  }
}

function addItems(items: unknown, context: Context, count: { left: number }, depth = 0): void {
  if (!Array.isArray(items) || depth > 30) return
  for (const item of items) {
    if (!isObject(item)) continue
    if (Array.isArray(item.item)) {
      const tags = typeof item.name === "string" ? [item.name] : context.tags
      addItems(item.item, { ...context, tags, auth: item.auth ?? context.auth }, count, depth + 1)
    } else if (item.request !== undefined && count.left-- > 0) addRequest(item, context)
  }
}

function addRequest(item: JsonObject, context: Context): void {
  const request: JsonObject = isObject(item.request) ? item.request : { url: item.request, method: "GET" }
  const { server, path, query } = addressOf(request.url, context)
  const method = String(request.method ?? "GET").toLowerCase()
  const name = typeof item.name === "string" ? item.name : undefined
  // The same request may be there several times, with other samples: what follows `#` keeps them apart.
  let place = path
  for (let i = 2; context.paths[place]?.[method] !== undefined; i++) place = `${path}#${i}`
  const headers = entriesOf(request.header).filter(([header]) => !OWN_HEADERS.test(header))
  const auth = schemeOf(request.auth ?? context.auth)
  if (auth) context.schemes[auth.name] = auth.scheme
  const body = bodyOf(request.body)
  const operation: JsonObject = {
    ...(name !== undefined && { operationId: name, summary: name }),
    description: textOf(request.description),
    ...(context.tags.length > 0 && { tags: context.tags }),
    ...(server !== undefined && { servers: [server] }),
    security: auth ? [{ [auth.name]: [] }] : [],
    parameters: [
      ...query.map(([name, value, description]) => parameter(name, "query", value, description)),
      ...headers.map(([name, value, description]) => parameter(name, "header", value, description)),
    ],
    ...(body && { requestBody: body }),
    responses: responsesOf(item.response),
  }
  context.paths[place] = { ...context.paths[place], [method]: operation }
}

function parameter(name: string, place: string, value: string, description?: string): JsonObject {
  const isOpen = value === "" || value.includes("{{") || SECRET.test(name)
  return { name, in: place, description, schema: { type: "string", ...(!isOpen && { example: value }) } }
}

function addressOf(url: unknown, { variables }: Context) {
  const raw = (isObject(url) ? url.raw : url) ?? ""
  const parts = isObject(url) ? url : {}
  const text = typeof raw === "string" && raw !== "" ? raw : joined(parts)
  const [address = "", search = ""] = text.split("#")[0]!.split(/\?(.*)/s)
  const [, start = "", rest = ""] = /^((?:\w+:\/\/|\{\{)?[^/]*)(.*)$/s.exec(address) ?? []
  // `{{baseUrl}}` is looked up; what is unknown becomes a variable of the server.
  const known = lookUp(start, variables)
  const home = /^\w+:\/\/|^\{\{/.test(known) ? known : `https://${known}`
  const names = [...home.matchAll(/\{\{([^{}]+)\}\}/g)].map(match => match[1]!)
  const server =
    known === ""
      ? undefined
      : { url: home.replace(/\{\{|\}\}/g, brace => brace[0]!), variables: Object.fromEntries(names.map(n => [n, {}])) }
  const path = (rest || "/").replace(/\/:([\w-]+)/g, "/{$1}").replace(/\{\{([^{}]+)\}\}/g, "{$1}")
  const pairs = search
    .split("&")
    .filter(pair => pair !== "")
    .map(pair => pair.split(/=(.*)/s))
  const query = Array.isArray(parts.query)
    ? entriesOf(parts.query)
    : pairs.map(([name = "", value = ""]) => [name, value] as [string, string])
  return { server, path, query: query as [string, string, string?][] }
}

function joined(url: JsonObject): string {
  const list = (value: unknown, mark: string) =>
    Array.isArray(value) ? value.map(String).join(mark) : String(value ?? "")
  return `${String(url.protocol ?? "https")}://${list(url.host, ".")}/${list(url.path, "/")}`
}

function bodyOf(body: unknown): JsonObject | undefined {
  if (!isObject(body) || body.disabled === true) return undefined
  if (body.mode === "urlencoded" || body.mode === "formdata") return formOf(body)
  if (body.mode === "graphql") {
    const properties = { query: { type: "string" }, variables: { type: "object" } }
    return content("application/json", { type: "object", properties, required: ["query"] })
  }
  if (body.mode === "file") return content("application/octet-stream", { type: "string", format: "binary" })
  if (typeof body.raw !== "string" || body.raw.trim() === "") return undefined
  // Placeholders stand where values would, with quotes or without.
  const sample = parseSample(body.raw) ?? parseSample(body.raw.replace(/\{\{[^{}]*\}\}/g, "0"))
  if (!sample) return content("text/plain", { type: "string" })
  const isOpen = body.raw.includes("{{") || SECRET.test(body.raw)
  const schema = shapeOf([sample.value])
  return { content: { "application/json": { schema, ...(!isOpen && { example: sample.value }) } } }
}

function content(type: string, schema: JsonObject): JsonObject {
  return { content: { [type]: { schema } } }
}

function responsesOf(responses: unknown): JsonObject {
  const good = (Array.isArray(responses) ? responses : []).filter(
    (response): response is JsonObject => isObject(response) && /^2/.test(String(response.code)),
  )
  const samples = good.flatMap(response => parseSample(response.body) ?? [])
  if (samples.length === 0) return {}
  return { 200: { content: { "application/json": { schema: shapeOf(samples.map(({ value }) => value)) } } } }
}
