/** What a script's syntax says of its input: what the types can't tell. */
import type { Comment } from "oxc-parser"
import { jsDocText } from "./js-doc.ts"
import { isNode, type Node } from "./syntax.ts"

export interface InputFacts {
  /** Whether the script declares a type `Input`. */
  hasType: boolean
  /** The script's JSDoc. */
  description?: string
  /** `{ limit: 10 }` for `export default ({ limit = 10 }) => …`. */
  defaults: Record<string, unknown>
}

export function describeInput(
  code: string,
  body: readonly Node[],
  comments: readonly Comment[],
  exported: Node | undefined,
): InputFacts {
  const hasType = body.some(node => {
    const declaration = isNode(node.declaration) ? node.declaration : node
    const isType = declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration"
    return isType && (declaration.id as Node).name === "Input"
  })
  const description = describe(code, body, comments, exported)
  return { hasType, defaults: exported ? defaultsOf(exported) : {}, ...(description && { description }) }
}

/** The JSDoc before everything, or else the one of the default export. */
function describe(
  code: string,
  body: readonly Node[],
  comments: readonly Comment[],
  exported: Node | undefined,
): string | undefined {
  const isDoc = (comment: Comment) => comment.type === "Block" && comment.value.startsWith("*")
  const first = comments.find(isDoc)
  if (first && first.start < (body[0]?.start ?? code.length)) return jsDocText(first.value)
  const statement = body.find(node => exported && node.start <= exported.start && node.end >= exported.end)
  if (!statement) return undefined
  const last = comments.findLast(comment => isDoc(comment) && comment.end <= statement.start)
  return last && code.slice(last.end, statement.start).trim() === "" ? jsDocText(last.value) : undefined
}

function defaultsOf(exported: Node): Record<string, unknown> {
  const [parameter] = (exported.params ?? []) as Node[]
  const pattern = parameter?.type === "AssignmentPattern" ? (parameter.left as Node) : parameter
  const defaults: Record<string, unknown> = {}
  if (pattern?.type !== "ObjectPattern") return defaults
  for (const { key, value, computed } of pattern.properties as Node[]) {
    if (computed || !isNode(key) || !isNode(value) || value.type !== "AssignmentPattern") continue
    const fixed = constantOf(value.right as Node)
    if (fixed) defaults[String(key.name ?? key.value)] = fixed.value
  }
  return defaults
}

/** The value of an expression that is JSON, but for the way it is written. */
function constantOf(node: Node): { value: unknown } | undefined {
  if (node.type === "Literal" && !("regex" in node) && !("bigint" in node)) return { value: node.value }
  if (node.type === "UnaryExpression" && node.operator === "-") {
    const inner = constantOf(node.argument as Node)
    return typeof inner?.value === "number" ? { value: -inner.value } : undefined
  }
  if (node.type === "TSAsExpression") return constantOf(node.expression as Node)
  if (node.type !== "ArrayExpression") return undefined
  const elements = (node.elements as (Node | null)[]).map(element => element && constantOf(element))
  return elements.every(element => element) ? { value: elements.map(element => element?.value) } : undefined
}
