/** `x-mcp-header`: parameters that a 2026-07-28 client repeats as `Mcp-Param-*` headers, and how values are written there. */
import { isObject, type JsonObject } from "./json.ts"

export interface HeaderDeclaration {
  path: string[]
  header: string
  numeric: boolean
}

/** Properties at any depth, reached through `properties` alone, that carry `x-mcp-header`. */
export function headerDeclarations(schema: unknown, path: string[] = []): HeaderDeclaration[] {
  if (!isObject(schema) || !isObject(schema.properties) || path.length > 32) return []
  const found: HeaderDeclaration[] = []
  for (const [key, property] of Object.entries(schema.properties)) {
    if (!isObject(property)) continue
    const here = [...path, key]
    const header = property["x-mcp-header"]
    if (typeof header === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
      found.push({ path: here, header, numeric: property.type === "integer" || property.type === "number" })
    }
    found.push(...headerDeclarations(property, here))
  }
  return found
}

export function valueAt(args: unknown, path: string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), args)
}

/** A primitive as header text; `undefined` for what has no such form. */
export function headerText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  if (
    typeof value === "number" &&
    Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value))
  ) {
    return String(value)
  }
  return undefined
}

const WRAPPED = /^=\?base64\?(.*)\?=$/s
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Plain visible ASCII stands as it is; anything else is wrapped as `=?base64?…?=`. */
export function encodeHeader(text: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !WRAPPED.test(text)
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
}

/** The value of a header; `undefined` when it is wrapped and not canonical base64 of UTF-8. */
export function decodeHeader(value: string): string | undefined {
  const wrapped = WRAPPED.exec(value)
  if (!wrapped) return value
  const base64 = wrapped[1] as string
  if (!CANONICAL_BASE64.test(base64)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"))
  } catch {
    return undefined
  }
}

/** The `Mcp-Param-*` headers of one call. */
export function paramHeaders(schema: unknown, args: JsonObject): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (const { path, header } of headerDeclarations(schema)) {
    const text = headerText(valueAt(args, path))
    if (text !== undefined) headers[`Mcp-Param-${header}`] = encodeHeader(text)
  }
  return headers
}
