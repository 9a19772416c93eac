/** What bytes are: text or not, which kind of picture or sound, and how they stand in an MCP answer. */
import { isUtf8 } from "node:buffer"
import type { JsonObject } from "../../model/json.ts"

export const BINARY = "application/octet-stream"

/** By the first bytes; undefined where they say nothing. */
export function sniffMedia(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString("latin1")
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "image/webp"
  if (head.startsWith("RIFF") && head.startsWith("WAVE", 8)) return "audio/wav"
  if (/^ID3|^\xff[\xfb\xf3\xf2]/.test(head)) return "audio/mpeg"
  return undefined
}

/** The bytes as text, where they are text. */
export function toUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") : undefined
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** A content block for bytes that are no text. */
export function toBlock(bytes: Uint8Array, mimeType = sniffMedia(bytes) ?? BINARY, uri?: string): JsonObject {
  const data = base64(bytes)
  const kind = /^(image|audio)\//.exec(mimeType)?.[1]
  if (kind !== undefined) return { type: kind, data, mimeType }
  // Without a name of its own: the bytes stand in `blob`, so the address need not hold them again.
  return { type: "resource", resource: { uri: uri ?? `data:${mimeType},`, mimeType, blob: data } }
}

/** What `resources/read` gives for bytes: text where they are text, base64 where not. */
export function toContents(uri: string, bytes: Uint8Array, mimeType: string | undefined): JsonObject {
  // A file with a NUL in it is no text, though it may be valid UTF-8.
  const text = bytes.includes(0) ? undefined : toUtf8(bytes)
  if (text !== undefined) return { uri, mimeType: mimeType ?? "text/plain", text }
  return { uri, mimeType: mimeType ?? sniffMedia(bytes) ?? BINARY, blob: base64(bytes) }
}

const BY_EXTENSION: Record<string, string> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  sql: "application/sql",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/x-typescript",
  txt: "text/plain",
  wasm: "application/wasm",
  wav: "audio/wav",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
}

/** By the name's extension; undefined where it says nothing. */
export function mediaTypeOfName(name: string): string | undefined {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}
