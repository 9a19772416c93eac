/** TypeScript and JSX to JavaScript that Node runs, with a source map inside so that stack traces name the right lines. */
import { createRequire } from "node:module"
import { extname } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Oxc from "oxc-transform"

const LANGUAGES: Record<string, "ts" | "tsx" | "jsx"> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".jsx": "jsx",
}
/** How the transformer prints what only a module can have; it begins each statement at the start of a line. */
const MODULE_SYNTAX = /^(?:import|export)\b|\bimport\.meta\b/m

export interface Compiled {
  code: string
  isModule: boolean
}

/** A mistake in the text, at its place in it. */
export interface SyntaxMistake {
  message: string
  /** From 0, in UTF-16 units. */
  offset: number
}

export function needsCompiling(file: string): boolean {
  return Object.hasOwn(LANGUAGES, extname(file))
}

/** Native code, and not needed for plain JavaScript: loaded when the first file asks for it. */
function loadTransformer(): typeof Oxc {
  return createRequire(import.meta.url)("oxc-transform") as typeof Oxc
}

export function compile(file: string, text: string): Compiled | SyntaxMistake {
  const { code, map, errors, helpersUsed } = loadTransformer().transformSync(file, text, {
    lang: LANGUAGES[extname(file)] ?? "js",
    sourceType: file.endsWith(".cts") ? "unambiguous" : "module",
    sourcemap: true,
    decorator: { legacy: true },
    // What decorators compile to calls functions of this global; see below.
    helpers: { mode: "External" as Oxc.HelperMode },
  })
  const mistake = errors[0]
  if (mistake) return { message: mistake.message, offset: toUnits(text, mistake.labels[0]?.start ?? 0) }
  if (Object.keys(helpersUsed).length > 0) provideDecorators()
  const inline = map && Buffer.from(JSON.stringify({ ...map, sources: [pathToFileURL(file).href] })).toString("base64")
  return {
    code: inline ? `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}` : code,
    isModule: MODULE_SYNTAX.test(code),
  }
}

/** The first mistake in a file that Node refused. */
export function findMistake(file: string, text: string): SyntaxMistake | undefined {
  const result = compile(file, text)
  return "message" in result ? result : undefined
}

/** The transformer counts bytes of UTF-8. */
function toUnits(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length
}

type Decorator = (...args: unknown[]) => unknown

function provideDecorators(): void {
  if (Object.hasOwn(globalThis, "babelHelpers")) return
  const value = { decorate, decorateParam, decorateMetadata }
  Object.defineProperty(globalThis, "babelHelpers", { value, enumerable: false })
}

/** Applies TypeScript's `experimentalDecorators`, the last one first, to a class or to one of its members. */
function decorate(decorators: Decorator[], target: object, ...member: [key?: PropertyKey, given?: unknown]): unknown {
  const [key, given] = member
  const isClass = key === undefined
  let made: unknown = isClass ? target : given === null ? Object.getOwnPropertyDescriptor(target, key) : given
  for (const decorator of decorators.toReversed()) {
    made = (isClass ? decorator(made) : decorator(target, key, made)) || made
  }
  if (!isClass && made) Object.defineProperty(target, key, made)
  return made
}

function decorateParam(index: number, decorator: Decorator): Decorator {
  return (target, key) => decorator(target, key, index)
}

/** There only when the author has loaded `reflect-metadata`. */
function decorateMetadata(key: string, value: unknown): Decorator {
  const { metadata } = Reflect as { metadata?: (key: string, value: unknown) => Decorator }
  return metadata?.(key, value) ?? (() => undefined)
}
