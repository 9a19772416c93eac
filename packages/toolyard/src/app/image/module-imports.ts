/** What a JavaScript or TypeScript file says that it needs, read from its syntax: nothing is run. */
import { parseSync, visitorKeys } from "oxc-parser"

export interface ModuleNeeds {
  /** As written in `import`, `export … from`, `import()`, `require()` and types. */
  imports: string[]
  /** Files that are named beside the module, as URLs: `new URL("./data.json", import.meta.url)` and the like. */
  files: string[]
  /** The first thing that can't be understood. */
  error?: string
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

export function readModule(file: string, text: string): ModuleNeeds {
  // A script without an ending is JavaScript if anything.
  const { program, errors } = parseSync(/\.[^./\\]+$/.test(file) ? file : `${file}.js`, text)
  const imports = new Set<string>()
  const files = new Set<string>()
  // Without recursion: generated code can be nested very deeply.
  const nodes: Node[] = [program as unknown as Node]
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const spec = importOf(node)
    if (spec !== undefined) imports.add(spec)
    const beside = fileOf(node)
    if (beside !== undefined) files.add(beside)
    for (const key of visitorKeys[node.type] ?? []) nodes.push(...[node[key]].flat().filter(isNode))
  }
  const error = errors.find(({ severity }) => severity === "Error")
  return { imports: [...imports], files: [...files], ...(error && { error: error.message }) }
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string"

const textOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Literal" && typeof value.value === "string" ? value.value : undefined

function importOf(node: Node): string | undefined {
  if (node.type === "TSExternalModuleReference") return textOf(node.expression)
  if (node.type === "CallExpression" && isRequire(node.callee)) return textOf((node.arguments as unknown[])[0])
  return textOf(node.source)
}

/** `require`, `require.resolve` and `import.meta.resolve`. */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false
  if (callee.type === "Identifier") return callee.name === "require"
  const { object, property } = callee as { object?: unknown; property?: unknown }
  if (!isNode(property) || property.name !== "resolve" || !isNode(object)) return false
  return object.type === "MetaProperty" || (object.type === "Identifier" && object.name === "require")
}

function fileOf(node: Node): string | undefined {
  if (node.type === "NewExpression" && (node.callee as Node).name === "URL") {
    const [path, base] = node.arguments as Node[]
    const written = isMeta(base, "url") ? textOf(path) : undefined
    return written?.startsWith(".") ? written : undefined
  }
  if (node.type !== "CallExpression") return undefined
  // `join(import.meta.dirname, "a", "b.json")`, whatever `join` is called there.
  const [folder, ...parts] = node.arguments as Node[]
  const isFolder = isMeta(folder, "dirname") || (folder?.type === "Identifier" && folder.name === "__dirname")
  const written = isFolder ? parts.map(textOf) : []
  return written.length > 0 && written.every(part => part !== undefined)
    ? `./${written.map(part => encodeURI(part)).join("/")}`
    : undefined
}

function isMeta(value: unknown, name: string): boolean {
  const { object, property } = (value ?? {}) as { object?: Node; property?: Node }
  return object?.type === "MetaProperty" && property?.name === name
}
