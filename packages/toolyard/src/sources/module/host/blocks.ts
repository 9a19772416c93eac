/** MCP's content blocks: which values are some already, and how text and bytes become one. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { asBytes } from "./json-value.ts"

/** What must be there for an object to be a block of its type, and not just one that has a `type`. */
const BLOCKS: Record<string, (block: JsonObject) => boolean> = {
  text: ({ text }) => typeof text === "string",
  image: isMedia,
  audio: isMedia,
  resource: ({ resource }) => isObject(resource) && typeof resource.uri === "string",
  resource_link: ({ uri }) => typeof uri === "string",
}

function isMedia({ data, mimeType }: JsonObject): boolean {
  return typeof mimeType === "string" && (typeof data === "string" || asBytes(data) !== undefined)
}

export function isBlock(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    typeof value.type === "string" &&
    (Object.hasOwn(BLOCKS, value.type) && BLOCKS[value.type]?.(value)) === true
  )
}

export function textBlock(text: string): JsonObject {
  return { type: "text", text }
}

/** An image or a sound if that is what the bytes are, else a resource that holds them. */
export function bytesBlock(bytes: Uint8Array, said?: string): JsonObject {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
  const mimeType = mediaTypeOf(bytes) ?? said?.replace(/;.*$/, "").trim() ?? ""
  const kind = /^(image|audio)\//.exec(mimeType)?.[1]
  if (kind) return { type: kind, data, mimeType }
  const type = mimeType || "application/octet-stream"
  return { type: "resource", resource: { uri: `data:${type},`, mimeType: type, blob: data } }
}

function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.length)).toString("latin1")
  if (head.startsWith("\x89PNG\r\n\x1A\n")) return "image/png"
  if (head.startsWith("\xFF\xD8\xFF")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(head)) return "image/webp"
  if (/^RIFF.{4}WAVE/s.test(head)) return "audio/wav"
  // A tag, or the start of a frame of MPEG's layer III.
  if (head.startsWith("ID3") || /^\xFF[\xE2\xE3\xF2\xF3\xFA\xFB]/.test(head)) return "audio/mpeg"
  return undefined
}
