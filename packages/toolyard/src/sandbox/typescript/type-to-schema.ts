/** JSON Schema of a TypeScript type, for values that come as JSON. */
import {
  type Checker,
  ElementFlags,
  type Symbol as Member,
  type ObjectType,
  SymbolFlags,
  type TupleType,
  type Type,
  TypeFlags,
  type TypeReference,
} from "typescript/unstable/sync"
import type { JsonObject } from "../../model/json.ts"
import { jsDocText } from "./js-doc.ts"

/** Types of the language that have their own form in JSON. */
const KNOWN: Record<string, JsonObject> = {
  Date: { type: "string", format: "date-time" },
  URL: { type: "string", format: "uri" },
  RegExp: { type: "string", format: "regex" },
  Uint8Array: { type: "string", contentEncoding: "base64" },
}
const DEEPEST = 40

/** What is being written: named types come once, under `$defs`, when they contain themselves. */
interface Writing {
  checker: Checker
  /** The types around the one that is written, outermost first. */
  around: Type[]
  /** Names of the types that contain themselves. */
  named: Map<number, string>
  definitions: Map<string, JsonObject>
}

export function typeToSchema(checker: Checker, type: Type): JsonObject {
  const writing: Writing = { checker, around: [], named: new Map(), definitions: new Map() }
  const schema = write(type, writing)
  if (writing.definitions.size === 0) return schema
  const $defs = Object.fromEntries(writing.definitions)
  // Who reads the schema of a tool looks for its properties at the top.
  const own = typeof schema.$ref === "string" ? $defs[schema.$ref.slice("#/$defs/".length)] : undefined
  return { ...(own ?? schema), $defs }
}

function write(type: Type, writing: Writing): JsonObject {
  const { flags } = type
  if (type.isStringLiteralType() || type.isNumberLiteralType() || type.isBooleanLiteralType())
    return { const: type.value }
  if (flags & TypeFlags.StringLike) return { type: "string" }
  if (flags & TypeFlags.NumberLike && !type.isUnionType()) return { type: "number" }
  if (flags & TypeFlags.BigIntLike) return { type: "integer" }
  if (flags & TypeFlags.Null) return { type: "null" }
  if (flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never)) return { not: {} }
  if (flags & TypeFlags.Boolean) return { type: "boolean" }
  if (type.isUnionType()) return writeUnion(type.getTypes(), writing)
  if (type.isTypeParameter()) {
    const constraint = writing.checker.getBaseConstraintOfType(type)
    return constraint ? write(constraint, writing) : {}
  }
  if (type.isIntersectionType()) {
    // `string & { brand: … }` and the like: in JSON it is what it is first of all.
    const plain = type.getTypes().find(part => !part.isObjectType() || writing.checker.isArrayLikeType(part))
    if (plain && !plain.isTypeParameter()) return write(plain, writing)
  }
  if (type.isObjectType() || type.isIntersectionType()) return writeNamed(type, writing)
  return flags & TypeFlags.NonPrimitive ? { type: "object" } : {}
}

/** Keeps a type that contains itself from being written for ever. */
function writeNamed(type: Type, writing: Writing): JsonObject {
  const known = writing.named.get(type.id)
  if (known !== undefined) return { $ref: `#/$defs/${known}` }
  if (writing.around.some(({ id }) => id === type.id) || writing.around.length > DEEPEST) {
    if (writing.around.length > DEEPEST) return {}
    const name = nameFor(type, writing)
    writing.named.set(type.id, name)
    return { $ref: `#/$defs/${name}` }
  }
  writing.around.push(type)
  const schema = writeObject(type, writing)
  writing.around.pop()
  const name = writing.named.get(type.id)
  if (name === undefined) return schema
  writing.definitions.set(name, schema)
  return { $ref: `#/$defs/${name}` }
}

function nameFor(type: Type, { named }: Writing): string {
  const symbol = type.getAliasSymbol()?.name ?? type.getSymbol()?.name ?? ""
  const plain = /^[A-Za-z]\w*$/.test(symbol) ? symbol : "Type"
  const taken = new Set(named.values())
  let name = plain
  for (let i = 2; taken.has(name); i++) name = `${plain}${i}`
  return name
}

