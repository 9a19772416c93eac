/**
 * Loads the author's files: TypeScript in full, imports as bundlers and the compiler allow them, and every file
 * remembered, because a change to any of them is a change of the server.
 */
import { readFileSync } from "node:fs"
import { type LoadHookContext, type ResolveHookContext, registerHooks } from "node:module"
import { sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { compile, findMistake, needsCompiling } from "./compile.ts"
import { createPlaces, type Places } from "./places.ts"

/** A module that imports the author's: awaiting that one itself would call what it may export as `then`. */
const ENTRY = "toolyard-entry:"
const OWN_PACKAGE = "toolyard"
const NOT_FOUND = new Set(["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT", "MODULE_NOT_FOUND"])

export interface Loader {
  load(file: string): Promise<Exports>
  /** The author's files that have been loaded: absolute, without what packages brought. */
  files(): string[]
  readonly places: Places
}

/** What a module exports, by name. */
export type Exports = ReadonlyMap<string, unknown>

export function createLoader(root: string): Loader {
  /** What the author's module led to, as URLs: only that is any business of ours. */
  const reached = new Set<string>()
  const files = new Set<string>()
  const places = createPlaces(root, files)

  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(ENTRY)) return { url: specifier, format: "module", shortCircuit: true }
      const parent = context.parentURL
      if (parent === undefined || !(parent.startsWith(ENTRY) || reached.has(parent))) return next(specifier, context)
      const found = resolveLeniently(specifier, context, next, places)
      if (found.url.startsWith("file:")) reached.add(found.url)
      return found
    },
    load(url, context, next) {
      if (url.startsWith(ENTRY)) {
        const source = `import * as module from ${JSON.stringify(url.slice(ENTRY.length))}\nexport { module }`
        return { format: "module", source, shortCircuit: true }
      }
      if (!reached.has(url)) return next(url, context)
      const file = fileURLToPath(url.replace(/[?#].*$/, ""))
      if (!file.includes(`${sep}node_modules${sep}`)) files.add(file)
      if (needsCompiling(file)) return loadCompiled(file, context, places)
      const isPlainImport = !context.conditions.includes("require") && !context.importAttributes.type
      if (file.endsWith(".json") && isPlainImport) return loadJson(file, places)
      return next(url, context)
    },
  })

  return {
    places,
    files: () => [...files],
    async load(file) {
      const { module } = (await import(`${ENTRY}${pathToFileURL(file)}`)) as { module: JsonObject }
      return toExports(module)
    },
  }
}

type Resolved = ReturnType<ResolveNext>
type ResolveNext = Parameters<NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>>[2]

/** Where Node finds nothing: `./x.js` that is written in TypeScript, `./x` without its ending, a folder's index. */
function resolveLeniently(specifier: string, context: ResolveHookContext, next: ResolveNext, places: Places): Resolved {
  try {
    return next(specifier, context)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isMissing = NOT_FOUND.has((error as NodeJS.ErrnoException).code ?? "")
    if (isMissing && /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) {
      for (const other of alternatives(specifier)) {
        try {
          return next(other, context)
        } catch {}
      }
    }
    const message = isMissing || specifier === OWN_PACKAGE ? whatIsMissing(specifier) : error.message
    places.note(error, message, { parent: context.parentURL, specifier })
    throw error
  }
}

function alternatives(specifier: string): string[] {
  const written = /^(.*)\.([cm]?)js(x?)$/.exec(specifier)
  if (written) {
    const [, stem, kind, x] = written
    return kind || x ? [`${stem}.${kind}ts${x}`] : [`${stem}.ts`, `${stem}.tsx`]
  }
  const stem = specifier.replace(/\/$/, "")
  const endings = [".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx", ".cts", ".cjs", ".json"]
  const files = specifier === stem && !/(?:^|\/)\.{1,2}$/.test(stem) ? endings.map(ending => stem + ending) : []
  return [...files, ...["ts", "tsx", "mts", "js", "mjs"].map(ending => `${stem}/index.${ending}`)]
}

function whatIsMissing(specifier: string): string {
  if (specifier === OWN_PACKAGE)
    return `Cannot find package 'toolyard': for its types write \`import type\`, for its values install it`
  const isFile = /^(?:[./]|file:)/.test(specifier)
  return `Cannot find ${isFile ? "module" : "package"} '${specifier}'`
}

function loadCompiled(file: string, context: LoadHookContext, places: Places) {
  const text = readFileSync(file, "utf8")
  const result = compile(file, text)
  if ("message" in result) throw places.mistake(file, text, result)
  const isModule = result.isModule || file.endsWith(".mts") || (context.format?.startsWith("module") ?? false)
  return { format: isModule ? "module" : "commonjs", source: result.code, shortCircuit: true } as const
}

/** As a module, because Node wants `with { type: "json" }` for any other. */
function loadJson(file: string, places: Places) {
  const text = readFileSync(file, "utf8")
  try {
    JSON.parse(text)
  } catch (error) {
    // Node does not always say where; as a JavaScript expression the mistake is mostly the same.
    const said = /position (\d+)/.exec((error as Error).message)?.[1]
    const offset = said === undefined ? (findMistake(file, `(${text})`)?.offset ?? 1) - 1 : Number(said)
    throw places.mistake(file, text, { message: "not valid JSON", offset })
  }
  const source = `export default JSON.parse(${JSON.stringify(text)})`
  return { format: "module", source, shortCircuit: true } as const
}

/** CommonJS modules export what `module.exports` has, whether or not Node could tell beforehand. */
function toExports(module: JsonObject): Exports {
  const own = isObject(module.default) && !Object.hasOwn(module.default, "~standard") ? module.default : {}
  const isCommonJs = Object.hasOwn(module, "module.exports") || Object.hasOwn(module, "__esModule")
  const exports = new Map(isCommonJs ? Object.entries(own) : [])
  for (const [name, value] of Object.entries(module)) {
    if (name !== "module.exports" && name !== "__esModule" && !(exports.has(name) && name !== "default"))
      exports.set(name, value)
  }
  // Compiled from a module elsewhere: its default export is one level down.
  if (isCommonJs && own.__esModule === true) exports.set("default", own.default)
  exports.delete("__esModule")
  return exports
}
