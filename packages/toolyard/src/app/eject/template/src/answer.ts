/** The answer of an API as the result of a tool. */
import { type IncomingHttpHeaders, STATUS_CODES } from "node:http"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { mediaTypeOf } from "./body.ts"
import { isObject } from "./encode.ts"

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  url: string
}

export interface ResultOptions {
  /** The tool has an output schema, so its result must be an object. */
  givesObject: boolean
  /** Takes secrets out of a text. */
  redact(text: string): string
  /** What the caller can do when the API says no. */
  help?: string
}

const MAX_ERROR_CHARS = 4000

export function toResult(method: string, answer: Answer, options: ResultOptions): CallToolResult {
  const { givesObject, redact, help = "" } = options
  const { status, headers, bytes } = answer
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()
  const text = textOf(bytes, type)
  const failed = (because: string): CallToolResult => failure(method, answer, text, because, redact)
  if (status >= 300 && status !== 304) return failed(help)
  const plain = (lines: string[]): CallToolResult => ({
    content: [{ type: "text", text: redact(lines.join("\n")) }],
    ...(givesObject && { structuredContent: {} }),
  })
  if (method === "HEAD") {
    const shown = Object.entries(headers).filter(([name]) => name !== "set-cookie")
    return plain([
      `${status} ${STATUS_CODES[status] ?? ""}`.trim(),
      ...shown.map(([name, value]) => `${name}: ${value}`),
    ])
  }
  if (bytes.length === 0) return plain(["(no content)", ...(headers.location ? [`location: ${headers.location}`] : [])])
  if (text === undefined) return { content: [toBlock(bytes, type)], ...(givesObject && { structuredContent: {} }) }
  const isJson = /^(?:application|text)\/(?:.+\+)?json$/.test(type)
  const value = isJson || type === "" || givesObject ? parsed(redact(text)) : undefined
  const content: CallToolResult["content"] = [{ type: "text", text: redact(text) }]
  if (value) {
    if (isObject(value.json)) return { content, structuredContent: value.json }
    return { content, ...(givesObject && { structuredContent: { result: value.json } }) }
  }
  if (isJson) return failed("It says that it answers with JSON, and this is none.")
  if (givesObject) return failed(`It answered with ${type || "text"} in place of JSON.`)
  return { content }
}

function failure(
  method: string,
  { status, url, bytes, headers }: Answer,
  text: string | undefined,
  because: string,
  redact: ResultOptions["redact"],
): CallToolResult {
  const { origin, pathname } = new URL(url)
  const body = text?.trim() ?? `(${bytes.length} bytes)`
  const lines = [
    `${method} ${origin}${pathname}: ${status} ${STATUS_CODES[status] ?? ""}`.trim(),
    because,
    status < 400 && headers.location ? `It redirects to ${headers.location}, which is not followed.` : "",
    headers["retry-after"] ? `It asks to come back later (Retry-After: ${headers["retry-after"]}).` : "",
    body.length > MAX_ERROR_CHARS ? `${body.slice(0, MAX_ERROR_CHARS).toWellFormed()}…` : body,
  ]
  const shown = redact(lines.filter(line => line !== "").join("\n"))
  return { isError: true, content: [{ type: "text", text: shown }] }
}

function toBlock(bytes: Buffer, type: string): CallToolResult["content"][number] {
  const mimeType = type === "" || type === "application/octet-stream" ? mediaTypeOf(bytes) : type
  const data = bytes.toString("base64")
  if (/^image\/(?!svg)/.test(mimeType)) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return { type: "resource", resource: { uri: `data:${mimeType},`, mimeType, blob: data } }
}

/** By what the bytes are, not by what they are called: many servers send text as octets. */
function textOf(bytes: Buffer, type: string): string | undefined {
  if (/^(?:image\/(?!svg)|audio\/|video\/)/.test(type)) return undefined
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}
