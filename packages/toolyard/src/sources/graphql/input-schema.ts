/** The arguments of a GraphQL field as JSON Schema. Input types that recur or are used twice stand under `$defs`. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  valueFromASTUntyped,
} from "graphql"
import type { JsonObject } from "../../model/json.ts"

const SCALARS: Record<string, JsonObject> = {
  String: { type: "string" },
  ID: { type: "string" },
  Int: { type: "integer" },
  Float: { type: "number" },
  Boolean: { type: "boolean" },
}
const MAX_DESCRIPTION = 200

export function toInputSchema(field: GraphQLField): JsonObject {
  const shared = sharedTypes(field.args)
  const $defs: JsonObject = {}
  const context = { shared, $defs }
  const properties = field.args.map((arg): [string, JsonObject] => [arg.name, toProperty(arg, context, false)])
  const required = field.args.filter(isRequiredArgument).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 && { $defs }),
  }
}

interface Context {
  shared: Set<GraphQLInputObjectType>
  $defs: JsonObject
}

/** `null` clears a field of an object; as an argument it says no more than leaving it out. */
function toProperty(place: GraphQLArgument | GraphQLInputField, context: Context, mayBeNull: boolean): JsonObject {
  const schema = toSchema(place.type, context, mayBeNull)
  const description = summary([place.description, place.deprecationReason && `Deprecated: ${place.deprecationReason}`])
  const preset = defaultOf(place)
  return {
    ...schema,
    ...(description !== "" && { description }),
    ...(preset !== undefined && preset !== null && { default: preset }),
  }
}

function toSchema(type: GraphQLInputType, context: Context, mayBeNull: boolean): JsonObject {
  if (isNonNullType(type)) return toSchema(type.ofType, context, false)
  const orNull = (name: string): string | string[] => (mayBeNull ? [name, "null"] : name)
  if (isListType(type))
    return { type: orNull("array"), items: toSchema(type.ofType, context, !isNonNullType(type.ofType)) }
  if (isEnumType(type)) return { enum: [...type.getValues().map(({ name }) => name), ...(mayBeNull ? [null] : [])] }
  if (isInputObjectType(type)) return toReference(type, context)
  const known = Object.hasOwn(SCALARS, type.name) ? SCALARS[type.name] : undefined
  // A scalar of the API's own may be any JSON; its name says most.
  if (!known) return { description: summary([type.name, type.description]) }
  return { ...known, type: orNull(known.type as string) }
}

function toReference(type: GraphQLInputObjectType, context: Context): JsonObject {
  if (!context.shared.has(type)) return toObject(type, context)
  if (!Object.hasOwn(context.$defs, type.name)) {
    context.$defs[type.name] = {}
    context.$defs[type.name] = toObject(type, context)
  }
  return { $ref: `#/$defs/${type.name}` }
}

function toObject(type: GraphQLInputObjectType, context: Context): JsonObject {
  const fields = Object.values(type.getFields())
  const properties = fields.map((field): [string, JsonObject] => [field.name, toProperty(field, context, true)])
  const required = fields.filter(isRequiredInputField).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
    additionalProperties: false,
  }
}

/** Input types that are met more than once, on the way down or on another one. */
function sharedTypes(args: readonly GraphQLArgument[]): Set<GraphQLInputObjectType> {
  const met = new Set<GraphQLInputObjectType>()
  const shared = new Set<GraphQLInputObjectType>()
  const visit = (places: readonly (GraphQLArgument | GraphQLInputField)[]): void => {
    for (const place of places) {
      const type = getNamedType(place.type)
      if (!isInputObjectType(type)) continue
      if (met.has(type)) {
        shared.add(type)
        continue
      }
      met.add(type)
      visit(Object.values(type.getFields()))
    }
  }
  visit(args)
  return shared
}

function defaultOf({ default: preset }: GraphQLArgument | GraphQLInputField): unknown {
  if (!preset) return undefined
  return preset.literal ? valueFromASTUntyped(preset.literal) : preset.value
}

/** The first words of what there is to say. */
export function summary(parts: (string | null | undefined)[], max = MAX_DESCRIPTION): string {
  const text = parts
    .filter(part => typeof part === "string" && part.trim() !== "")
    .join(". ")
    .replace(/\s+/g, " ")
    .trim()
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}
