/** What is asked for and what comes back, as plain JSON: it crosses the border of the sandbox. */

import { YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"

/** Text as it is, any other bytes as base64. */
export type FetchBody = { text: string } | { base64: string }

export interface FetchRequest {
  url: string
  method?: string
  headers?: [string, string][]
  body?: string | { base64: string }
  /** As in the fetch standard; `manual` gives the redirect itself. */
  redirect?: "follow" | "manual" | "error"
}

export interface FetchResponse {
  status: number
  statusText: string
  /** Where the answer came from, after all redirects, without the fragment. */
  url: string
  redirected: boolean
  /** Names in lower case, in the order they came; a repeated header is there repeatedly. */
  headers: [string, string][]
  /** Decompressed. `text` when, and only when, the bytes are UTF-8 (a byte order mark is kept): nothing is lost. */
  body: FetchBody
}

/** A request that has been looked through. */
export interface Outgoing {
  url: URL
  method: string
  headers: [string, string][]
  body: Buffer | undefined
  redirect: "follow" | "manual" | "error"
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/
const METHODS = /^(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH)$/i
/** They would change whom the request is for, or where it ends on the wire. */
const FORBIDDEN_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/
const MAX_HEADERS = 100
const MAX_HEADER_CHARS = 64_000

/** `unknown` fields inside: the request comes from code that nobody has reviewed. */
export function readRequest(request: FetchRequest, maxBytes: number): Outgoing {
  const { url, method = "GET", headers = [], body, redirect = "follow" } = request
  if (typeof url !== "string" || !URL.canParse(url)) throw wrong("the URL to fetch is not a valid absolute URL")
  if (typeof method !== "string" || !TOKEN.test(method)) throw wrong("the method is not a word")
  if (/^(?:connect|trace|track)$/i.test(method)) {
    throw new YardError("fetch_refused", `the method ${method} may not be used`, { hint: "Use another method." })
  }
  if (redirect !== "follow" && redirect !== "manual" && redirect !== "error") {
    throw wrong('`redirect` is none of "follow", "manual" and "error"')
  }
  const name = METHODS.test(method) ? method.toUpperCase() : method
  const bytes = readBody(body, maxBytes)
  if (bytes && (name === "GET" || name === "HEAD")) throw wrong(`a ${name} request can't have a body`)
  const pairs = readHeaders(headers)
  if (typeof body === "string" && !pairs.some(([key]) => key === "content-type")) {
    pairs.push(["content-type", "text/plain;charset=UTF-8"])
  }
  return { url: new URL(url), method: name, headers: pairs, body: bytes, redirect }
}

function readHeaders(headers: unknown): [string, string][] {
  if (!Array.isArray(headers)) throw wrong("`headers` is not a list of names and values")
  if (headers.length > MAX_HEADERS) throw wrong(`more than ${MAX_HEADERS} headers`)
  let size = 0
  return headers.map((pair: unknown) => {
    const [name, value] = Array.isArray(pair) ? pair : []
    if (typeof name !== "string" || !TOKEN.test(name)) throw wrong("a header has a name that is not allowed in HTTP")
    const key = name.toLowerCase()
    if (FORBIDDEN_HEADERS.test(key)) {
      throw new YardError("fetch_refused", `the header ${key} may not be set`, { hint: "Leave it out." })
    }
    if (typeof value !== "string" || !VALUE.test(value)) {
      throw wrong(`the header ${key} has a value that is not allowed in HTTP`)
    }
    size += name.length + value.length
    if (size > MAX_HEADER_CHARS) throw wrong(`the headers have more than ${MAX_HEADER_CHARS} characters`)
    return [key, value.trim()]
  })
}

function readBody(body: unknown, maxBytes: number): Buffer | undefined {
  if (body === undefined || body === null) return undefined
  let bytes: Buffer
  if (typeof body === "string") bytes = Buffer.from(body)
  else if (isObject(body) && typeof body.base64 === "string" && BASE64.test(body.base64)) {
    bytes = Buffer.from(body.base64, "base64")
  } else throw wrong("the body is neither text nor base64")
  if (bytes.length > maxBytes) throw tooLarge(`the body to send has ${bytes.length} bytes`, maxBytes)
  return bytes
}

export function toBody(bytes: Buffer): FetchBody {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: bytes.toString("base64") }
  }
}

export function tooLarge(what: string, maxBytes: number): YardError {
  return new YardError("limit_result", `${what}; at most ${maxBytes} are passed on`, { data: { maxBytes } })
}

function wrong(message: string): YardError {
  return new YardError("invalid_arguments", `fetch: ${message}`)
}
