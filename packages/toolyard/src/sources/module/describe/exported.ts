/** What a module exports that can be called, in the order in which it stands there. */
import {
  isArrowFunction,
  isFunctionExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast"
import {
  type Checker,
  type Symbol as Member,
  type Signature,
  SignatureKind,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync"
import type { DocComment } from "../../../sandbox/typescript/doc-comment.ts"
import { docAround } from "./function-doc.ts"

export interface ExportedFunction {
  /** The export's name. */
  name: string
  /** The function's own name. */
  ownName?: string
  signature: Signature
  doc?: DocComment
  declaration?: Node
  /** The parameters of the function itself, where the signature is that of a type. */
  implementation: readonly Node[]
}

const NO_FUNCTION = SymbolFlags.Class | SymbolFlags.Enum | SymbolFlags.Module

export function exportedFunctions(checker: Checker, source: SourceFile, file: string): ExportedFunction[] {
  const module = checker.getSymbolAtLocation(source)
  if (!module) return []
  const found = exportsOf(checker, module)
    .map(([name, symbol]) => {
      const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      return { name, symbol: target, at: target.valueDeclaration ?? target.declarations[0] }
    })
    .filter(({ name, symbol }) => !name.startsWith("_") && symbol.flags & SymbolFlags.Value)
    .filter(({ symbol }) => !(symbol.flags & NO_FUNCTION) || symbol.flags & SymbolFlags.Function)
  // `export default f` beside `export function f` is the same tool.
  const named = new Set(found.filter(({ name }) => name !== "default").map(({ symbol }) => symbol.id))
  const distinct = found.filter(({ name, symbol }) => name !== "default" || !named.has(symbol.id))
  // In this file by place, then those of other files: the compiler has them in no order.
  const rank = ({ name, at }: (typeof found)[number]): [string, number, string] => {
    return [at?.path.toLowerCase() === file.toLowerCase() ? "" : (at?.path ?? ""), at?.index ?? 0, name]
  }
  const ordered = distinct.sort((a, b) => compare(rank(a), rank(b)))
  const types = ordered.length === 0 ? [] : checker.getTypeOfSymbol(ordered.map(({ symbol }) => symbol))
  return ordered.flatMap(({ name, symbol }, i) => {
    const type = types[i]
    const described = type && describeExport(checker, name, symbol, type)
    return described ? [described] : []
  })
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at === -1 ? 0 : (a[at] ?? "") < (b[at] ?? "") ? -1 : 1
}

function exportsOf(checker: Checker, module: Member): [name: string, symbol: Member][] {
  const whole = [...module.getExports().values()].find(({ escapedName }) => escapedName === "export=")
  if (!whole) return checker.getExportsOfModule(module).map(symbol => [symbol.name, symbol])
  // CommonJS: `module.exports = { … }` exports its properties, `module.exports = function …` that function.
  const target = whole.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(whole) : whole
  const type = checker.getTypeOfSymbol(target)
  if (!type) return []
  if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return [["default", target]]
  return checker.getPropertiesOfType(type).map(symbol => [symbol.name, symbol])
}

function describeExport(checker: Checker, name: string, symbol: Member, type: Type): ExportedFunction | undefined {
  const signatures = callable(checker, type)
  if (signatures.length === 0) return undefined
  const declaration = symbol.valueDeclaration?.resolve()
  const documented = signatures.map(signature => ({ signature, doc: ownDoc(signature) }))
  // Of overloads the last one that says something.
  const chosen = signatures.length > 1 ? documented.findLast(({ doc }) => doc !== undefined) : undefined
  const signature = chosen?.signature ?? signatures[0]
  if (!signature) return undefined
  const doc = chosen?.doc ?? (declaration && docAround(declaration)) ?? documented[0]?.doc
  const named = symbol.name === "default" || symbol.name === "export=" ? undefined : symbol.name
  const value = signature.declaration?.resolve()
  const ownName = nameOf(declaration) ?? named ?? (value && isFunctionExpression(value) ? nameOf(value) : undefined)
  return {
    name,
    signature,
    implementation: declaration && signatures.length === 1 ? parametersOf(declaration) : [],
    ...(ownName !== undefined && { ownName }),
    ...(doc && { doc }),
    ...(declaration && { declaration }),
  }
}

/** The calls that a function takes, or the `run` or `execute` of an object that is a tool. */
function callable(checker: Checker, type: Type): readonly Signature[] {
  const own = checker.getSignaturesOfType(type, SignatureKind.Call)
  if (own.length > 0 || !type.isObjectType()) return own
  const method = checker.getPropertyOfType(type, "run") ?? checker.getPropertyOfType(type, "execute")
  const inner = method && checker.getTypeOfSymbol(method)
  return inner ? checker.getSignaturesOfType(inner, SignatureKind.Call) : []
}

function ownDoc({ declaration }: Signature): DocComment | undefined {
  const node = declaration?.resolve()
  return node && docAround(node)
}

function nameOf(declaration: Node | undefined): string | undefined {
  const name = (declaration as { name?: { text?: string } } | undefined)?.name?.text
  return typeof name === "string" && name !== "" ? name : undefined
}

/** `const f: Handler = ({ limit = 10 }) => …`: the defaults stand in the function, not in its type. */
function parametersOf(declaration: Node): readonly Node[] {
  const value = isVariableDeclaration(declaration) ? declaration.initializer : undefined
  return value && (isArrowFunction(value) || isFunctionExpression(value)) ? value.parameters : []
}
