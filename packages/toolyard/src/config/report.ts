/** Turns what is wrong at a path of one file into a `ConfigProblem`. Never prints a value, since any may be a secret. */
import type { ConfigProblem } from "../model/config.ts"
import type { Document, Path } from "./document.ts"
import type { Missing } from "./expand.ts"

export interface Note {
  path: Path
  message: string
  fix?: string
  /** What the position points at. */
  part?: "key" | "value"
}

export interface Report {
  error(note: Note): void
  warning(note: Note): void
}

export function reportTo(problems: ConfigProblem[], file: string, document: Document): Report {
  const add = (severity: ConfigProblem["severity"], { path, message, fix, part }: Note): void => {
    const key = path.length > 0 ? { key: toKey(path) } : {}
    problems.push({ severity, file, ...document.at(path, part), ...key, message, ...(fix && { fix }) })
  }
  return { error: note => add("error", note), warning: note => add("warning", note) }
}

export function toKey(path: Path): string {
  return path.reduce<string>((key, step) => {
    if (typeof step === "number") return `${key}[${step}]`
    const name = String(step)
    if (!/^[\w$@-]{1,80}$/.test(name)) return `${key}[${quote(name)}]`
    return key ? `${key}.${name}` : name
  }, "")
}

/** A name from a file, safe to print on a terminal: short, and without characters that control it. */
export function quote(name: string): string {
  const short = name.length > 80 ? `${name.slice(0, 79)}…` : name
  const toEscape = (char: string): string => `\\u${char.codePointAt(0)!.toString(16).padStart(4, "0")}`
  return JSON.stringify(short).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, toEscape)
}

/** Warns of variables that are not set, and gives the reason to disable what needs them. */
export function reportMissing(missing: Missing[], report: Report): string {
  for (const { variable, path } of missing) {
    const fix = `Set ${variable}, or give it a default: \${${variable}:-…}.`
    report.warning({ path, message: `variable ${variable} is not set`, fix })
  }
  const [first, ...more] = new Set(missing.map(({ variable }) => variable))
  return more.length === 0 ? `variable ${first} is not set` : `variables ${[first, ...more].join(", ")} are not set`
}
