/** From what an author's `read` and `get` give to the results of `resources/read` and `prompts/get`. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { bytesBlock, isBlock, textBlock } from "./blocks.ts"
import { asBytes, toJsonValue } from "./json-value.ts"

export function toReadResult(value: unknown, uri: string, mimeType: unknown): JsonObject {
  if (isObject(value) && Array.isArray(value.contents))
    return { ...value, contents: value.contents.map(part => toContents(part, uri, mimeType)) }
  if (Array.isArray(value) && value.length > 0 && value.every(isContents))
    return { contents: value.map(part => toContents(part, uri, mimeType)) }
  return { contents: [toContents(value, uri, mimeType)] }
}

/** A text or bytes with or without its URI, not just any object. */
function isContents(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const keys = ["uri", "mimeType", "text", "blob", "_meta"]
  const hasBody = typeof value.text === "string" || typeof value.blob === "string" || asBytes(value.blob) !== undefined
  return hasBody && Object.keys(value).every(key => keys.includes(key))
}

function toContents(value: unknown, uri: string, said: unknown): JsonObject {
  const type = typeof said === "string" ? said : undefined
  if (isContents(value)) return { uri, ...(type && { mimeType: type }), ...(toJsonValue(value) as JsonObject) }
  const bytes = asBytes(value)
  if (bytes) {
    const { data, mimeType, resource } = bytesBlock(bytes) as {
      data?: string
      mimeType?: string
      resource?: JsonObject
    }
    return { uri, mimeType: type ?? mimeType ?? resource?.mimeType, blob: data ?? resource?.blob }
  }
  if (typeof value === "string") return { uri, mimeType: type ?? "text/plain", text: value }
  return { uri, mimeType: type ?? "application/json", text: JSON.stringify(toJsonValue(value) ?? null) }
}

export function toPromptResult(value: unknown): JsonObject {
  if (isObject(value) && Array.isArray(value.messages)) return { ...value, messages: value.messages.map(toMessage) }
  return { messages: (Array.isArray(value) ? value : [value]).map(toMessage) }
}

function toMessage(value: unknown): JsonObject {
  if (isObject(value) && typeof value.role === "string") return { ...value, content: toContent(value.content) }
  return { role: "user", content: toContent(value) }
}

function toContent(value: unknown): JsonObject {
  if (isBlock(value)) return toJsonValue(value) as JsonObject
  const bytes = asBytes(value)
  if (bytes) return bytesBlock(bytes)
  return textBlock(typeof value === "string" ? value : JSON.stringify(toJsonValue(value) ?? null))
}
