/** Descriptions as JSDoc: one line where there is one. */
import { toCommentLines } from "./literal.ts"

export interface Comments {
  /** The lines of the comment; none where it would only repeat what was said of the same name before. */
  of(name: string, text: string): string[]
  /** What readers must know of it, if something was left out. */
  note(): string
}

const NONE: string[] = []

export function createComments(): Comments {
  const said = new Map<string, Set<string>>()
  let repeated = false
  return {
    of(name, text) {
      if (text === "") return NONE
      const before = said.get(name)
      if (before?.has(text)) {
        repeated = true
        return NONE
      }
      if (before) before.add(text)
      else said.set(name, new Set([text]))
      return toJsDoc(text)
    },
    note: () => (repeated ? "// A description stands where its property comes first, and is not repeated.\n" : ""),
  }
}

export function toJsDoc(text: string): string[] {
  const lines = toCommentLines(text)
  if (lines.length < 2) return lines.map(line => `/** ${line} */`)
  return ["/**", ...lines.map(line => ` * ${line}`), " */"]
}

export function indented(lines: string[], indent: string): string {
  return lines.map(line => `${indent}${line}\n`).join("")
}
