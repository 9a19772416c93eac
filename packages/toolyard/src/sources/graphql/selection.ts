/** What is asked of a type when nobody says: what is plain first, then what hangs on it, to a depth and up to a size. */
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from "graphql"

const MAX_DEPTH = 3
const MAX_FIELDS = 60
const MAX_FRAGMENTS = 8

interface Budget {
  fields: number
}

/** `{ id name }`; empty for what has no parts. */
export function defaultSelection(schema: GraphQLSchema, type: GraphQLOutputType): string {
  const named = getNamedType(type)
  return isCompositeType(named) ? `{ ${select(schema, named, [], { fields: MAX_FIELDS })} }` : ""
}

function select(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  above: GraphQLCompositeType[],
  budget: Budget,
): string {
  const path = [...above, type]
  const parts: string[] = isAbstractType(type) ? ["__typename"] : []
  const taken = new Map<string, string>()
  if (!isUnionType(type)) parts.push(...selectFields(schema, Object.values(type.getFields()), path, budget, taken))
  if (isAbstractType(type)) {
    for (const member of schema.getPossibleTypes(type).slice(0, MAX_FRAGMENTS)) {
      const own = Object.values(member.getFields()).filter(
        ({ name }) => isUnionType(type) || !(name in type.getFields()),
      )
      // Only what is plain: with several kinds the rest is too much of a guess.
      const fields = leaves(own, budget, taken)
      if (fields.length > 0) parts.push(`... on ${member.name} { ${fields.join(" ")} }`)
    }
  }
  return parts.length > 0 ? parts.join(" ") : "__typename"
}

function selectFields(
  schema: GraphQLSchema,
  fields: GraphQLField[],
  path: GraphQLCompositeType[],
  budget: Budget,
  taken: Map<string, string>,
): string[] {
  const connection = connectionOf(fields)
  if (connection) return selectConnection(schema, connection, path, budget)
  const parts = leaves(fields, budget, taken)
  if (path.length >= MAX_DEPTH) return parts
  for (const field of fields) {
    const type = getNamedType(field.type)
    // Nothing twice on one way down, and no lists that want to be told how long they may be.
    if (!isCompositeType(type) || !isPlain(field) || path.includes(type) || budget.fields <= 0) continue
    budget.fields--
    taken.set(field.name, String(field.type))
    parts.push(`${field.name} { ${select(schema, type, path, budget)} }`)
  }
  return parts
}

/** Scalars and enums. One name must not stand for two types in one answer. */
function leaves(fields: GraphQLField[], budget: Budget, taken: Map<string, string>): string[] {
  const names: string[] = []
  for (const field of fields) {
    if (!isLeafType(getNamedType(field.type)) || field.args.some(isRequiredArgument) || field.deprecationReason)
      continue
    if (budget.fields <= 0 || (taken.get(field.name) ?? String(field.type)) !== String(field.type)) continue
    budget.fields--
    taken.set(field.name, String(field.type))
    names.push(field.name)
  }
  return names
}

interface Connection {
  /** `nodes`, or `edges` with a `node` in each. */
  list: GraphQLField
  node: GraphQLField
  total: boolean
}

function connectionOf(fields: GraphQLField[]): Connection | undefined {
  const find = (name: string): GraphQLField | undefined => fields.find(field => field.name === name)
  const nodes = find("nodes")
  const edges = find("edges")
  if (!find("pageInfo") || !(nodes ?? edges)) return undefined
  const total = isLeafType(getNamedType(find("totalCount")?.type))
  if (nodes) return { list: nodes, node: nodes, total }
  const edge = getNamedType(edges!.type)
  const node = isObjectType(edge) ? edge.getFields().node : undefined
  return node ? { list: edges!, node, total } : undefined
}

function selectConnection(
  schema: GraphQLSchema,
  { list, node, total }: Connection,
  path: GraphQLCompositeType[],
  budget: Budget,
): string[] {
  const type = getNamedType(node.type)
  // It is a way to the things, not a thing: it does not count as a level.
  const inner = isCompositeType(type) ? ` { ${select(schema, type, path.slice(0, -1), budget)} }` : ""
  const items = list === node ? `nodes${inner}` : `edges { node${inner} }`
  return [items, "pageInfo { hasNextPage endCursor }", ...(total ? ["totalCount"] : [])]
}

function isPlain({ args, deprecationReason }: GraphQLField): boolean {
  return !deprecationReason && !args.some(arg => isRequiredArgument(arg) || arg.name === "first" || arg.name === "last")
}