function writeUnion(types: readonly Type[], writing: Writing): JsonObject {
  const present = types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void)))
  const schemas = present.map(type => write(type, writing))
  const literals = schemas.filter(schema => "const" in schema).map(schema => schema.const)
  const others = schemas.filter(schema => !("const" in schema))
  // The compiler sees `boolean` as the union of its two values.
  const isBoolean = literals.includes(true) && literals.includes(false)
  const values = isBoolean ? literals.filter(value => typeof value !== "boolean") : literals
  const parts = [
    ...(values.length === 1 ? [{ const: values[0] }] : values.length > 1 ? [toEnum(values)] : []),
    ...(isBoolean ? [{ type: "boolean" }] : []),
    ...others,
  ]
  if (parts.length === 1) return parts[0] as JsonObject
  const names = parts.map(({ type, ...rest }) => (Object.keys(rest).length === 0 ? type : undefined))
  return names.every(name => typeof name === "string") ? { type: names } : { anyOf: parts }
}

function toEnum(values: unknown[]): JsonObject {
  const kinds = new Set(values.map(value => typeof value))
  const [kind] = kinds
  return kinds.size === 1 ? { type: kind, enum: values } : { enum: values }
}

function writeObject(type: Type, writing: Writing): JsonObject {
  const { checker } = writing
  if (type.isTypeReference()) {
    const target = type.getTarget()
    if (target.isTupleType()) return writeTuple(type, target, writing)
    if (checker.isArrayLikeType(type) && checker.isArrayLikeType(target)) {
      const [item] = checker.getTypeArguments(type)
      return { type: "array", ...(item && { items: write(item, writing) }) }
    }
  }
  const name = type.getSymbol()?.name ?? ""
  if (Object.hasOwn(KNOWN, name)) return { ...KNOWN[name] }
  const args = type.isTypeReference() ? checker.getTypeArguments(type as TypeReference) : []
  if (name === "Set" || name === "ReadonlySet")
    return { type: "array", uniqueItems: true, ...(args[0] && { items: write(args[0], writing) }) }
  if (name === "Map" || name === "ReadonlyMap")
    return { type: "object", ...(args[1] && { additionalProperties: write(args[1], writing) }) }
  return writeProperties(type as ObjectType, writing)
}

function writeTuple(type: TypeReference, target: TupleType, writing: Writing): JsonObject {
  const items = writing.checker.getTypeArguments(type).map(item => write(item, writing))
  const { elementFlags } = target
  const isRest = (i: number) => ((elementFlags[i] ?? 0) & (ElementFlags.Rest | ElementFlags.Variadic)) !== 0
  const fixed = items.filter((_, i) => !isRest(i))
  const rest = items.find((_, i) => isRest(i))
  const minItems = elementFlags.filter(flags => flags & ElementFlags.Required).length
  return { type: "array", prefixItems: fixed, minItems, items: rest ?? false }
}

function writeProperties(type: ObjectType, writing: Writing): JsonObject {
  const { checker } = writing
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const member of checker.getPropertiesOfType(type)) {
    const inner = checker.getTypeOfSymbol(member)
    // Functions do not come as JSON, nor does what has a symbol for its name.
    if (!inner || member.flags & SymbolFlags.Method || member.name.startsWith("__@")) continue
    properties.push([member.name, describe(member, write(inner, writing), checker)])
    if (!(member.flags & SymbolFlags.Optional) && !allowsUndefined(inner)) required.push(member.name)
  }
  const index = checker.getIndexInfosOfType(type)[0]
  return {
    type: "object",
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(index && { additionalProperties: write(index.valueType, writing) }),
  }
}

function allowsUndefined(type: Type): boolean {
  if (type.isUnionType()) return type.getTypes().some(allowsUndefined)
  return (type.flags & (TypeFlags.Undefined | TypeFlags.Any | TypeFlags.Unknown)) !== 0
}

/** What the JSDoc of a property says. */
function describe(member: Member, schema: JsonObject, checker: Checker): JsonObject {
  const description = member.getDocumentationComment(checker).trim() || inlineDoc(member)
  const tag = member.getJsDocTags(checker).find(({ name, text }) => name === "default" && text)
  return { ...schema, ...(description && { description }), ...(tag?.text && { default: parseDefault(tag.text) }) }
}

/** To the compiler, a comment on the line of the `{` before it belongs to that; to its author, to the property. */
function inlineDoc({ valueDeclaration }: Member): string | undefined {
  const node = valueDeclaration?.resolve()
  const comment = node && /^\s*\/\*(\*[\s\S]*?)\*\//.exec(node.getSourceFile().text.slice(node.pos, node.end))
  return comment?.[1] === undefined ? undefined : jsDocText(comment[1])
}

function parseDefault(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
