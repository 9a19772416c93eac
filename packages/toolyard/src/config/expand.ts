/** `${VAR}`, `${VAR:-default}` and the escape `$${` in every string of a value. */
import { isObject, type JsonObject } from "../model/json.ts"
import type { Path } from "./document.ts"

export interface Missing {
  readonly variable: string
  readonly path: Path
}

export interface Expanded {
  /** A fresh copy. Where a variable is missing, the text stands as it was written. */
  readonly value: unknown
  readonly missing: Missing[]
}

/** Defaults may hold references themselves; nobody needs more levels than this. */
const MAX_NESTING = 8

export function expandValue(value: unknown, env: NodeJS.ProcessEnv, path: Path = []): Expanded {
  const missing: Missing[] = []
  const walk = (part: unknown, at: Path): unknown => {
    if (typeof part === "string") {
      const result = expandText(part, env)
      missing.push(...result.missing.map(variable => ({ variable, path: at })))
      return result.text
    }
    if (Array.isArray(part)) return part.map((item, index) => walk(item, [...at, index]))
    if (!isObject(part)) return part
    const copy: JsonObject = {}
    for (const [key, item] of Object.entries(part)) copy[key] = walk(item, [...at, key])
    return copy
  }
  return { value: walk(value, path), missing }
}

export function expandText(text: string, env: NodeJS.ProcessEnv): { text: string; missing: string[] } {
  if (!text.includes("${")) return { text, missing: [] }
  const pattern = /([A-Za-z_][A-Za-z0-9_]*)(\}|:-)/y
  let position = 0

  /** Reads to the end of the text, or inside a default to its closing brace; every character is read once. */
  const read = (level: number): { text: string; missing: string[]; closed: boolean } => {
    let out = ""
    const missing: string[] = []
    while (position < text.length) {
      if (text.startsWith("$${", position)) {
        out += "${"
        position += 3
      } else if (level > 0 && text[position] === "}") {
        position++
        return { text: out, missing, closed: true }
      } else if (text.startsWith("${", position) && level <= MAX_NESTING) {
        const result = reference(level)
        out += result.text
        missing.push(...result.missing)
      } else {
        out += text[position++]
      }
    }
    return { text: out, missing, closed: false }
  }

  const reference = (level: number): { text: string; missing: string[] } => {
    pattern.lastIndex = position + 2
    const match = pattern.exec(text)
    if (!match) {
      position += 2
      return { text: "${", missing: [] }
    }
    const [written, variable, end] = match as unknown as [string, string, string]
    position += 2 + written.length
    const set = Object.hasOwn(env, variable) ? env[variable] : undefined
    if (end === "}")
      return set === undefined ? { text: `\${${written}`, missing: [variable] } : { text: set, missing: [] }
    const fallback = read(level + 1)
    if (!fallback.closed) return { text: `\${${written}${fallback.text}`, missing: fallback.missing }
    // As in a shell, `:-` also stands in for a variable that is set to nothing.
    return set ? { text: set, missing: [] } : { text: fallback.text, missing: fallback.missing }
  }

  const { text: result, missing } = read(0)
  return { text: result, missing: [...new Set(missing)] }
}
