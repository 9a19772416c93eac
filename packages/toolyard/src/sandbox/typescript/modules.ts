/** Imports and exports of a script, rewritten to what stands inside a function. */
import { explainImport, IMPORTABLE } from "./absent.ts"
import { blank, type Edit } from "./edits.ts"
import { isNode, type Node } from "./syntax.ts"

export interface Modules {
  readonly edits: Edit[]
  /** `const` bindings of what was imported under other names; they stand outside the script's own scope. */
  readonly bindings: string[]
  /** The names under which the script knows `tools`. */
  readonly toolNames: Set<string>
  /** Whether the whole module was imported, so that `tools` may be reached in other ways. */
  isWhole: boolean
  /** The default export: an expression that gives it, once the script has come to its end. */
  default: { expression: string; isCallable: boolean; node: Node } | undefined
  readonly problems: { start: number; message: string }[]
}

const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])
const nameOf = (value: unknown): string => String((value as Node).name ?? (value as Node).value)

export function readModules(code: string, body: readonly Node[]): Modules {
  const modules: Modules = {
    edits: [],
    bindings: [],
    toolNames: new Set(["tools"]),
    isWhole: false,
    default: undefined,
    problems: [],
  }
  for (const node of body) {
    if (node.type === "ImportDeclaration") readImport(code, node, modules)
    else if (node.type === "ExportDefaultDeclaration") readDefault(code, node, modules)
    else if (node.type === "ExportNamedDeclaration") readNamed(code, node, modules)
    else if (node.type === "ExportAllDeclaration") refuse(node, modules, explainImport(nameOf(node.source)))
    else if (node.type === "TSImportEqualsDeclaration") {
      const { moduleReference } = node
      if (!isNode(moduleReference) || moduleReference.type !== "TSExternalModuleReference") continue
      refuse(node, modules, explainImport(nameOf(moduleReference.expression)))
    } else if (node.type === "TSExportAssignment" || node.type === "TSNamespaceExportDeclaration")
      refuse(node, modules, "Use `export default` to give the script's value.")
  }
  return modules
}

function refuse({ start }: Node, modules: Modules, message: string): void {
  modules.problems.push({ start, message })
}

/** Taken out; the `;` keeps the lines around it from becoming one statement. */
function remove(code: string, { start, end }: Node, modules: Modules): void {
  modules.edits.push({ start, end, text: `;${blank(code, start + 1, end).text}` })
}

function readImport(code: string, node: Node, modules: Modules): void {
  const source = nameOf(node.source)
  if (source !== "toolyard") {
    refuse(node, modules, explainImport(source))
    return
  }
  remove(code, node, modules)
  if (node.importKind === "type") return
  for (const specifier of nodes(node.specifiers)) {
    if (specifier.importKind === "type") continue
    const local = nameOf(specifier.local)
    if (specifier.type === "ImportNamespaceSpecifier") {
      modules.bindings.push(`${local} = { ${IMPORTABLE.join(", ")}, default: tools }`)
      modules.isWhole = true
      continue
    }
    const imported = specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported)
    const name = imported === "default" ? "tools" : imported
    // What is not there under that name may be a type; the type check knows.
    if (!IMPORTABLE.some(known => known === name)) continue
    if (name === "tools") modules.toolNames.add(local)
    if (local !== name) modules.bindings.push(`${local} = ${name}`)
  }
}

function readNamed(code: string, node: Node, modules: Modules): void {
  if (node.source) {
    refuse(node, modules, explainImport(nameOf(node.source)))
    return
  }
  if (isNode(node.declaration)) {
    modules.edits.push(blank(code, node.start, node.start + "export".length))
    return
  }
  remove(code, node, modules)
  const specifier = nodes(node.specifiers).find(({ exported }) => nameOf(exported) === "default")
  if (specifier) modules.default = { expression: nameOf(specifier.local), isCallable: true, node: specifier }
}

function readDefault(code: string, node: Node, modules: Modules): void {
  const declaration = node.declaration as Node
  const { start, end, type, id } = declaration
  if (isNode(id) || type.startsWith("TSInterface") || type === "TSDeclareFunction") {
    modules.edits.push(blank(code, node.start, start))
    if (type === "FunctionDeclaration" || type === "ClassDeclaration")
      modules.default = { expression: nameOf(id), isCallable: type === "FunctionDeclaration", node: declaration }
    return
  }
  let name = "$value"
  while (code.includes(name)) name += "_"
  const text = `const ${name} =`
  // It takes the room of the two words, so that the value stays at its place.
  const { text: room } = blank(code, node.start, start)
  const hasRoom = room.startsWith(" ".repeat(text.length))
  const edit = { start: node.start, end: start, text: text + (hasRoom ? room.slice(text.length) : room) }
  modules.edits.push(edit, { start: end, end, text: ";" })
  modules.default = { expression: name, isCallable: type !== "ClassDeclaration", node: declaration }
}
