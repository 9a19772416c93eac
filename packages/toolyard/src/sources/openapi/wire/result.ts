/** The answer of an API as the result of a tool. */
import { STATUS_CODES } from "node:http"
import type { Call } from "../../../model/call.ts"
import { isObject, type JsonObject, withRaw } from "../../../model/json.ts"
import { WRAPPED } from "../../../model/mcp.ts"
import type { ToolResult, YardAccess } from "../../../model/source.ts"
import { BINARY, sniffMedia } from "../../static/media.ts"
import type { Delivered } from "./deliver.ts"
import { essenceOf, isJson, isJsonLines, parameterOf } from "./media-type.ts"
import { readAll } from "./read-all.ts"
import type { Secrets } from "./secrets.ts"
import { collectStream } from "./stream.ts"
import { valuesOf } from "./transport.ts"

export interface ResultDeps {
  call: Call
  signal: AbortSignal
  secrets: Secrets
  putBlob: YardAccess["putBlob"]
  /** The tool said that it gives an object. */
  givesObject: boolean
  /** How long to listen to a stream. */
  streamMs: number
}

const MAX_BYTES = 50_000_000
/** Pictures and sound up to this size stand in the answer itself. */
const MAX_INLINE_BYTES = 1_000_000
const MAX_ERROR_CHARS = 4000

export interface Answer {
  status: number
  /** In lower case, without parameters; empty where the server did not say. */
  type: string
  bytes: Buffer
  isCut: boolean
  headers: Delivered["headers"]
  url: string
}

export async function toResult(method: string, response: Delivered, deps: ResultDeps): Promise<ToolResult> {
  const type = typeOf(response)
  const isOk = response.status >= 200 && response.status < 300
  if (isOk && method !== "HEAD" && (type === "text/event-stream" || isJsonLines(type)))
    return streamResult(response, type === "text/event-stream", deps)
  return answerResult(method, await readAnswer(response, deps), deps)
}

export async function readAnswer(response: Delivered, { signal, secrets }: ResultDeps): Promise<Answer> {
  const { status, headers, url } = response
  const { bytes, isCut } = await readAll(response.body, MAX_BYTES).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
  return { status, headers, url, type: typeOf(response), bytes: secrets.redactBytes(bytes), isCut }
}

export async function answerResult(method: string, answer: Answer, deps: ResultDeps): Promise<ToolResult> {
  const { status, bytes, isCut } = answer
  if (isCut) return failure(method, answer, deps, `its answer is larger than ${MAX_BYTES / 1e6} MB`)
  if (status >= 300 && status !== 304) return failure(method, answer, deps)
  if (method === "HEAD") return lines([`${status} ${STATUS_CODES[status] ?? ""}`.trim(), ...shown(answer, deps)], deps)
  if (bytes.length === 0) return lines(["(no content)", ...shown(answer, deps, ["location"])], deps)
  const text = textOf(answer)
  if (text === undefined) return binaryResult(answer, deps)
  const value = isJson(answer.type) || answer.type === "" || deps.givesObject ? parsed(text) : undefined
  if (value !== undefined) return jsonResult(text, value.json, deps.givesObject)
  if (isJson(answer.type)) return failure(method, answer, deps, "it says that it answers with JSON, and this is none")
  if (deps.givesObject)
    return failure(method, answer, deps, `it answered with ${answer.type || "text"} in place of JSON`)
  return { content: [{ type: "text", text }] }
}

/** JSON as it came: in the text, numbers of any length are exact. */
export function jsonResult(text: string, value: unknown, givesObject: boolean): ToolResult {
  const content = [{ type: "text", text }]
  if (!isObject(value)) {
    if (!givesObject) return { content }
    return { content, structuredContent: { result: value }, _meta: { [WRAPPED]: true } }
  }
  const result: ToolResult = { content, structuredContent: value }
  // Beyond what JavaScript's numbers can hold: passed on as it was written.
  if (!/\d{16}/.test(text)) return result
  return withRaw(result, `{"content":${JSON.stringify(content)},"structuredContent":${text.trim()}}`)
}

