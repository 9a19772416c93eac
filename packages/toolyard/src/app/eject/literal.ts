/** Values as TypeScript that a person would write, and names as they may stand in it. */

const WIDTH = 110
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** On one line where it fits; keys without quotes where they need none. */
export function toLiteral(value: unknown, indent = 0): string {
  const short = oneLine(value)
  if (short.length + indent <= WIDTH || typeof value !== "object" || value === null) return short
  const pad = " ".repeat(indent + 2)
  const end = " ".repeat(indent)
  if (Array.isArray(value)) {
    return `[\n${value.map(item => `${pad}${toLiteral(item ?? null, indent + 2)},\n`).join("")}${end}]`
  }
  const lines = membersOf(value).map(([key, item]) => `${pad}${toKey(key)}: ${toLiteral(item, indent + 2)},\n`)
  return `{\n${lines.join("")}${end}}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(item => oneLine(item ?? null)).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = membersOf(value).map(([key, item]) => `${toKey(key)}: ${oneLine(item)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}

/** In brackets, `__proto__` is a key like any other. */
export function toKey(key: string): string {
  if (key === "__proto__") return '["__proto__"]'
  return IDENTIFIER.test(key) ? key : JSON.stringify(key)
}

/** `args.name`, or `args["other-name"]`. */
export function toMember(object: string, key: string): string {
  return IDENTIFIER.test(key) ? `${object}.${key}` : `${object}[${JSON.stringify(key)}]`
}

export function toIdentifier(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(word => word !== "")
  const joined = words.map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join("")
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`
}

/** `PETSTORE_KEY` for `petstore-key` and `petstoreKey`. */
export function toVariableName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_")
  const upper = words.replace(/^_+|_+$/g, "").toUpperCase()
  return /^[A-Z]/.test(upper) && !TAKEN.has(upper) ? upper : `API_${upper || "KEY"}`
}

const TAKEN = new Set(["PATH", "HOME", "USER", "BASE_URL", "NODE_OPTIONS", "NODE_ENV", "TZ", "LANG", "PWD", "SHELL"])

/** A description in a comment, whatever it holds. */
export function toComment(text: string): string {
  const line = text.replaceAll("*/", "* /").replace(/\s+/g, " ").trim()
  return `/** ${line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line} */`
}
