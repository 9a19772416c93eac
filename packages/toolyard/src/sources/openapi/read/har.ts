/** A HAR file, what a browser recorded, as an OpenAPI document. No recorded value is taken over: many are secrets. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { parseSample, shapeOf } from "./shape.ts"

export function isHar(value: JsonObject): boolean {
  return isObject(value.log) && Array.isArray(value.log.entries)
}

interface Seen {
  method: string
  origin: string
  path: string
  query: Set<string>
  headers: Set<string>
  bodies: { type: string; sample: unknown; fields: string[]; files: string[] }[]
  answers: unknown[]
}

const MAX_ENTRIES = 20_000
/** Parts of a path that are one of many: numbers, UUIDs, hashes. */
const VARIABLE = /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|(?=[^/]*\d)[A-Za-z0-9_-]{20,})$/i
const BEARER = "bearer"

export function fromHar(har: JsonObject): JsonObject {
  const log = har.log as JsonObject
  const seen = new Map<string, Seen>()
  for (const entry of (log.entries as unknown[]).slice(0, MAX_ENTRIES)) {
    if (isObject(entry) && isObject(entry.request))
      addEntry(entry.request, isObject(entry.response) ? entry.response : {}, seen)
  }
  const schemes: JsonObject = {}
  const paths: Record<string, JsonObject> = Object.create(null)
  for (const one of seen.values()) {
    let place = one.path
    // Several hosts may have the same path.
    for (let i = 2; paths[place]?.[one.method] !== undefined; i++) place = `${one.path}#${i}`
    paths[place] = { ...paths[place], [one.method]: toOperation(one, schemes) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Recorded API", version: "1" },
    paths: { ...paths },
    components: { securitySchemes: schemes },
  }
}

function addEntry(request: JsonObject, response: JsonObject, seen: Map<string, Seen>): void {
  const url = typeof request.url === "string" ? URL.parse(request.url) : null
  const method = String(request.method ?? "GET").toLowerCase()
  if (!url || !/^https?:$/.test(url.protocol) || !/^(?:get|put|post|patch|delete|head)$/.test(method)) return
  const content = isObject(response.content) ? response.content : {}
  const isJson = /[/+]json\b/i.test(String(content.mimeType))
  // Pages, pictures and scripts are no API.
  if (method === "get" && !isJson) return
  const path = templateOf(url.pathname)
  const key = `${method} ${url.origin} ${path}`
  const one: Seen = seen.get(key) ?? {
    method,
    origin: url.origin,
    path,
    query: new Set(),
    headers: new Set(),
    bodies: [],
    answers: [],
  }
  seen.set(key, one)
  for (const name of url.searchParams.keys()) one.query.add(name)
  for (const header of Array.isArray(request.headers) ? request.headers : []) {
    if (isObject(header)) one.headers.add(`${String(header.name).toLowerCase()}: ${schemeWord(header)}`)
  }
  if (isObject(request.postData)) one.bodies.push(bodyOf(request.postData))
  const status = Number(response.status)
  const answer = isJson && status >= 200 && status < 300 ? parseSample(content.text) : undefined
  if (answer) one.answers.push(answer.value)
}

function schemeWord(header: JsonObject): string {
  return /^(bearer|basic)\s/i.exec(String(header.value))?.[1]?.toLowerCase() ?? ""
}

function templateOf(pathname: string): string {
  let count = 0
  return pathname
    .split("/")
    .map((part, index, parts) => {
      if (!VARIABLE.test(part)) return part.replace(/[{}]/g, "_")
      const before = parts.slice(0, index).findLast(other => !VARIABLE.test(other) && other !== "")
      return `{${(before ?? "item").replace(/[^A-Za-z0-9]+/g, "_").replace(/s$/, "")}Id${count++ === 0 ? "" : count}}`
    })
    .join("/")
}

function bodyOf(data: JsonObject): Seen["bodies"][number] {
  const type =
    String(data.mimeType ?? "")
      .split(";")[0]!
      .trim() || "text/plain"
  const params = (Array.isArray(data.params) ? data.params : []).filter(isObject)
  const isForm = /form/i.test(type)
  const text = typeof data.text === "string" ? data.text : ""
  const named =
    params.length > 0 ? params.map(param => String(param.name)) : [...new URLSearchParams(isForm ? text : "").keys()]
  const files = params.filter(param => param.fileName !== undefined).map(param => String(param.name))
  return { type, sample: parseSample(text)?.value, fields: isForm ? named : [], files }
}

function toOperation(one: Seen, schemes: JsonObject): JsonObject {
  const [body] = one.bodies
  return {
    servers: [{ url: one.origin }],
    parameters: [...one.query].map(name => ({ name, in: "query", schema: { type: "string" } })),
    security: securityOf(one, schemes),
    ...(body && { requestBody: { content: { [body.type]: { schema: bodySchema(one) } } } }),
    responses:
      one.answers.length === 0 ? {} : { 200: { content: { "application/json": { schema: shapeOf(one.answers) } } } },
  }
}

function bodySchema({ bodies }: Seen): JsonObject {
  const { type } = bodies[0]!
  const same = bodies.filter(body => body.type === type)
  if (/json/i.test(type)) return shapeOf(same.map(({ sample }) => sample).filter(sample => sample !== undefined))
  if (!/form/i.test(type)) return { type: "string" }
  const files = new Set(same.flatMap(body => body.files))
  const fields = [...new Set(same.flatMap(body => body.fields))]
  const schemaOf = (name: string) => ({ type: "string", ...(files.has(name) && { format: "binary" }) })
  return { type: "object", properties: Object.fromEntries(fields.map(name => [name, schemaOf(name)])) }
}

function securityOf({ headers }: Seen, schemes: JsonObject): JsonObject[] {
  for (const header of headers) {
    const [name = "", word = ""] = header.split(": ")
    if (name === "authorization") {
      const scheme = word === "basic" ? "basic" : BEARER
      schemes[scheme] = { type: "http", scheme }
      return [{ [scheme]: [] }]
    }
    if (/api-?key|auth-?token|access-?token/.test(name)) {
      schemes[name] = { type: "apiKey", in: "header", name }
      return [{ [name]: [] }]
    }
  }
  return []
}
