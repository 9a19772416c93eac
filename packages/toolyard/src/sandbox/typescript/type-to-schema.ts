/** JSON Schema (2020-12) of a TypeScript type, for values that come or go as JSON. */
import { type Checker, type Type, TypeFlags } from "typescript/unstable/sync"
import type { JsonObject } from "../../model/json.ts"
import { writeObject } from "./object-schema.ts"
import { PRESENT, type SchemaUse, type Writing } from "./schema-writing.ts"
import { patternOf } from "./string-pattern.ts"
import { unionOf } from "./union-schema.ts"

const DEEPEST = 40
const MOST_TYPES = 1000

export interface SchemaWriter {
  /** `undefined` for what has no form in JSON: functions, symbols, streams. */
  write(type: Type): JsonObject | undefined
  /** The schema with what it refers to. */
  finish(schema: JsonObject): JsonObject
  /** Whether something was too large to be written whole. */
  isCut(): boolean
}

export function openSchemaWriter(checker: Checker, use: SchemaUse): SchemaWriter {
  const writing: Writing = {
    checker,
    use,
    around: [],
    named: new Map(),
    definitions: new Map(),
    left: MOST_TYPES,
    write: type => write(type, writing),
  }
  return {
    write: writing.write,
    isCut: () => writing.left < 0,
    finish(schema) {
      if (writing.definitions.size === 0) return schema
      const $defs = Object.fromEntries(writing.definitions)
      // Who reads the schema of a tool looks for its properties at the top.
      const { $ref, ...rest } = schema
      const own = typeof $ref === "string" ? $defs[$ref.slice("#/$defs/".length)] : undefined
      return { ...(own ? { ...own, ...rest } : schema), $defs }
    },
  }
}

export function typeToSchema(checker: Checker, type: Type, use: SchemaUse = "loose"): JsonObject {
  const writer = openSchemaWriter(checker, use)
  return writer.finish(writer.write(type) ?? {})
}

function write(type: Type, writing: Writing): JsonObject | undefined {
  const { flags } = type
  const isLoose = writing.use === "loose"
  if (type.isStringLiteralType() || type.isNumberLiteralType() || type.isBooleanLiteralType()) {
    const name = flags & TypeFlags.EnumLiteral && !isLoose ? type.getSymbol()?.name : undefined
    return { const: type.value, ...(name !== undefined && { description: name }) }
  }
  if (flags & TypeFlags.StringLike) {
    const pattern = flags & TypeFlags.String || isLoose ? undefined : patternOf(type)
    return { type: "string", ...(pattern !== undefined && { pattern }) }
  }
  if (flags & TypeFlags.NumberLike && !type.isUnionType()) return { type: "number" }
  if (flags & TypeFlags.BigIntLike) return writeBigInt(type, writing)
  if (flags & TypeFlags.Null) return { type: "null" }
  if (flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never)) return { not: {} }
  if (flags & TypeFlags.Boolean) return { type: "boolean" }
  if (flags & TypeFlags.ESSymbolLike) return undefined
  if (type.isUnionType()) return writeNamed(type, writing, () => writeUnion(type.getTypes(), writing))
  if (flags & TypeFlags.Instantiable) {
    const constraint = writing.checker.getBaseConstraintOfType(type)
    return constraint && constraint.id !== type.id ? write(constraint, writing) : {}
  }
  if (type.isIntersectionType()) {
    // `string & { brand: … }` and the like: in JSON it is what it is first of all.
    const plain = type.getTypes().find(part => !part.isObjectType() || writing.checker.isArrayLikeType(part))
    const isOther = TypeFlags.TypeVariable | TypeFlags.Conditional | TypeFlags.Substitution | TypeFlags.NonPrimitive
    if (plain && !(plain.flags & isOther)) return write(plain, writing)
  }
  if (type.isObjectType() || type.isIntersectionType())
    return writeNamed(type, writing, () => writeObject(type, writing))
  if (flags & TypeFlags.NonPrimitive) return isLoose ? { type: "object" } : { type: ["object", "array"] }
  return {}
}

/** Beyond 2^53 a number of JSON is not exact, so that the digits may come as a string. */
function writeBigInt(type: Type, { use }: Writing): JsonObject {
  if (use === "loose") return { type: "integer" }
  const values = type.isBigIntLiteralType() ? [Number(type.value), String(type.value)] : undefined
  const form = values ? { enum: values } : { type: ["integer", "string"], pattern: "^-?\\d+$" }
  return { ...form, ...(use === "arguments" && { "x-toolyard-type": "bigint" }) }
}

function writeUnion(types: readonly Type[], writing: Writing): JsonObject | undefined {
  const present = types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void)))
  const schemas = present.map(writing.write).filter(schema => schema !== undefined)
  if (schemas.length === 0) return present.length === 0 ? { not: {} } : undefined
  return unionOf(schemas, writing)
}

/** Keeps a type that contains itself from being written for ever. */
function writeNamed(type: Type, writing: Writing, make: () => JsonObject | undefined): JsonObject | undefined {
  const known = writing.named.get(type.id)
  if (known !== undefined) return { $ref: `#/$defs/${known}` }
  if (writing.around.some(({ id }) => id === type.id)) {
    const name = nameFor(type, writing)
    writing.named.set(type.id, name)
    return { $ref: `#/$defs/${name}` }
  }
  if (writing.around.length > DEEPEST || writing.left < 0) return {}
  writing.left--
  writing.around.push(type)
  const schema = make()
  writing.around.pop()
  const name = writing.named.get(type.id)
  if (name === undefined) return schema
  writing.definitions.set(name, schema ?? PRESENT)
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
