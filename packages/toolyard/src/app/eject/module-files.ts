/** An author's files as plain Node runs them: imports with their endings, and syntax that only has to be left out. */
import { extname, posix } from "node:path"
import { parseSync, visitorKeys } from "oxc-parser"
import { type HelperMode, transformSync } from "oxc-transform"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"

export interface AuthorFiles {
  /** By path in the project. */
  files: Map<string, string | Uint8Array>
  /** Where each file that has another name now went. */
  renamed: Map<string, string>
  warnings: string[]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const CODE = /\.[cm]?[jt]sx?$/
/** What Node can't leave out: it stands for code. */
const NOT_ERASABLE = new Set([
  "TSEnumDeclaration",
  "TSParameterProperty",
  "TSImportEqualsDeclaration",
  "TSExportAssignment",
  "TSTypeAssertion",
  "Decorator",
])
const OWN_PACKAGE = "toolyard"

/** `toContext`: the path of what stands in for the hub's package, from a folder of the project. */
export function toAuthorFiles(taken: ReadonlyMap<string, Buffer>, toContext: (folder: string) => string): AuthorFiles {
  const renamed = new Map<string, string>()
  const parsed = new Map<string, { text: string; specifiers: Specifier[] }>()
  for (const [path, bytes] of taken) {
    if (!CODE.test(path) || path.endsWith(".d.ts")) continue
    const text = bytes.toString("utf8")
    const { specifiers, mustCompile } = look(path, text)
    parsed.set(path, { text, specifiers })
    if (mustCompile) renamed.set(path, path.replace(/\.([cm]?)[jt]sx?$/, ".$1js"))
  }
  const files = new Map<string, string | Uint8Array>()
  const warnings: string[] = []
  for (const [path, bytes] of taken) {
    const code = parsed.get(path)
    const folder = posix.dirname(path)
    if (!code) {
      files.set(path, extname(path) === ".json" ? toSettings(path, bytes) : bytes)
      continue
    }
    const resolve = (specifier: string): string => {
      if (specifier === OWN_PACKAGE) return toContext(folder)
      const found =
        /^\.{0,2}\//.test(specifier) || /^\.{1,2}$/.test(specifier) ? fileOf(folder, specifier, taken) : undefined
      if (found === undefined) return specifier
      const target = posix.relative(folder, renamed.get(found) ?? found)
      return target.startsWith(".") ? target : `./${target}`
    }
    const rewritten = rewrite(code.text, code.specifiers, resolve)
    const name = renamed.get(path)
    if (name === undefined) {
      files.set(path, rewritten)
      continue
    }
    files.set(name, compile(path, rewritten))
    warnings.push(`${path} is JavaScript now: Node does not run all of its TypeScript as it is`)
  }
  return { files, renamed, warnings }
}

function look(path: string, text: string): { specifiers: Specifier[]; mustCompile: boolean } {
  const specifiers: Specifier[] = []
  let mustCompile = /\.[jt]sx$/.test(path)
  const nodes: Node[] = [parseSync(path, text).program as unknown as Node]
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const found = specifierOf(node)
    if (found) specifiers.push(found)
    const isNamespace = node.type === "TSModuleDeclaration" && node.declare !== true && isNode(node.body)
    mustCompile ||= (NOT_ERASABLE.has(node.type) && node.declare !== true) || isNamespace
    for (const key of visitorKeys[node.type] ?? []) nodes.push(...[node[key]].flat().filter(isNode))
  }
  return { specifiers, mustCompile: mustCompile && !/\.[cm]?js$/.test(path) }
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string"

interface Specifier {
  start: number
  end: number
  value: string
  /** Node wants to be told that it is JSON. */
  isBare: boolean
}

function specifierOf(node: Node): Specifier | undefined {
  const callee = node.callee as Node | undefined
  const isRequire = node.type === "CallExpression" && callee?.type === "Identifier" && callee.name === "require"
  const source = isRequire ? (node.arguments as unknown[])[0] : (node.source ?? node.argument)
  const isImport = isRequire || /^(?:Import|Export|TSImportType)/.test(node.type)
  if (!isImport || !isNode(source) || source.type !== "Literal" || typeof source.value !== "string") return undefined
  const isBare =
    node.type === "ImportDeclaration" && node.importKind !== "type" && [node.attributes].flat().length === 0
  return { start: source.start, end: source.end, value: source.value, isBare }
}

function rewrite(text: string, specifiers: readonly Specifier[], resolve: (specifier: string) => string): string {
  let out = ""
  let from = 0
  for (const { start, end, value, isBare } of specifiers.toSorted((a, b) => a.start - b.start)) {
    const target = resolve(value)
    out += text.slice(from, start) + (target === value ? text.slice(start, end) : JSON.stringify(target))
    if (isBare && target.endsWith(".json")) out += ' with { type: "json" }'
    from = end
  }
  return out + text.slice(from)
}

/** As bundlers and the compiler find it. */
function fileOf(folder: string, specifier: string, taken: ReadonlyMap<string, unknown>): string | undefined {
  const base = posix.normalize(posix.join(folder, specifier)).replace(/\/$/, "")
  const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"]
  const candidates = [
    base,
    base.replace(/\.([cm]?)js(x?)$/, ".$1ts$2"),
    base.replace(/\.js$/, ".tsx"),
    ...endings.map(ending => base + ending),
    ...endings.map(ending => `${base}/index${ending}`),
  ]
  return candidates.find(path => taken.has(path))
}

function compile(path: string, text: string): string {
  const { code, errors, helpersUsed } = transformSync(path, text, {
    lang: path.endsWith("x") ? "tsx" : "ts",
    decorator: { legacy: true },
    helpers: { mode: "External" as HelperMode },
  })
  const problem = errors[0]?.message ?? (Object.keys(helpersUsed).length > 0 ? "it uses decorators" : undefined)
  if (problem === undefined) return code
  throw new YardError("usage", `${path} can't be ejected: ${problem}`, { hint: "Write it without, and eject again." })
}

/** Of a package.json, only what says how modules are found; anything else may be nobody's business. */
function toSettings(path: string, bytes: Buffer): string | Uint8Array {
  if (posix.basename(path) !== "package.json") return bytes
  try {
    const content: unknown = JSON.parse(bytes.toString("utf8"))
    const { name, type, imports, exports } = (isObject(content) ? content : {}) as JsonObject
    const kept = { private: true, ...(exports !== undefined && { name, exports }), type, imports }
    return `${JSON.stringify(kept, undefined, 2)}\n`
  } catch {
    return bytes
  }
}
