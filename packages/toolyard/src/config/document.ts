/** JSON with comments and trailing commas, as a value plus the place in the text of each of its parts. */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import type { JsonObject } from "../model/json.ts"

export type Path = readonly PropertyKey[]

export interface Position {
  line: number
  column: number
}

export interface SyntaxProblem extends Position {
  message: string
  fix: string
}

export interface Document {
  /** Undefined when there are errors. */
  readonly value: unknown
  readonly errors: SyntaxProblem[]
  /** Keys that stand twice in one object (the last counts), and `__proto__` keys (which never count). */
  readonly repeated: Path[]
  readonly forbidden: Path[]
  /** Where the value at a path stands, or its key; the nearest thing around it when it isn't there. */
  at(path: Path, part?: "key" | "value"): Position
}

/** Parsers recurse: without a limit, a file of brackets would exhaust the stack. */
const MAX_DEPTH = 100
const MAX_ERRORS = 5
export const PARSE_OPTIONS = { allowTrailingComma: true }

const SYNTAX: Record<string, [message: string, fix: string]> = {
  InvalidSymbol: ["this is not JSON", "Put text in double quotes, or remove this."],
  InvalidNumberFormat: ["this is not a number", "Write it as JSON does, e.g. 60000."],
  PropertyNameExpected: ["a key is missing here", "Write a key in double quotes."],
  ValueExpected: ["a value is missing here", "Write a value, or remove the key before it."],
  ColonExpected: ["a colon is missing here", 'Write ":" between the key and its value.'],
  CommaExpected: ["a comma is missing before this", 'Add a "," after the part before it.'],
  CloseBraceExpected: ["an object is not closed", 'Add the missing "}".'],
  CloseBracketExpected: ["an array is not closed", 'Add the missing "]".'],
  EndOfFileExpected: ["there is more after the end of the object", "Remove what follows."],
  UnexpectedEndOfComment: ["a comment is not closed", 'Add the missing "*/".'],
  UnexpectedEndOfString: ["a text is not closed", "Add the missing double quote."],
  InvalidUnicode: ["this is not a valid \\u escape", "Write \\u and four hex digits."],
  InvalidEscapeCharacter: ["this escape is not valid in JSON", "Write \\\\ for a backslash."],
  InvalidCharacter: ["this character is not allowed in a text", "Write it as an escape, e.g. \\n."],
}

export function parseDocument(text: string): Document {
  const place = toPlace(text)
  const repeated: Path[] = []
  const forbidden: Path[] = []
  const empty = { value: undefined, repeated, forbidden, at: () => ({ line: 1, column: 1 }) }

  const deep = tooDeep(text)
  if (deep !== undefined) {
    const message = `it is nested more than ${MAX_DEPTH} levels deep`
    return { ...empty, errors: [{ ...place(deep), message, fix: "Flatten it; no setting needs that many levels." }] }
  }
  const found: ParseError[] = []
  const tree = parseTree(text, found, PARSE_OPTIONS)
  if (!tree || found.length > 0) {
    if (isEmpty(text))
      return { ...empty, errors: [{ line: 1, column: 1, message: "the file is empty", fix: "Write {} in it." }] }
    const errors = found.slice(0, MAX_ERRORS).map(({ error, offset }) => {
      const [message, fix] = SYNTAX[printParseErrorCode(error)] ?? ["this is not valid JSON", "Correct the JSON here."]
      return { ...place(offset), message, fix }
    })
    return { ...empty, errors }
  }

  const toValue = (node: Node, path: Path): unknown => {
    if (node.type === "array") return (node.children ?? []).map((child, index) => toValue(child, [...path, index]))
    if (node.type !== "object") return node.value
    const object: JsonObject = {}
    for (const [name, child] of properties(node)) {
      const at = [...path, name]
      if (name === "__proto__") {
        forbidden.push(at)
        continue
      }
      if (Object.hasOwn(object, name)) repeated.push(at)
      object[name] = toValue(child, at)
    }
    return object
  }

  const indexes = new WeakMap<Node, Map<string, Node>>()
  const index = (node: Node): Map<string, Node> => {
    const known = indexes.get(node) ?? new Map(properties(node))
    indexes.set(node, known)
    return known
  }
  const at = (path: Path, part: "key" | "value" = "value"): Position => {
    let node = tree
    for (const step of path) {
      const next = node.type === "array" ? node.children?.[Number(step)] : index(node).get(String(step))
      if (!next) return place((node.parent?.type === "property" ? node.parent : node).offset)
      node = next
    }
    return place(part === "key" && node.parent?.type === "property" ? node.parent.offset : node.offset)
  }
  return { value: toValue(tree, []), errors: [], repeated, forbidden, at }
}

function properties(node: Node): [name: string, value: Node][] {
  if (node.type !== "object") return []
  return (node.children ?? []).flatMap(({ children }) =>
    children?.[0] && children[1] ? [[String(children[0].value), children[1]] as [string, Node]] : [],
  )
}

function isEmpty(text: string): boolean {
  const scanner = createScanner(text, true)
  scanner.scan()
  return scanner.getTokenOffset() >= text.length
}

function tooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  const next = (): number => {
    scanner.scan()
    return scanner.getTokenOffset()
  }
  for (let offset = next(); offset < text.length; offset = next()) {
    const first = text[offset]
    if (first === "{" || first === "[") depth++
    else if (first === "}" || first === "]") depth--
    if (depth > MAX_DEPTH) return offset
  }
  return undefined
}

/** Offsets as line and column, both from 1; the lines are only counted when somebody asks. */
function toPlace(text: string): (offset: number) => Position {
  let starts: number[] | undefined
  return offset => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), match => match.index + match[0].length)]
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
