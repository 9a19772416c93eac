/** A schema as tools, and selections checked against it. Runs in a thread of its own. */
import { hash } from "node:crypto"
import {
  buildClientSchema,
  buildSchema,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  type IntrospectionQuery,
  isCompositeType,
  isUnionType,
  Kind,
  parse,
  print,
  validate,
  visit,
} from "graphql"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { summary, toInputSchema } from "./input-schema.ts"
import { type GraphQlPlan, type GraphQlTool, toDocument } from "./operation.ts"
import { defaultSelection } from "./selection.ts"

export interface GraphQlJob {
  kind: "graphql"
  /** SDL, or the answer to an introspection query, as UTF-8. */
  bytes: Uint8Array
  where: string
  /** Instead of converting: checks a selection, and gives it in one line. */
  check?: { plan: GraphQlPlan; select: string }
}

export interface GraphQlTools {
  tools: GraphQlTool[]
  notes: string[]
}

const MAX_NAME = 56
const MAX_DESCRIPTION = 500
const MAX_SHOWN_SELECTION = 160
const MAX_SHOWN_FIELDS = 60

export function convertGraphQl(job: GraphQlJob): GraphQlTools | { selection: string } {
  const schema = readSchema(new TextDecoder().decode(job.bytes), job.where)
  return job.check ? { selection: checkSelection(schema, job.check.plan, job.check.select) } : toTools(schema)
}

function readSchema(text: string, where: string): GraphQLSchema {
  try {
    if (!/^\s*\{/.test(text)) return buildSchema(text, { assumeValid: true })
    const value: unknown = JSON.parse(text)
    const data = isObject(value) && isObject(value.data) ? value.data : value
    return buildClientSchema(data as unknown as IntrospectionQuery, { assumeValid: true })
  } catch (error) {
    const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined
    const place = line === undefined ? where : `${where}:${line}`
    throw new YardError("config_invalid", `${place} is no GraphQL schema: ${(error as Error).message}`)
  }
}

function toTools(schema: GraphQLSchema): GraphQlTools {
  const taken = new Set<string>()
  const fieldsOf = (type: GraphQLObjectType | null | undefined): GraphQLField[] =>
    Object.values(type?.getFields() ?? {})
  const tools = [
    ...fieldsOf(schema.getQueryType()).map(field => toTool(schema, "query", field, taken)),
    ...fieldsOf(schema.getMutationType()).map(field => toTool(schema, "mutation", field, taken)),
  ]
  const subscriptions = fieldsOf(schema.getSubscriptionType()).map(({ name }) => name)
  const notes = [`${tools.length} queries and mutations`]
  if (subscriptions.length > 0) notes.push(`subscriptions can't be tools and are left out: ${subscriptions.join(", ")}`)
  return { tools, notes }
}

function toTool(
  schema: GraphQLSchema,
  kind: GraphQlPlan["kind"],
  field: GraphQLField,
  taken: Set<string>,
): GraphQlTool {
  const type = getNamedType(field.type)
  const isDeep = isCompositeType(type)
  const inputSchema = toInputSchema(field)
  const select = isDeep ? (field.args.some(({ name }) => name === "select") ? "_select" : "select") : undefined
  const plan: GraphQlPlan = {
    kind,
    field: field.name,
    variables: Object.fromEntries(field.args.map(arg => [arg.name, String(arg.type)])),
    selection: defaultSelection(schema, field.type),
    ...(isDeep && { type: type.name }),
    ...(select !== undefined && { select }),
  }
  if (isDeep && !isValid(schema, plan)) plan.selection = "{ __typename }"
  if (select !== undefined) {
    const preset = summary([plan.selection], MAX_SHOWN_SELECTION)
    const description = `GraphQL selection from ${type.name}; default: ${preset}`
    inputSchema.properties = { ...(inputSchema.properties as JsonObject), [select]: { type: "string", description } }
  }
  const description = summary(
    [
      field.description || `${kind} ${field.name}: ${field.type}`,
      field.deprecationReason && `Deprecated: ${field.deprecationReason}`,
    ],
    MAX_DESCRIPTION,
  )
  const annotations = { readOnlyHint: kind === "query", openWorldHint: true }
  return { definition: { name: toName(field.name, kind, taken), description, inputSchema, annotations }, plan }
}

/** Queries and mutations have names of their own each; long ones are cut and told apart by a hash. */
function toName(name: string, kind: string, taken: Set<string>): string {
  const unique = taken.has(name) ? `${name}_${kind}` : name
  const short =
    unique.length <= MAX_NAME ? unique : `${unique.slice(0, MAX_NAME - 9)}_${hash("sha256", unique).slice(0, 8)}`
  taken.add(short)
  return short
}

function isValid(schema: GraphQLSchema, plan: GraphQlPlan): boolean {
  return problemsOf(schema, plan, plan.selection).length === 0
}

/** Arguments that must be given are given, as variables: what is selected is all that is in question. */
function problemsOf(schema: GraphQLSchema, plan: GraphQlPlan, selection: string): readonly GraphQLError[] {
  return validate(schema, parse(toDocument(plan, plan.variables, selection)))
}

function checkSelection(schema: GraphQLSchema, plan: GraphQlPlan, select: string): string {
  const text = /^\s*\{/.test(select) ? select : `{ ${select} }`
  const wrong = (message: string): YardError =>
    new YardError("invalid_arguments", `\`${plan.select}\` can't be used: ${message}`, {
      hint: fieldsOf(schema, plan.type ?? ""),
    })
  let selection: string
  try {
    // As a fragment: whatever would end it early makes two definitions.
    const { definitions } = parse(`fragment Selection on ${plan.type} ${text}`)
    const [fragment] = definitions
    if (definitions.length !== 1 || fragment?.kind !== Kind.FRAGMENT_DEFINITION)
      throw new Error("it is not one selection")
    // The parser takes an empty selection; no server does.
    visit(fragment, {
      SelectionSet: ({ selections }) => {
        if (selections.length === 0) throw new Error("nothing is selected between { and }")
      },
    })
    selection = print(fragment.selectionSet).replace(/\s+/g, " ")
  } catch (error) {
    throw wrong((error as Error).message)
  }
  const [problem] = problemsOf(schema, plan, selection)
  if (problem) throw wrong(problem.message)
  return selection
}

/** What there is to select from. */
function fieldsOf(schema: GraphQLSchema, name: string): string {
  const type = schema.getType(name)
  if (!isCompositeType(type)) return ""
  if (isUnionType(type)) return `${name} is one of ${type.getTypes().join(", ")}.`
  const fields = Object.values(type.getFields()).map(field => `${field.name}: ${field.type}`)
  const more = fields.length > MAX_SHOWN_FIELDS ? ` and ${fields.length - MAX_SHOWN_FIELDS} more` : ""
  return `${name} has ${fields.slice(0, MAX_SHOWN_FIELDS).join(", ")}${more}.`
}
