/** The output schema of a function, where its return type says what its results look like. */
import { type Checker, type Signature, type Type, TypeFlags } from "typescript/unstable/sync"
import { isObject, type JsonObject } from "../../../model/json.ts"
import { platformName } from "../../../sandbox/typescript/object-schema.ts"
import { openSchemaWriter, type SchemaWriter } from "../../../sandbox/typescript/type-to-schema.ts"
import { unionOf } from "../../../sandbox/typescript/union-schema.ts"

export interface Returns {
  outputSchema?: JsonObject
  wrapped: boolean
}

const PROMISES = new Set(["Promise", "PromiseLike"])
const ITERABLES = new Set([
  ...["AsyncIterable", "AsyncIterableIterator", "AsyncIteratorObject", "AsyncGenerator"],
  ...["Iterable", "IterableIterator", "IteratorObject", "Generator"],
])
const BLOCKS = new Set(["text", "image", "audio", "resource", "resource_link"])
const NOTHING = TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never

export function describeReturns(checker: Checker, signature: Signature, description: string | undefined): Returns {
  const type = checker.getReturnTypeOfSignature(signature)
  const writer = openSchemaWriter(checker, "results")
  const schema = type && schemaOf(type, checker, writer)
  if (!schema || writer.isCut()) return { wrapped: false }
  const said = description ? { description } : {}
  const whole = writer.finish(schema)
  if (isObjectSchema(whole)) return { outputSchema: { type: "object", ...whole, ...said }, wrapped: false }
  const outputSchema = {
    type: "object",
    properties: { result: { ...schema, ...said } },
    required: ["result"],
    "x-toolyard-wrapped": true,
  }
  return { outputSchema: writer.finish(outputSchema), wrapped: true }
}

/** `undefined` unless every value of the type is told by its schema: not for nothing, bytes and content blocks. */
function schemaOf(type: Type, checker: Checker, writer: SchemaWriter): JsonObject | undefined {
  const parts = settled(type, checker)
  const schemas = parts.map(part => {
    if (part.flags & NOTHING) return undefined
    const item = iterated(part, checker)
    const items = item && schemaOf(item, checker, writer)
    const schema = item ? items && { type: "array", items } : writer.write(part)
    return schema && !isOpaque(writer.finish(schema)) ? schema : undefined
  })
  if (schemas.length === 0 || schemas.includes(undefined)) return undefined
  // Written whole where that says the same, for its names.
  const isWhole = type.isUnionType() && parts.every((part, i) => part === type.getTypes()[i])
  return isWhole ? writer.write(type) : unionOf(schemas as JsonObject[], { use: "results" })
}

/** The types of what comes in the end: `T | Promise<U>` gives T and U. */
function settled(type: Type, checker: Checker): Type[] {
  if (type.isUnionType() && !(type.flags & TypeFlags.Boolean))
    return type.getTypes().flatMap(part => settled(part, checker))
  const name = type.isTypeReference() ? platformName(type) : undefined
  if (!type.isTypeReference() || name === undefined || !PROMISES.has(name)) return [type]
  const [inner] = checker.getTypeArguments(type)
  return inner ? settled(inner, checker) : [type]
}

function iterated(type: Type, checker: Checker): Type | undefined {
  const name = type.isTypeReference() ? platformName(type) : undefined
  return type.isTypeReference() && name !== undefined && ITERABLES.has(name)
    ? checker.getTypeArguments(type)[0]
    : undefined
}

function isObjectSchema(schema: JsonObject): boolean {
  if (Array.isArray(schema.anyOf) && schema.type === undefined) return schema.anyOf.every(part => isObjectSchema(part))
  return schema.type === "object"
}

/** Bytes, content blocks and what can be anything. */
function isOpaque(schema: JsonObject): boolean {
  if (schema.contentEncoding === "base64" || schema.not !== undefined) return true
  const { type, $ref, anyOf } = schema
  if (type === undefined && $ref === undefined && anyOf === undefined) return !("const" in schema || "enum" in schema)
  if (Array.isArray(type) && type.includes("object")) return true
  if (isBlock(schema)) return true
  if (type === "array") return isObject(schema.items) && isBlock(schema.items)
  const content = propertiesOf(schema).content
  return isObject(content) && isObject(content.items) && isBlock(content.items)
}

/** Also where the compiler saw no more than `{ type: string, text: string }` in what is returned. */
function isBlock(schema: JsonObject): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(part => isBlock(part))
  const { type, text, data, mimeType, resource, uri, name } = propertiesOf(schema)
  if (!isObject(type)) return false
  const values = "const" in type ? [type.const] : Array.isArray(type.enum) ? type.enum : []
  if (values.some(value => BLOCKS.has(value))) return true
  return type.type === "string" && !!(text || (data && mimeType) || resource || (uri && name))
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {}
}
