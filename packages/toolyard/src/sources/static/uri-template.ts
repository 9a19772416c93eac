/**
 * URI templates as in RFC 6570, read backwards: which values a URI was made of. Simple `{a}`, `{a,b}`, reserved `{+a}`,
 * path `{/a}` and query `{?a,b}` `{&a}` expressions. Linear in the length of the URI, whatever the template.
 */
import { YardError } from "../../model/errors.ts"

export interface UriTemplate {
  names: string[]
  /** Where the first expression begins. */
  literal: string
  /** What stands in a query may only be told apart by its names. */
  match(uri: string): Record<string, string> | undefined
}

type Piece =
  | { kind: "literal"; text: string }
  | { kind: "value"; name: string; reserved: boolean }
  | { kind: "query"; names: string[]; lead: string }

/** Longer ones are made by no template. */
const MAX_URI = 8192
const EXPRESSION = /\{([^{}]*)\}/g
const INSIDE = /^([+/?&]?)([A-Za-z_][\w.]*(?:,[A-Za-z_][\w.]*)*)$/

export const isUriTemplate = (uri: string): boolean => /[{}]/.test(uri)

/** Throws `config_invalid`. */
export function parseUriTemplate(template: string): UriTemplate {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: written, 1: inside = "", index } of template.matchAll(EXPRESSION)) {
    pushLiteral(pieces, template.slice(from, index))
    pushExpression(pieces, written, inside)
    from = index + written.length
  }
  const rest = template.slice(from)
  pushLiteral(pieces, rest)
  const literals = pieces.map(piece => (piece.kind === "literal" ? piece.text : ""))
  if (literals.some(text => /[{}]/.test(text))) throw invalid(`${template} has a brace without its other half`)
  const names = pieces.flatMap(piece =>
    piece.kind === "value" ? [piece.name] : piece.kind === "query" ? piece.names : [],
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`${template} has {${twice}} twice`)
  return { names, literal: template.slice(0, template.search(/\{/)), match: uri => match(pieces, uri) }
}

function pushLiteral(pieces: Piece[], text: string): void {
  if (text !== "") pieces.push({ kind: "literal", text })
}

function pushExpression(pieces: Piece[], written: string, inside: string): void {
  const [, operator = "", list = ""] = INSIDE.exec(inside) ?? []
  if (list === "") throw invalid(`${written} is not understood: write {name}, {+name}, {/name}, {?name} or {&name}`)
  const names = list.split(",")
  if (operator === "?" || operator === "&") {
    pieces.push({ kind: "query", names, lead: operator })
    return
  }
  for (const [index, name] of names.entries()) {
    if (operator === "/") pushLiteral(pieces, "/")
    else if (index > 0) pushLiteral(pieces, ",")
    pieces.push({ kind: "value", name, reserved: operator === "+" })
  }
}

/** Whether a character may belong to a value. */
function fits(piece: Exclude<Piece, { kind: "literal" }>, char: string, first: boolean): boolean {
  if (piece.kind === "query") return first ? char === piece.lead : char !== "#"
  return piece.reserved || !"/?#&=,;".includes(char)
}

function match(pieces: Piece[], uri: string): Record<string, string> | undefined {
  if (uri.length > MAX_URI) return undefined
  const ends = reachable(pieces, uri)
  const values: [string, string][] = []
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    if (!ends[index]?.[at]) return undefined
    if (piece.kind === "literal") {
      at += piece.text.length
      continue
    }
    // The longest that leaves the rest a way to match.
    const start = at
    let end = ends[index + 1]?.[at] ? at : -1
    for (let next = at; next < uri.length && fits(piece, uri[next] as string, next === start); ) {
      if (ends[index + 1]?.[++next]) end = next
    }
    at = end
    const found = valuesOf(piece, uri.slice(start, at))
    if (!found) return undefined
    values.push(...found)
  }
  return at === uri.length ? Object.fromEntries(values) : undefined
}

/** For each piece and position whether the pieces from there on can match the rest: found from the end, once. */
function reachable(pieces: Piece[], uri: string): Uint8Array[] {
  const size = uri.length + 1
  let after = new Uint8Array(size)
  after[uri.length] = 1
  const table = [after]
  for (const piece of pieces.toReversed()) {
    const row = new Uint8Array(size)
    // What a piece that has begun already can still reach; only a query's first character is unlike the others.
    const begun = new Uint8Array(size)
    for (let at = uri.length; at >= 0; at--) {
      if (piece.kind === "literal") {
        if (uri.startsWith(piece.text, at)) row[at] = after[at + piece.text.length] ?? 0
        continue
      }
      const char = uri[at]
      const more = (first: boolean): boolean => char !== undefined && fits(piece, char, first) && begun[at + 1] === 1
      begun[at] = after[at] || more(false) ? 1 : 0
      row[at] = after[at] || more(true) ? 1 : 0
    }
    table.unshift(row)
    after = row
  }
  return table
}

/** Undefined where the text can't be the piece's after all. */
function valuesOf(piece: Exclude<Piece, { kind: "literal" }>, text: string): [string, string][] | undefined {
  if (piece.kind === "query") {
    const given = [...new URLSearchParams(text.slice(1))]
    const known = given.every(
      ([name], index) => piece.names.includes(name) && given.findIndex(([n]) => n === name) === index,
    )
    return known ? given : undefined
  }
  try {
    return [[piece.name, decodeURIComponent(text)]]
  } catch {
    return undefined
  }
}

const invalid = (message: string): YardError => new YardError("config_invalid", message)
