/** JSON Schema of the types whose values are objects to JavaScript: arrays, tuples, records, dates, maps … */
import {
  type Checker,
  ElementFlags,
  type Symbol as Member,
  SignatureKind,
  SymbolFlags,
  type TupleType,
  type Type,
  TypeFlags,
  type TypeReference,
} from "typescript/unstable/sync"
import type { JsonObject } from "../../model/json.ts"
import { docOf } from "./doc-comment.ts"
import { withDoc } from "./doc-keywords.ts"
import { PRESENT, type Writing } from "./schema-writing.ts"
import { NUMERIC_KEY, patternOf } from "./string-pattern.ts"
import { unionOf } from "./union-schema.ts"

/** Types of the language that have their own form in JSON. */
const KNOWN: Record<string, JsonObject> = {
  Date: { type: "string", format: "date-time" },
  URL: { type: "string", format: "uri" },
  RegExp: { type: "string", format: "regex" },
  Uint8Array: { type: "string", contentEncoding: "base64" },
  Buffer: { type: "string", contentEncoding: "base64" },
  ArrayBuffer: { type: "string", contentEncoding: "base64" },
}
const WRAPPERS: Record<string, JsonObject> = {
  String: { type: "string" },
  Number: { type: "number" },
  Boolean: { type: "boolean" },
  Object: PRESENT,
}
const ARRAYS = new Set(["Array", "ReadonlyArray", "Iterable", "ArrayLike"])
/** Types of the language without a form in JSON. */
const FORMLESS = new Set([
  ...["Function", "CallableFunction", "NewableFunction", "Promise", "PromiseLike", "WeakMap", "WeakSet", "WeakRef"],
  ...["Blob", "File", "FormData", "ReadableStream", "WritableStream", "TransformStream", "Response", "Request"],
  ...["AbortSignal", "AbortController", "DataView", "SharedArrayBuffer", "Generator", "AsyncGenerator"],
  ...["AsyncIterable", "AsyncIterator", "AsyncIterableIterator", "Iterator"],
])

/** The name of a type that comes with the language or the platform, as opposed to one of the user's. */
export function platformName(type: Type): string | undefined {
  const symbol = type.getSymbol()
  if (!symbol || symbol.declarations.length === 0) return undefined
  return symbol.declarations.every(({ path }) => /\.d\.[cm]?ts$/.test(path)) ? symbol.name : undefined
}

export function writeObject(type: Type, writing: Writing): JsonObject | undefined {
  const { checker } = writing
  const target = type.isTypeReference() ? type.getTarget() : undefined
  if (target?.isTupleType()) return writeTuple(type as TypeReference, target, writing)
  const name = platformName(type)
  if (name === undefined) return writeProperties(type, writing)
  if (FORMLESS.has(name)) return undefined
  const marker = writing.use === "arguments" ? { "x-toolyard-type": name.replace("Readonly", "") } : {}
  if (Object.hasOwn(KNOWN, name)) return { ...KNOWN[name], ...marker }
  if (Object.hasOwn(WRAPPERS, name)) return { ...WRAPPERS[name] }
  const [first, second] = type.isTypeReference() ? checker.getTypeArguments(type) : []
  if (ARRAYS.has(name)) return { type: "array", ...itemsOf(first, writing) }
  if (name === "Set" || name === "ReadonlySet")
    // What comes twice is in the set once, and no fault.
    return {
      type: "array",
      ...(writing.use !== "arguments" && { uniqueItems: true }),
      ...itemsOf(first, writing),
      ...marker,
    }
  if (name === "Map" || name === "ReadonlyMap") return { ...writeMap(first, second, writing), ...marker }
  return writeProperties(type, writing)
}

function itemsOf(type: Type | undefined, { write }: Writing): JsonObject {
  const items = type && write(type)
  return items ? { items } : {}
}

/** An object where the keys are strings, pairs of key and value otherwise. */
function writeMap(key: Type | undefined, value: Type | undefined, { write, use }: Writing): JsonObject {
  const keys = (key && write(key)) ?? {}
  const values = (value && write(value)) ?? {}
  if (keys.type === "string" || typeof keys.const === "string" || use === "loose" || !key) {
    const isAny = Object.keys(keys).length === 1 && keys.type === "string"
    return { type: "object", ...(use !== "loose" && !isAny && { propertyNames: keys }), additionalProperties: values }
  }
  return { type: "array", items: { type: "array", prefixItems: [keys, values], minItems: 2, items: false } }
}

