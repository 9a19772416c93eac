/** Where in the author's files something went wrong, in words that stay the same wherever the project stands. */
import { readFileSync } from "node:fs"
import { relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { positionAt } from "../../../sandbox/typescript/position.ts"
import { findMistake, type SyntaxMistake } from "./compile.ts"

/** The end of a stack's line: a URL or an absolute path, which may hold spaces and brackets, with line and column. */
const FRAME = /((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+):(\d+)\)?$/gm

export interface Places {
  /** Remembers what an error is about: the import of `specifier` in the file `parent`. */
  note(error: Error, message: string, at: { parent: string | undefined; specifier: string }): void
  mistake(file: string, text: string, mistake: SyntaxMistake): Error
  /** `math.ts:12:5`, if the error came from a file of the author's. */
  of(error: unknown): string | undefined
  /** One line for an error that kept the module from being loaded. */
  lineFor(error: unknown, file: string): string
}

export function createPlaces(root: string, files: ReadonlySet<string>): Places {
  const noted = new WeakMap<object, { message: string; place: string }>()
  const name = (file: string): string => relative(root, file).split(sep).join("/")
  const at = (file: string, text: string, offset: number): string => {
    const { line, column } = positionAt(text, offset)
    return `${name(file)}:${line}:${column}`
  }

  const of = (error: unknown): string | undefined => {
    if (!(error instanceof Error)) return undefined
    const stack = typeof error.stack === "string" ? error.stack : ""
    for (const [, where = "", line, column] of stack.matchAll(FRAME)) {
      const file = where.startsWith("file:") ? toPath(where) : where
      if (file && files.has(file)) return `${name(file)}:${line}:${column}`
    }
    return undefined
  }

  /** Where Node points at a line with an arrow, above the stack: an import of what is not exported. */
  const shown = (error: unknown): string | undefined => {
    const stack = error instanceof SyntaxError && typeof error.stack === "string" ? error.stack : ""
    const [, path = "", line, margin = ""] = /^(\S.*):(\d+)\n.*\n(\s*)\^/.exec(stack) ?? []
    const file = path.startsWith("file:") ? toPath(path) : path
    return file && files.has(file) ? `${name(file)}:${line}:${margin.length + 1}` : undefined
  }

  return {
    of,

    note(error, message, { parent, specifier }) {
      const file = parent && toPath(parent)
      if (!file || !files.has(file)) return
      const text = readFileSync(file, "utf8")
      const offset = Math.max(text.indexOf(`"${specifier}"`), text.indexOf(`'${specifier}'`), 0)
      noted.set(error, { message, place: at(file, text, offset) })
    },

    mistake(file, text, { message, offset }) {
      const error = new SyntaxError(message)
      noted.set(error, { message, place: at(file, text, offset) })
      return error
    },

    lineFor(error, entry) {
      const known = typeof error === "object" && error !== null ? noted.get(error) : undefined
      if (known) return `${known.place}: ${known.message}`
      const message = oneLine(error)
      const place = of(error) ?? shown(error) ?? (error instanceof SyntaxError ? findIn(files, at) : undefined)
      return `${place ?? name(entry)}: ${message}`
    },
  }
}

/** Node does not say where in a JavaScript file a syntax error is: found by reading them once more. */
function findIn(files: Iterable<string>, at: (file: string, text: string, offset: number) => string) {
  for (const file of files) {
    if (!/\.[cm]?js$/.test(file)) continue
    const text = readFileSync(file, "utf8")
    const mistake = findMistake(file, text)
    if (mistake) return at(file, text, mistake.offset)
  }
  return undefined
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : `threw ${String(error)}`
  return message.replace(/\s*\n\s*/g, " ")
}

function toPath(url: string): string | undefined {
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ""))
  } catch {
    return undefined
  }
}
