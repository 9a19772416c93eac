/** Names that every client takes, no two the same, and the same again for the same description. */
import { createHash } from "node:crypto"

/** Hubs put the server's name before it, and 64 is what the strictest models take. */
export const MAX_NAME = 56

export interface Named {
  id: string | undefined
  method: string
  path: string
}

export function toToolName({ id, method, path }: Named, taken: ReadonlySet<string>): string {
  const own = id === undefined ? "" : fit(legal(id))
  if (own !== "" && !taken.has(own)) return own
  const byPath = fit(`${method.toLowerCase()}_${pathWords(path)}`)
  if (!taken.has(byPath)) return byPath
  for (let i = 2; ; i++) {
    const name = `${(own || byPath).slice(0, MAX_NAME - String(i).length - 1)}_${i}`
    if (!taken.has(name)) return name
  }
}

/** Property names that every client takes; the same again for the same parameters. */
export function toArgumentName(name: string, place: string, taken: ReadonlySet<string>): string {
  const base = /^[A-Za-z0-9_.-]{1,60}$/.test(name) && name !== "__proto__" ? name : legalArgument(name)
  if (!taken.has(base)) return base
  const placed = `${base.slice(0, 50)}_${place}`
  if (!taken.has(placed)) return placed
  for (let i = 2; ; i++) if (!taken.has(`${placed}_${i}`)) return `${placed}_${i}`
}

function legalArgument(name: string): string {
  const plain = name
    .replace(/\[\]$/, "")
    .replaceAll("<", "_lt")
    .replaceAll(">", "_gt")
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^_+|_+$/g, "")
  return plain.slice(0, 60) || "value"
}

/** `/pets/{petId}/toys` → `pets_by_petId_toys` */
function pathWords(path: string): string {
  return path
    .split("/")
    .filter(part => part !== "")
    .map(part => legal(part.replace(/\{([^{}]*)\}/g, "_by_$1_")))
    .filter(part => part !== "")
    .join("_")
}

function legal(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/__+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "")
}

function fit(name: string): string {
  const plain = name.replace(/_+$/, "")
  if (plain.length <= MAX_NAME) return plain
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 5)
  return `${plain.slice(0, MAX_NAME - hash.length - 1)}_${hash}`
}
