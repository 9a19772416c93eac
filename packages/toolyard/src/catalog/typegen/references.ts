/** Finds what a `$ref` points to, within its own document: by JSON pointer, `$anchor` or `$id`. Nothing is fetched. */
import { isObject, type JsonObject } from "../../model/json.ts"

export type Resolve = (ref: string) => unknown

/** `undefined` for what is not there. */
export function createResolver(root: unknown): Resolve {
  // Most documents use pointers only, so the search for names is put off.
  let named: Map<string, unknown> | undefined
  const known = new Map<string, unknown>()
  return ref => {
    if (!known.has(ref)) known.set(ref, resolve(ref))
    return known.get(ref)
  }

  function resolve(ref: string): unknown {
    const hash = ref.indexOf("#")
    const address = hash === -1 ? ref : ref.slice(0, hash)
    const fragment = hash === -1 ? "" : decode(ref.slice(hash + 1))
    if (address === "" && (fragment === "" || fragment.startsWith("/"))) return follow(root, fragment)
    named ??= indexNames(root)
    const start = address === "" ? root : (named.get(address) ?? named.get(absolute(address, root)))
    if (fragment === "" || fragment.startsWith("/")) return follow(start, fragment)
    return start === undefined ? undefined : named.get(`#${fragment}`)
  }
}

function follow(start: unknown, pointer: string): unknown {
  let target = start
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined
    target = (target as JsonObject)[key]
  }
  return target
}

function indexNames(root: unknown): Map<string, unknown> {
  const names = new Map<string, unknown>()
  const add = (name: string, schema: unknown) => {
    if (!names.has(name)) names.set(name, schema)
  }
  const seen = new Set<unknown>()
  const queue = [root]
  for (const value of queue) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue
    seen.add(value)
    if (isObject(value)) {
      const { $id, $anchor, $dynamicAnchor } = value
      for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === "string") add(`#${anchor}`, value)
      if (typeof $id === "string") {
        const plain = $id.endsWith("#") ? $id.slice(0, -1) : $id
        add(plain, value)
        if (!plain.startsWith("#")) add(absolute(plain, root), value)
      }
    }
    for (const inner of Object.values(value)) queue.push(inner)
  }
  return names
}

function absolute(address: string, root: unknown): string {
  const base = isObject(root) && typeof root.$id === "string" ? root.$id : undefined
  return URL.parse(address, base)?.href ?? address
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
