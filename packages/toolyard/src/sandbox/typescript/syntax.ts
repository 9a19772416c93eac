/** One walk over a script's syntax tree: what it uses, what it declares, and where it returns. */
import { visitorKeys } from "oxc-parser"

/** A node as the parser gives it; its shape depends on `type`. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A place where the script names a tool, or only its server. */
export interface ToolUse {
  server: string
  tool?: string
  /** Of the whole expression, with the arguments where it is a call. */
  start: number
  end: number
}

export interface Reference {
  name: string
  start: number
  /** `call` for `name(…)` and `new name(…)`, `typeof` for `typeof name`. */
  as: "call" | "typeof" | "value"
}

export interface Syntax {
  /** Every name that is declared anywhere in the script. */
  readonly declared: Set<string>
  readonly references: Reference[]
  /** `return` statements that are in no function: they end the script. */
  readonly returns: Node[]
  readonly uses: ToolUse[]
  /** Whether `tools` is used in ways that leave open which servers are meant. */
  isDynamic: boolean
  /** `import(…)`, `import.meta`, decorators and `accessor` fields. */
  readonly unsupported: Node[]
}

/** Parts of nodes that are types or mere names: nothing in them runs. */
const TYPE_KEYS = new Set([
  "typeAnnotation",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "returnType",
  "implements",
  "label",
])
const TYPE_NODES = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "TSDeclareFunction"])
const NAMED_MEMBERS = new Set([
  "Property",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "TSEnumMember",
])

export const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string"

const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [])

/** `toolNames` are the names under which the script knows `tools`. */
export function readSyntax(program: Node, toolNames: ReadonlySet<string>): Syntax {
  const syntax: Syntax = {
    declared: new Set(),
    references: [],
    returns: [],
    uses: [],
    isDynamic: false,
    unsupported: [],
  }
  // What `tools` was used for is known to the node around it, which is visited first.
  const understood = new Set<unknown>()

  const children = (node: Node, depth: number, except?: string): void => {
    for (const key of visitorKeys[node.type] ?? []) {
      if (key === except || TYPE_KEYS.has(key)) continue
      for (const child of nodesIn(node[key])) visit(child, depth)
    }
  }

  const bind = (pattern: unknown, depth: number): void => {
    if (!isNode(pattern)) return
    if (pattern.type === "Identifier") syntax.declared.add(pattern.name as string)
    else if (pattern.type === "AssignmentPattern") {
      bind(pattern.left, depth)
      for (const value of nodesIn(pattern.right)) visit(value, depth)
    } else if (pattern.type === "Property") {
      if (pattern.computed) for (const key of nodesIn(pattern.key)) visit(key, depth)
      bind(pattern.value, depth)
    } else if (pattern.type === "TSParameterProperty") bind(pattern.parameter, depth)
    else for (const part of [pattern.properties, pattern.elements, pattern.argument].flatMap(nodesIn)) bind(part, depth)
  }

  const refer = (node: unknown, as: Reference["as"]): void => {
    if (!isNode(node) || node.type !== "Identifier") return
    syntax.references.push({ name: node.name as string, start: node.start, as })
    understood.add(node)
  }

  const visit = (node: Node, depth: number): void => {
    if (TYPE_NODES.has(node.type) || node.declare === true) return
    if (nodesIn(node.decorators).length > 0) syntax.unsupported.push(...nodesIn(node.decorators))
    let except = NAMED_MEMBERS.has(node.type) && !node.computed ? "key" : undefined
    switch (node.type) {
      case "Identifier":
        if (toolNames.has(node.name as string) && !understood.has(node)) syntax.isDynamic = true
        if (!understood.has(node)) refer(node, "value")
        return
      case "VariableDeclarator":
        readDestructured(node)
        bind(node.id, depth)
        for (const init of nodesIn(node.init)) visit(init, depth)
        return
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        bind(node.id, depth)
        for (const parameter of nodesIn(node.params)) bind(parameter, depth + 1)
        for (const body of nodesIn(node.body)) visit(body, depth + 1)
        return
      case "ClassDeclaration":
      case "ClassExpression":
      case "TSEnumDeclaration":
        bind(node.id, depth)
        except = "id"
        break
      case "TSModuleDeclaration":
      case "StaticBlock":
        // A `return` in here is a mistake, which the parser has told.
        bind(node.id, depth)
        children(node, depth + 1, "id")
        return
      case "CatchClause":
        bind(node.param, depth)
        except = "param"
        break
      case "ImportDeclaration":
        for (const specifier of nodesIn(node.specifiers)) bind(specifier.local, depth)
        return
      case "ExportSpecifier":
        return
      case "AccessorProperty":
        syntax.unsupported.push(node)
        break
      case "ReturnStatement":
        if (depth === 0) syntax.returns.push(node)
        break
      case "ImportExpression":
      case "MetaProperty":
        if (node.type === "ImportExpression" || (node.meta as Node).name === "import") syntax.unsupported.push(node)
        if (node.type === "MetaProperty") return
        break
      case "UnaryExpression":
        if (node.operator === "typeof") refer(node.argument, "typeof")
        break
      case "CallExpression":
      case "NewExpression": {
        refer(node.callee, "call")
        const use = toolUse(node.callee)
        if (use?.tool) syntax.uses.push({ ...use, end: node.end })
        break
      }
      case "MemberExpression": {
        const use = toolUse(node)
        if (use) {
          syntax.uses.push(use)
          if (!use.tool) understood.add(node.object)
        }
        except = node.computed ? undefined : "property"
      }
    }
    children(node, depth, except)
  }

  const isTools = (value: unknown): boolean =>
    isNode(value) && value.type === "Identifier" && toolNames.has(value.name as string)

  const toolUse = (value: unknown): ToolUse | undefined => {
    if (!isNode(value) || value.type !== "MemberExpression") return undefined
    const name = memberName(value)
    if (name === undefined) return undefined
    if (isTools(value.object)) return { server: name, start: value.start, end: value.end }
    const outer = isNode(value.object) && isTools(value.object.object) ? toolUse(value.object) : undefined
    return outer && { server: outer.server, tool: name, start: value.start, end: value.end }
  }

  /** `const { github } = tools` */
  const readDestructured = ({ id, init }: Node): void => {
    if (!isTools(init) || !isNode(id) || id.type !== "ObjectPattern") return
    const properties = nodesIn(id.properties)
    if (properties.some(property => property.type !== "Property" || property.computed)) return
    understood.add(init)
    for (const { key, start, end } of properties as (Node & { key: Node })[])
      syntax.uses.push({ server: String(key.name ?? key.value), start, end })
  }

  for (const statement of nodesIn(program.body)) visit(statement, 0)
  return syntax
}

/** The `x` of `a.x` and `a["x"]`. */
function memberName({ property, computed }: Node): string | undefined {
  if (!isNode(property)) return undefined
  if (!computed) return property.name as string
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined
}