function writeTuple(type: TypeReference, target: TupleType, writing: Writing): JsonObject {
  const elements = writing.checker.getTypeArguments(type).map(item => writing.write(item) ?? {})
  // An empty tuple has none.
  const elementFlags = target.elementFlags ?? []
  const isRest = (i: number) => ((elementFlags[i] ?? 0) & (ElementFlags.Rest | ElementFlags.Variadic)) !== 0
  const first = elementFlags.findIndex((_, i) => isRest(i))
  const fixed = first === -1 ? elements : elements.slice(0, first)
  // What follows a rest has no keyword: any of the rest and it may stand there.
  const rest = first === -1 ? undefined : unionOf(elements.slice(first), writing)
  const minItems = elementFlags.filter(flags => flags & ElementFlags.Required).length
  if (fixed.length === 0) return { type: "array", minItems, ...(rest ? { items: rest } : { maxItems: 0 }) }
  return { type: "array", prefixItems: fixed, minItems, items: rest ?? false }
}

function writeProperties(type: Type, writing: Writing): JsonObject | undefined {
  const { checker, use } = writing
  const members = checker.getPropertiesOfType(type)
  const indexes = checker.getIndexInfosOfType(type)
  if (members.length === 0 && indexes.length === 0) {
    if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return undefined
    if (checker.getSignaturesOfType(type, SignatureKind.Construct).length > 0) return undefined
    return use === "loose" ? { type: "object" } : { ...PRESENT }
  }
  const own = use === "results" ? writtenBy("toJSON", members, writing) : undefined
  if (own) return own
  // Functions do not come as JSON, nor does what has a symbol for its name, nor what is `#private`.
  const data = members.filter(({ flags, escapedName }) => !(flags & SymbolFlags.Method || /^__[@#]/.test(escapedName)))
  const types = data.length === 0 ? [] : checker.getTypeOfSymbol(data)
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const [i, member] of data.entries()) {
    const inner = types[i]
    const schema = inner && writing.write(inner)
    if (!schema) continue
    properties.push([member.name, withDoc(schema, docOf(member))])
    if (!(member.flags & SymbolFlags.Optional) && !allowsUndefined(inner, use === "loose")) required.push(member.name)
  }
  const symbol = use === "loose" ? undefined : (type.getAliasSymbol() ?? type.getSymbol())
  const text = symbol && platformName(type) === undefined ? docOf(symbol)?.text : undefined
  return {
    type: "object",
    ...(text && { description: text }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...writeIndexes(indexes, writing),
  }
}

function writeIndexes(indexes: ReturnType<Checker["getIndexInfosOfType"]>, writing: Writing): JsonObject {
  const patterns: [string, JsonObject][] = []
  let others: JsonObject | undefined
  for (const { keyType, valueType } of indexes) {
    const pattern = keyType.flags & TypeFlags.Number ? NUMERIC_KEY : patternOf(keyType)
    const schema = keyType.flags & TypeFlags.ESSymbol ? undefined : writing.write(valueType)
    if (!schema) continue
    if (pattern === undefined || writing.use === "loose") others ??= schema
    else patterns.push([pattern, schema])
  }
  const closed = writing.use === "arguments" ? { additionalProperties: false } : {}
  return {
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
    ...(others ? { additionalProperties: others } : closed),
  }
}

/** What a method of that name gives, where there is one. */
function writtenBy(name: string, members: readonly Member[], { checker, write }: Writing): JsonObject | undefined {
  const method = members.find(member => member.name === name && member.flags & SymbolFlags.Method)
  const type = method && checker.getTypeOfSymbol(method)
  const [signature] = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : []
  const given = signature && checker.getReturnTypeOfSignature(signature)
  return given && write(given)
}

/** JSON has no `undefined`: what may be that may be left out. */
export function allowsUndefined(type: Type, isLoose = false): boolean {
  if (type.isUnionType()) return type.getTypes().some(part => allowsUndefined(part, isLoose))
  const anything = isLoose ? TypeFlags.Any | TypeFlags.Unknown : 0
  return (type.flags & (TypeFlags.Undefined | TypeFlags.Void | anything)) !== 0
}
