/** Whatever a function gives, as the result of a tool. */
import type { CallToolResult } from "@modelcontextprotocol/server"

type Block = CallToolResult["content"][number]

export interface Promised {
  /** The tool has an output schema. */
  hasSchema?: boolean
  /** What the function gives is no object, and stands under `result` of one. */
  wrapped?: boolean
}

export async function toResult(
  given: unknown,
  { hasSchema = false, wrapped = false }: Promised = {},
): Promise<CallToolResult> {
  const { value, text, type, failed } = await collect(given)
  if (failed || value instanceof Error) {
    return { isError: true, content: [{ type: "text", text: value instanceof Error ? value.message : String(value) }] }
  }
  if (isResult(value, hasSchema)) return toJson(value) as CallToolResult
  if (!hasSchema && isBlock(value)) return { content: [toJson(value) as Block] }
  if (!hasSchema && Array.isArray(value) && value.length > 0 && value.every(isBlock))
    return { content: toJson(value) as Block[] }
  if (value === undefined)
    return {
      content: [],
      ...(wrapped ? { structuredContent: { result: null } } : hasSchema && { structuredContent: {} }),
    }
  const bytes = bytesOf(value)
  const json = toJson(value)
  const shown = text ?? (typeof json === "string" ? json : JSON.stringify(json))
  const content: Block[] = [bytes ? toBlock(bytes, type) : { type: "text", text: shown }]
  if (wrapped) return { content, structuredContent: { result: json } }
  return { content, ...(isObject(json) && { structuredContent: json }) }
}

interface Collected {
  value: unknown
  /** The whole as a text, where it came as pieces of one. */
  text?: string
  type?: string
  failed?: boolean
}

/** Responses, streams and generators are read to their end. */
async function collect(value: unknown): Promise<Collected> {
  if (value instanceof Response) {
    const type = value.headers.get("content-type") ?? ""
    const bytes = Buffer.from(await value.arrayBuffer())
    if (!value.ok)
      return { value: `HTTP ${value.status} ${value.statusText}\n${bytes.toString()}`.trim(), failed: true }
    if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) return { value: JSON.parse(bytes.toString()) }
    return /^text\/|xml|javascript|yaml/.test(type) ? { value: bytes.toString() } : { value: bytes, type }
  }
  if (value instanceof Blob) return { value: Buffer.from(await value.arrayBuffer()), type: value.type }
  const { [Symbol.asyncIterator]: async, next } = (isObject(value) ? value : {}) as Partial<AsyncGenerator>
  if (typeof async !== "function" && typeof next !== "function") return { value }
  const items: unknown[] = []
  for await (const item of value as AsyncIterable<unknown>) items.push(item)
  const isText = items.length > 0 && items.every(item => typeof item === "string")
  return { value: items, ...(isText && { text: items.join("") }) }
}

/** A copy made of nothing but JSON: dates, maps, sets and bytes in their JSON forms. */
export function toJson(value: unknown): unknown {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    const inner = this[key]
    const bytes = bytesOf(inner)
    if (bytes) return bytes.toString("base64")
    if (typeof inner === "bigint") return Number.isSafeInteger(Number(inner)) ? Number(inner) : String(inner)
    if (inner instanceof Map) return Object.fromEntries(inner)
    if (inner instanceof Set || ArrayBuffer.isView(inner)) return [...(inner as Iterable<unknown>)]
    if (inner instanceof RegExp) return String(inner)
    return inner instanceof Error ? { name: inner.name, message: inner.message } : shown
  })
  if (text === undefined) throw new Error(`the tool gave a ${typeof value}, which is no JSON`)
  return JSON.parse(text)
}

function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined
}

function toBlock(bytes: Buffer, said = ""): Block {
  const head = bytes.toString("latin1", 0, 16)
  const known = [
    [/^\x89PNG\r\n\x1a\n/, "image/png"],
    [/^\xff\xd8\xff/, "image/jpeg"],
    [/^GIF8[79]a/, "image/gif"],
    [/^RIFF.{4}WEBP/s, "image/webp"],
    [/^RIFF.{4}WAVE/s, "audio/wav"],
    [/^ID3|^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/, "audio/mpeg"],
  ] as const
  const mimeType = known.find(([pattern]) => pattern.test(head))?.[1] ?? (said || "application/octet-stream")
  const data = bytes.toString("base64")
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return { type: "resource", resource: { uri: `data:${mimeType},`, mimeType, blob: data } }
}

const RESULT_KEYS = new Set(["content", "isError", "structuredContent", "_meta"])

/** A whole result as MCP has it. */
function isResult(value: unknown, hasSchema: boolean): boolean {
  if (!isObject(value) || !Array.isArray(value.content) || !value.content.every(isBlock)) return false
  if (!Object.keys(value).every(key => RESULT_KEYS.has(key))) return false
  return !hasSchema || isObject(value.structuredContent) || value.isError === true
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, text, data, mimeType, resource, uri } = value
  if (type === "text") return typeof text === "string"
  if (type === "image" || type === "audio") return data !== undefined && typeof mimeType === "string"
  return type === "resource" ? isObject(resource) : type === "resource_link" && typeof uri === "string"
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