async function streamResult(response: Delivered, isEvents: boolean, deps: ResultDeps): Promise<ToolResult> {
  const { call, signal, secrets, streamMs } = deps
  const { items, stopped } = await collectStream(response.body, {
    isEvents,
    signal,
    maxMs: streamMs,
    onItem: (item, progress) => {
      if (call.wantsProgress && !call.aborted) call.progress({ progress, message: secrets.redact(item).slice(0, 500) })
    },
  })
  const texts = items.map(item => secrets.redact(item))
  const content = [{ type: "text", text: texts.length === 0 ? "(no content)" : texts.join("\n") }]
  if (stopped !== undefined) content.push({ type: "text", text: `(The stream was ended ${stopped}; it may go on.)` })
  if (!deps.givesObject) return { content }
  return {
    content,
    structuredContent: { result: texts.map(text => parsed(text)?.json ?? text) },
    _meta: { [WRAPPED]: true },
  }
}

async function binaryResult({ bytes, type, headers, url }: Answer, deps: ResultDeps): Promise<ToolResult> {
  const mimeType = type === "" || type === BINARY ? (sniffMedia(bytes) ?? BINARY) : type
  const kind = /^(image|audio)\/(?!svg)/.exec(mimeType)?.[1]
  const structured = deps.givesObject && { structuredContent: {} }
  if (kind !== undefined && bytes.length <= MAX_INLINE_BYTES)
    return { content: [{ type: kind, data: bytes.toString("base64"), mimeType }], ...structured }
  const named = parameterOf(valuesOf(headers, "content-disposition")[0] ?? "", "filename")
  const last = new URL(url).pathname.split("/").pop()
  const link = await toLink(bytes, mimeType, deps.secrets.redact(named || last || "content"), deps)
  return { content: [link], ...structured }
}

async function toLink(bytes: Buffer, mimeType: string, name: string, { putBlob }: ResultDeps): Promise<JsonObject> {
  return { type: "resource_link", uri: `cid://${await putBlob(bytes, mimeType)}`, name, mimeType, size: bytes.length }
}

/** Says who answered what, with as much of the answer as helps; the whole is kept where that is not all. */
async function failure(method: string, answer: Answer, deps: ResultDeps, because?: string): Promise<ToolResult> {
  const { status, bytes, type, url, headers } = answer
  const { origin, pathname } = new URL(url)
  const head = `${method} ${origin}${pathname}: ${status} ${STATUS_CODES[status] ?? ""}`.trim()
  const notes = because === undefined ? [] : [`${because}.`]
  const location = valuesOf(headers, "location")[0]
  if (status < 400 && location !== undefined)
    notes.push(`It redirects to ${location}, which is not followed: another host, or too many times.`)
  const retryAfter = valuesOf(headers, "retry-after")[0]
  if (retryAfter !== undefined) notes.push(`It asks to come back later (Retry-After: ${retryAfter}).`)
  const text = textOf(answer)
  const shown = text === undefined ? `(${bytes.length} bytes of ${type || "unknown type"})` : text.trim()
  const isLong = shown.length > MAX_ERROR_CHARS || (text === undefined && bytes.length > 0)
  const body = shown.length > MAX_ERROR_CHARS ? `${shown.slice(0, MAX_ERROR_CHARS).toWellFormed()}…` : shown
  const said = deps.secrets.redact([head, ...notes, ...(bytes.length > 0 ? ["", body] : [])].join("\n"))
  const link = isLong ? [await toLink(bytes, type || BINARY, "the whole answer", deps)] : []
  return { isError: true, content: [{ type: "text", text: said }, ...link] }
}

function lines(texts: string[], { givesObject }: ResultDeps): ToolResult {
  return { content: [{ type: "text", text: texts.join("\n") }], ...(givesObject && { structuredContent: {} }) }
}

function shown({ headers }: Answer, { secrets }: ResultDeps, only?: string[]): string[] {
  return headers
    .filter(([name]) => (only ? only.includes(name) : name !== "set-cookie"))
    .map(([name, value]) => secrets.redact(`${name}: ${value}`))
}

const typeOf = ({ headers }: { headers: Delivered["headers"] }): string =>
  essenceOf(valuesOf(headers, "content-type")[0] ?? "")

/** By what the bytes are, not by what they are called: many servers send text as octets. */
function textOf({ bytes, type, headers }: Answer): string | undefined {
  if (/^(?:image\/(?!svg)|audio\/|video\/)/.test(type)) return undefined
  const charset = parameterOf(valuesOf(headers, "content-type")[0] ?? "", "charset")
  try {
    const text = new TextDecoder(charset ?? "utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    // An unknown charset, or none of it.
    return isJson(type) || type.startsWith("text/") ? bytes.toString("utf8") : undefined
  }
}

export function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}
