/**
 * A TypeScript type as data, between the schema it is read from and the text it is printed as; and the two ways to
 * join types, which keep the result small: what says nothing is left out, objects that all apply become one.
 */
export type Kind = "string" | "number" | "boolean" | "null" | "array" | "object"

export type Type =
  | { kind: "atom"; text: string; of: Kind | undefined }
  | { kind: "literal"; text: string; of: Kind }
  | { kind: "array"; of: Type }
  | { kind: "tuple"; of: Type[]; needed: number; rest: Type | undefined }
  | { kind: "object"; fields: Field[]; index: Type | undefined }
  | { kind: "union"; of: Type[] }
  | { kind: "all"; of: Type[] }
  | { kind: "ref"; to: Definition }

export interface Field {
  name: string
  type: Type
  optional: boolean
  /** The description and its tags, as they came. */
  doc: string
  /** What values it takes beyond its type: `1–100`, `date-time`. */
  limits: string
}

/** A schema that others refer to. */
export interface Definition {
  /** Its place among the definitions of its document. */
  id: number
  /** What its document calls it. */
  hint: string
  doc: string
  uses: number
  recursive: boolean
  /** The definitions that it is made of, apart from those in values that it holds. */
  direct: Set<Definition>
  type: Type
}

const atom = (text: string, of?: Kind): Type => ({ kind: "atom", text, of })

export const UNKNOWN = atom("unknown")
export const NEVER = atom("never")
export const NULL = atom("null", "null")
export const STRING = atom("string", "string")
export const NUMBER = atom("number", "number")
export const BOOLEAN = atom("boolean", "boolean")
const UNDEFINED = atom("undefined")
export const LIST: Type = { kind: "array", of: UNKNOWN }
export const RECORD: Type = { kind: "object", fields: [], index: UNKNOWN }

/** TypeScript wants every property to fit the index signature, so that one widens until they do. */
export function objectOf(fields: Field[], index?: Type): Type {
  if (!index || index === UNKNOWN || fields.length === 0) return { kind: "object", fields, index }
  const types = fields.map(field => field.type)
  if (![index, ...types].every(isFlat)) return { kind: "object", fields, index: UNKNOWN }
  const missing = fields.some(field => field.optional) ? [UNDEFINED] : []
  return { kind: "object", fields, index: unionOf([index, ...types, ...missing]) }
}

export function unionOf(types: Type[]): Type {
  const [first, second] = types
  if (types.length === 1 && first) return first
  // By far the commonest: `string | null`.
  if (types.length === 2 && second === NULL && first?.kind === "atom" && first.of && first !== NULL)
    return { kind: "union", of: types }
  const members = new Map<string, Type>()
  for (const type of types.flatMap(one => (one.kind === "union" ? one.of : [one]))) {
    if (type === UNKNOWN) return UNKNOWN
    if (type !== NEVER) members.set(keyOf(type), type)
  }
  if (members.has("true") && members.has("false")) {
    members.set("true", BOOLEAN)
    members.delete("false")
  }
  const of = [...members.values()]
  return of.length > 1 ? { kind: "union", of } : (of[0] ?? NEVER)
}

export function intersectionOf(types: Type[]): Type {
  let parts: Type[] = []
  for (const type of types.flatMap(one => (one.kind === "all" ? one.of : [one]))) {
    if (type === UNKNOWN) continue
    let next = type
    parts = parts.filter(part => {
      const both = overlap(part, next)
      if (both) next = both
      return !both
    })
    parts.push(next)
  }
  if (parts.includes(NEVER)) return NEVER
  return parts.length > 1 ? { kind: "all", of: parts } : (parts[0] ?? UNKNOWN)
}

/** What belongs to both, where that can be written as one type. */
function overlap(a: Type, b: Type): Type | undefined {
  if (isBare(a)) return narrow(b, a)
  if (isBare(b)) return narrow(a, b)
  if (a.kind === "object" && b.kind === "object") return merge(a.fields, b.fields, a.index ?? b.index)
  if (!isFlat(a) || !isFlat(b)) return keyOf(a) === keyOf(b) ? a : undefined
  return unionOf([...within(membersOf(a), membersOf(b)), ...within(membersOf(b), membersOf(a))])
}

/** Those of the first that the second hold as well, one by one or as a kind. */
function within(some: Type[], others: Type[]): Type[] {
  const known = new Set(others.map(keyOf))
  return some.filter(one => known.has(keyOf(one)) || (one.kind === "literal" && known.has(one.of)))
}

function merge(a: Field[], b: Field[], index: Type | undefined): Type {
  const fields = new Map(a.map(field => [field.name, field]))
  for (const field of b) {
    const other = fields.get(field.name)
    fields.set(field.name, other ? mergeField(other, field) : field)
  }
  return objectOf([...fields.values()], index)
}

function mergeField(a: Field, b: Field): Field {
  const type = intersectionOf([a.type, b.type])
  return { ...b, type, optional: a.optional && b.optional, doc: a.doc || b.doc, limits: a.limits || b.limits }
}

/** The members of `type` whose kind is among those of `bare`; those of a kind unknown here stay. */
function narrow(type: Type, bare: Type): Type {
  const kinds = new Set(membersOf(bare).map(kindOf))
  return unionOf(membersOf(type).filter(member => kindOf(member) === undefined || kinds.has(kindOf(member))))
}

/** Whether it says of what kind a value is, and nothing more. */
function isBare(type: Type): boolean {
  return membersOf(type).every(one => (one.kind === "atom" && one.of) || one === LIST || one === RECORD)
}

function isFlat(type: Type): boolean {
  return membersOf(type).every(one => one.kind === "atom" || one.kind === "literal")
}

export function membersOf(type: Type): Type[] {
  return type.kind === "union" ? type.of : [type]
}

function kindOf(type: Type): Kind | undefined {
  if (type.kind === "atom" || type.kind === "literal") return type.of
  if (type.kind === "tuple") return "array"
  return type.kind === "array" || type.kind === "object" ? type.kind : undefined
}

/** The same for equal types of one document, and for those only. */
function keyOf(type: Type): string {
  switch (type.kind) {
    case "atom":
    case "literal":
      return type.text
    case "ref":
      return `#${type.to.id}`
    case "array":
      return `${keyOf(type.of)}[]`
    case "tuple":
      return `[${type.needed},${type.of.map(keyOf).join()},${type.rest ? keyOf(type.rest) : ""}]`
    case "object":
      return `{${type.fields.map(keyOfField).join()}|${type.index ? keyOf(type.index) : ""}}`
    default:
      return `(${type.of.map(keyOf).join(type.kind)})`
  }
}

function keyOfField({ name, optional, type }: Field): string {
  return `${JSON.stringify(name)}${optional ? "?" : ""}${keyOf(type)}`
}
