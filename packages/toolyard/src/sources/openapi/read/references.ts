/** One walk over a document: which others it refers to, and which of its parts have an address of their own. */
import { isObject } from "../../../model/json.ts"
import type { Description } from "./description.ts"

/** Maps whose keys are names that someone chose, not keywords. */
const NAMED = new Set(["properties", "patternProperties", "schemas", "$defs", "definitions", "parameters", "responses"])

export function collectReferences(description: Description, document: unknown, uri: string): void {
  const { anchors, documents, missing, wanted } = description
  // With a stack and a set: documents may be nested deep, and aliases make them share parts.
  const seen = new Set<object>()
  const stack: [value: unknown, base: string, named: boolean][] = [[document, uri, false]]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [value, outer, named] = next
    if (typeof value !== "object" || value === null || seen.has(value)) continue
    seen.add(value)
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object") stack.push([item, outer, false])
      continue
    }
    if (!isObject(value)) continue
    let base = outer
    if (!named) {
      // A property may be called `$id` or `$ref` as well: there the value is no string.
      if (typeof value.$id === "string" && value !== document) {
        base = resolveUri(value.$id, outer) ?? outer
        if (!documents.has(base)) documents.set(base, value)
      }
      for (const key of ["$anchor", "$dynamicAnchor"]) {
        const name = value[key]
        if (typeof name === "string" && !anchors.has(`${base}#${name}`)) anchors.set(`${base}#${name}`, value)
      }
      if (typeof value.$ref === "string" && !value.$ref.startsWith("#")) {
        const target = resolveUri(value.$ref, base)
        if (target && !documents.has(target) && !missing.has(target)) wanted.add(target)
      }
    }
    for (const key in value) {
      const child = value[key]
      if (typeof child !== "object" || child === null) continue
      if (!named && (key === "example" || key === "examples")) continue
      stack.push([child, base, !named && NAMED.has(key)])
    }
  }
  // An `$id` may stand after what refers to it.
  for (const target of wanted) if (documents.has(target)) wanted.delete(target)
}

/** The address of the document; none when it is no address. */
export function resolveUri(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base)
  if (!url) return undefined
  url.hash = ""
  return url.href
}
