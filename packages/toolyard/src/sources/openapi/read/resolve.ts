/** What a `$ref` stands for, looked up when it is needed: a whole description is never spelled out. */
import { isObject } from "../../../model/json.ts"
import type { Description } from "./description.ts"
import { resolveUri } from "./references.ts"

/** A value, and where it stands: its own references are relative to that. */
export interface Located {
  value: unknown
  uri: string
  /** A JSON pointer; in other documents than the root, with their address before it. */
  at: string
}

const MAX_HOPS = 100

/** Nothing when it leads nowhere. */
export function resolveReference(description: Description, reference: string, from: string): Located | undefined {
  const hash = reference.indexOf("#")
  const uri = hash === 0 ? from : resolveUri(reference, from)
  if (uri === undefined) return undefined
  const fragment = hash === -1 ? "" : decode(reference.slice(hash + 1))
  if (fragment !== "" && !fragment.startsWith("/")) {
    const value = description.anchors.get(`${uri}#${fragment}`)
    return value === undefined ? undefined : { value, uri, at: place(description, uri, fragment) }
  }
  if (!description.documents.has(uri)) return undefined
  let value = description.documents.get(uri)
  let base = uri
  for (const token of fragment.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
    if (isObject(value) && typeof value.$id === "string") base = resolveUri(value.$id, base) ?? base
  }
  return { value, uri: base, at: place(description, uri, fragment) }
}

/** Past all references to what is really there; nothing when they lead nowhere or in a circle. */
export function follow(description: Description, located: Located): Located | undefined {
  let current = located
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isObject(current.value)) return current
    const { $ref } = current.value
    if (typeof $ref !== "string") return current
    const next = resolveReference(description, $ref, current.uri)
    if (!next) return undefined
    current = next
  }
  return undefined
}

/** The part of a value under a key, references followed. */
export function partOf(description: Description, { value, uri, at }: Located, key: string): Located | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
  return follow(description, { value: (value as Record<string, unknown>)[key], uri, at: `${at}/${escapePointer(key)}` })
}

export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1")
}

/** Why a reference leads nowhere, where that is known. */
export function reasonFor(description: Description, reference: string, from: string): string {
  const reason = description.missing.get(resolveUri(reference, from) ?? "")
  return reason === undefined ? "" : ` (${reason})`
}

/** The last part of a pointer, or of a file's name. */
export function nameOf(at: string): string {
  const last =
    at
      .replace(/(?:\.(?:json|ya?ml))?#?$/i, "")
      .split("/")
      .at(-1) ?? ""
  return last.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(-60) || "schema"
}

function place(description: Description, uri: string, fragment: string): string {
  return uri === description.uri ? fragment : `${uri}#${fragment}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
