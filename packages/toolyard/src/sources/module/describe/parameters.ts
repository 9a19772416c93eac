/** How the arguments of a call become the parameters of a function, and the schema of those arguments. */
import {
  isIdentifier,
  isImportTypeNode,
  isNamedTupleMember,
  isParameterDeclaration,
  isQualifiedName,
  isTupleTypeNode,
  isTypeReferenceNode,
  isUnionTypeNode,
  type Node,
  type ParameterDeclaration,
} from "typescript/unstable/ast"
import { type Checker, ElementFlags, type Signature, type Type, TypeFlags } from "typescript/unstable/sync"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { type DocComment, docsBefore } from "../../../sandbox/typescript/doc-comment.ts"
import { withDoc } from "../../../sandbox/typescript/doc-keywords.ts"
import { allowsUndefined } from "../../../sandbox/typescript/object-schema.ts"
import { openSchemaWriter } from "../../../sandbox/typescript/type-to-schema.ts"
import type { ParameterPlan } from "../description.ts"
import { bindingDefaults, constantOf } from "./constant.ts"
import { withDefaults, withPathDocs } from "./schema-path.ts"

export interface DescribedParameters {
  plans: ParameterPlan[]
  inputSchema: JsonObject
  problems: string[]
}

interface Parameter {
  name: string
  type: Type
  /** Where it is declared, and where it is implemented: the defaults stand there. */
  node?: ParameterDeclaration
  rest: boolean
  optional: boolean
}

/** `implementation`: the function's own parameters, where the signature comes from a type. */
export function describeParameters(
  checker: Checker,
  signature: Signature,
  implementation: readonly Node[],
  docs: Map<string, DocComment>,
): DescribedParameters {
  const all = readParameters(checker, signature, implementation)
  const contexts = new Set(all.filter((parameter, i) => isContext(parameter, i === all.length - 1)))
  const data = all.filter(parameter => !contexts.has(parameter))
  const problems: string[] = []
  const writer = openSchemaWriter(checker, "arguments")
  const written = new Map(data.map(parameter => [parameter, writer.write(parameter.type)]))
  const [only] = data
  const whole =
    only && data.length === 1 && !only.rest ? wholeSchema(writer.finish(written.get(only) ?? {})) : undefined
  const plans = all.map((parameter): ParameterPlan => {
    if (contexts.has(parameter)) return { kind: "context" }
    if (whole) return { kind: "whole" }
    return { kind: "named", name: parameter.name, ...(parameter.rest && { rest: true }) }
  })
  if (writer.isCut()) problems.push("its parameters are too large to be described whole")
  if (only && whole) return { plans, problems, inputSchema: describeWhole(checker, only, whole, docs) }

  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const parameter of data) {
    const schema = written.get(parameter)
    const { name, node } = parameter
    if (!schema) {
      problems.push(`the parameter ${name} can't come as JSON and is left out`)
      continue
    }
    const value = node?.initializer && constantOf(node.initializer, checker)
    const inline = node && docsBefore(node).at(-1)
    const documented = withDoc(withDoc(schema, inline), docs.get(name))
    properties.push([name, withPathDocs({ ...documented, ...(value !== undefined && { default: value }) }, name, docs)])
    if (!parameter.optional) required.push(name)
  }
  const inputSchema = writer.finish({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  })
  return { plans, problems, inputSchema }
}

/**
 * The properties of a single object are those of the tool. Not so for a union: several clients refuse tools whose schema
 * has `anyOf` at the top, so that it comes under the parameter's name.
 */
function wholeSchema(schema: JsonObject): JsonObject | undefined {
  if (schema.type !== "object" || "anyOf" in schema || schema["x-toolyard-type"] !== undefined) return undefined
  return schema
}

function describeWhole(checker: Checker, { name, node }: Parameter, schema: JsonObject, docs: Map<string, DocComment>) {
  const defaults = node ? bindingDefaults(node.name, checker) : []
  const filled = withDefaults(schema, defaults)
  const described = withDoc(filled, docs.get(name))
  // A parameter that is taken apart has no name of its own: the first that the comment has a path for will do.
  const root =
    docs.has(name) || node === undefined || isIdentifier(node.name) ? name : [...docs.keys()][0]?.split(".")[0]
  const { properties } = described
  const names = isObject(properties) ? Object.keys(properties) : []
  const direct = names.filter(key => key !== name && docs.has(key))
  const own = new Map([...docs, ...direct.map(key => [`${root}.${key}`, docs.get(key) as DocComment] as const)])
  return withPathDocs(described, root ?? name, own)
}

function readParameters(checker: Checker, signature: Signature, implementation: readonly Node[]): Parameter[] {
  const symbols = signature.getParameters()
  const types = symbols.length === 0 ? [] : checker.getTypeOfSymbol(symbols)
  const nodes = symbols.map((symbol, i) => {
    const declared = symbol.valueDeclaration?.resolve()
    const own = implementation[i] ?? declared
    return [declared, own].map(node => (node && isParameterDeclaration(node) ? node : undefined))
  })
  // In JavaScript without a word about types, nothing has to be there.
  const isUntyped = nodes.every(([node]) => node && !node.type && /\.[cm]?jsx?$/.test(node.getSourceFile().fileName))
  return symbols.flatMap((symbol, i) => {
    const type = types[i] ?? checker.getAnyType()
    const [declared, own] = nodes[i] ?? []
    const rest = signature.hasRestParameter && i === symbols.length - 1
    if (rest && type.isTypeReference() && type.getTarget().isTupleType()) return readTuple(checker, type)
    const isNamed = !declared || isIdentifier(declared.name)
    const name = isNamed ? symbol.name : i === 0 ? "input" : `input${i + 1}`
    const optional =
      rest ||
      isUntyped ||
      !!(declared?.questionToken ?? declared?.initializer ?? own?.initializer) ||
      allowsUndefined(type)
    const node = own ?? declared
    return [{ name, type, rest, optional, ...(node && { node }) }]
  })
}

/** `(...args: [a: string, b?: number])`, as functions that wrap others have it. */
function readTuple(checker: Checker, type: Type): Parameter[] {
  if (!type.isTypeReference()) return []
  const target = type.getTarget()
  const flags = target.isTupleType() ? target.elementFlags : []
  const node = checker.typeToTypeNode(type)
  const names = node && isTupleTypeNode(node) ? node.elements.map(element => labelOf(element)) : []
  return checker.getTypeArguments(type).map((element, i) => ({
    name: names[i] ?? `arg${i + 1}`,
    type: element,
    rest: false,
    optional: !((flags[i] ?? 0) & ElementFlags.Required),
  }))
}

function labelOf(element: Node): string | undefined {
  return isNamedTupleMember(element) && isIdentifier(element.name) ? element.name.text : undefined
}

/** By the name of the type, whether or not it can be found; in JavaScript also by its own name. */
function isContext({ name, type, node, rest }: Parameter, isLast: boolean): boolean {
  if (rest) return false
  if (node?.type && isContextType(node.type)) return true
  if (type.getSymbol()?.name === "ToolContext") return true
  return !node?.type && isLast && (name === "context" || name === "ctx") && (type.flags & TypeFlags.Any) !== 0
}

function isContextType(node: Node): boolean {
  if (isUnionTypeNode(node)) return node.types.some(isContextType)
  const name = isTypeReferenceNode(node) ? node.typeName : isImportTypeNode(node) ? node.qualifier : undefined
  const last = name && isQualifiedName(name) ? name.right : name
  return last !== undefined && isIdentifier(last) && last.text === "ToolContext"
}
