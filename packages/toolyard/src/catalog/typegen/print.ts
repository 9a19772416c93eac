/** A type as text: on one line within a budget, or over several with comments above the properties. */
import { toKey } from "./literal.ts"
import { type Definition, type Field, RECORD, type Type, UNKNOWN } from "./type.ts"

export interface Printing {
  /** What stands for a value of which nothing is known: `any` lets a script use what it got. */
  readonly anything: "unknown" | "any"
  /** The name to print for a definition; without one it is written out. */
  readonly nameOf: (definition: Definition) => string | undefined
  /** Comment lines above a property; given only where lines may break. */
  readonly above?: (field: Field) => string[]
  /** What follows a property's type. */
  readonly after?: (field: Field) => string
  /** How many members of an enum are shown. */
  readonly enumSize: number
  /** Characters that may still be written. Every type visited costs some, which bounds the work as well. */
  left: number
  /** Something was left out. */
  cut: boolean
  /** How many names of definitions were printed. */
  names: number
  /** The definitions being written out, so that recursion ends. */
  readonly inside: Definition[]
}

const MAX_LINE = 100
const INDENT = "  "

/** `depth`: how many objects deep properties are shown; below that stands `object`. */
export function print(type: Type, printing: Printing, depth = 1000, indent = ""): string {
  printing.left -= 4
  if (printing.left < 0) {
    printing.cut = true
    return "unknown"
  }
  switch (type.kind) {
    case "atom":
      return type === UNKNOWN ? printing.anything : type.text
    case "literal":
      return printLiteral(type.text, printing)
    case "array":
      return `${printPart(type.of, printing, depth, indent)}[]`
    case "tuple":
      return printTuple(type, printing, depth, indent)
    case "object":
      return printObject(type, printing, depth, indent)
    case "union":
      return printUnion(type.of, printing, depth, indent)
    case "all":
      return type.of.map(part => printPart(part, printing, depth, indent)).join(" & ")
    case "ref":
      return printRef(type.to, printing, depth, indent)
  }
}

function printLiteral(text: string, printing: Printing): string {
  printing.left -= text.length
  return text
}

/** In brackets where the text would otherwise join what surrounds it. */
function printPart(type: Type, printing: Printing, depth: number, indent: string): string {
  const text = print(type, printing, depth, indent)
  return isJoined(type, printing) ? `(${text})` : text
}

function isJoined(type: Type, printing: Printing): boolean {
  if (type.kind !== "ref") return type.kind === "union" || type.kind === "all"
  return printing.nameOf(type.to) === undefined && isJoined(type.to.type, printing)
}

function printRef(to: Definition, printing: Printing, depth: number, indent: string): string {
  const name = printing.nameOf(to)
  if (name !== undefined) {
    printing.names++
    return name
  }
  if (printing.inside.includes(to)) return printing.anything
  printing.inside.push(to)
  const text = print(to.type, printing, depth, indent)
  printing.inside.pop()
  return text
}

function printUnion(members: Type[], printing: Printing, depth: number, indent: string): string {
  const shown = members.length > printing.enumSize ? cutEnum(members, printing) : members
  const texts = shown.map(one =>
    one.kind === "all" ? printPart(one, printing, depth, indent) : print(one, printing, depth, indent),
  )
  return texts.join(" | ")
}

/** Some of the literals, and of what kind the others are. */
function cutEnum(members: Type[], printing: Printing): Type[] {
  const literals = members.filter(one => one.kind === "literal")
  if (literals.length <= printing.enumSize) return members
  printing.cut = true
  const rest = [...new Set(literals.map(one => one.of))].map((of): Type => ({ kind: "atom", text: of, of }))
  return [...literals.slice(0, printing.enumSize), ...rest, ...members.filter(one => one.kind !== "literal")]
}

function printTuple(type: Type & { kind: "tuple" }, printing: Printing, depth: number, indent: string): string {
  const elements = type.of.map((one, i) =>
    i < type.needed ? print(one, printing, depth, indent) : `${printPart(one, printing, depth, indent)}?`,
  )
  if (type.rest) elements.push(`...${printPart(type.rest, printing, depth, indent)}[]`)
  return `[${elements.join(", ")}]`
}

function printObject(type: Type & { kind: "object" }, printing: Printing, depth: number, indent: string): string {
  const { fields, index } = type
  if (fields.length === 0 && !index) return "{}"
  if (depth === 0 && type !== RECORD) {
    printing.cut = true
    return "object"
  }
  if (fields.length === 0) return printRecord(index as Type, printing, depth, indent)
  const inner = indent + INDENT
  const lines: string[] = []
  let length = 0
  let breaks = false
  for (const field of fields) {
    if (printing.left < 0) break
    const comment = printing.above?.(field)
    if (comment) for (const line of comment) lines.push(line)
    const line = printField(field, printing, depth, inner)
    printing.left -= field.name.length
    length += line.length + 2
    breaks ||= (comment && comment.length > 0) || line.includes("\n")
    lines.push(line)
  }
  if (index) lines.push(`[k: string]: ${print(index, printing, depth - 1, inner)}`)
  if (!printing.above || (!breaks && length <= MAX_LINE)) return `{ ${lines.join("; ")} }`
  return `{\n${inner}${lines.join(`\n${inner}`)}\n${indent}}`
}

function printField(field: Field, printing: Printing, depth: number, indent: string): string {
  const text = print(field.type, printing, depth - 1, indent)
  return `${toKey(field.name)}${field.optional ? "?" : ""}: ${text}${printing.after?.(field) ?? ""}`
}

/** `Record` may not hold the alias that it is the whole of, an index signature may. */
function printRecord(index: Type, printing: Printing, depth: number, indent: string): string {
  const before = printing.names
  const text = print(index, printing, depth - 1, indent)
  return printing.names > before ? `{ [k: string]: ${text} }` : `Record<string, ${text}>`
}
