/** Changes to JSON text that leave everything else as it was: comments, order, indentation. */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from "jsonc-parser"
import { isObject } from "../model/json.ts"
import { PARSE_OPTIONS } from "./document.ts"

/** Sets a value; inside an object that is already there only what differs is touched. */
export function setAt(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path)
  const parent = nodeAt(text, path.slice(0, -1))
  if (!node) return parent && endsInComment(text, parent) ? append(text, parent, path, value) : put(text, path, value)
  if (node.type !== "object" || !isObject(value)) return same(node, value) ? text : put(text, path, value)
  let result = text
  for (const { children } of node.children ?? []) {
    const key = String(children?.[0]?.value)
    if (!Object.hasOwn(value, key)) result = removeAt(result, [...path, key])
  }
  for (const [key, part] of Object.entries(value)) result = setAt(result, [...path, key], part)
  return result
}

/** Takes a key out of its object, with its comma; the comments around it stay. */
export function removeAt(text: string, path: JSONPath): string {
  const property = nodeAt(text, path)?.parent
  const object = property?.parent
  if (!property || !object?.children) return text
  const index = object.children.indexOf(property)
  const next = object.children[index + 1]
  const end = property.offset + property.length
  const comma = commaBetween(text, end, next?.offset ?? closeOf(object))
  const cuts: [from: number, to: number][] = [wholeLine(text, property.offset, comma === end ? end + 1 : end)]
  if (comma !== undefined && comma !== end) cuts.push([comma, comma + 1])
  const previous = object.children[index - 1]
  // Without a comma of its own the last key leaves the one before it with a comma too many.
  if (comma === undefined && previous) {
    const orphan = commaBetween(text, previous.offset + previous.length, property.offset)
    if (orphan !== undefined) cuts.push([orphan, orphan + 1])
  }
  return cuts.sort((a, b) => b[0] - a[0]).reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text)
}

export function nodeAt(text: string, path: JSONPath): Node | undefined {
  const tree = parseTree(text, [], PARSE_OPTIONS)
  return tree && (path.length === 0 ? tree : findNodeAtLocation(tree, path))
}

function put(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formatOf(text) }))
}

/** The library would put a new key before the comment that belongs to the key above it. */
function append(text: string, parent: Node, path: JSONPath, value: unknown): string {
  const { eol, tabSize, insertSpaces } = formatOf(text)
  const last = parent.children!.at(-1)!
  const end = last.offset + last.length
  const lineStart = text.lastIndexOf("\n", last.offset) + 1
  const indent = /^[ \t]*/.exec(text.slice(lineStart))![0]
  const printed = JSON.stringify(value, null, insertSpaces ? tabSize : "\t").replaceAll("\n", eol + indent)
  const comma = commaBetween(text, end, closeOf(parent))
  const before = text.slice(0, closeOf(parent)).trimEnd()
  const head = comma === undefined ? `${before.slice(0, end)},${before.slice(end)}` : before
  const property = `${indent}${JSON.stringify(path.at(-1))}: ${printed}${comma === undefined ? "" : ","}`
  return head + eol + property + text.slice(before.length)
}

function endsInComment(text: string, object: Node): boolean {
  const last = object.children?.at(-1)
  return last !== undefined && /\/[/*]/.test(text.slice(last.offset + last.length, closeOf(object)))
}

function closeOf(object: Node): number {
  return object.offset + object.length - 1
}

function commaBetween(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true)
  scanner.scan()
  const offset = from + scanner.getTokenOffset()
  return offset < to && text[offset] === "," ? offset : undefined
}

/** The range, grown to its whole lines when nothing else stands on them. */
function wholeLine(text: string, from: number, to: number): [from: number, to: number] {
  const before = /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, from))
  const after = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(to))
  if (!before || !after) return [from, to]
  return [from - before[1]!.length, to + after[0].length]
}

function formatOf(text: string): { eol: string; tabSize: number; insertSpaces: boolean } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  "
  const insertSpaces = !indent.startsWith("\t")
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", tabSize: insertSpaces ? indent.length : 1, insertSpaces }
}

function same(node: Node, value: unknown): boolean {
  if (node.type === "object") return false
  if (node.type !== "array") return node.value === value
  const items = node.children ?? []
  return Array.isArray(value) && items.length === value.length && items.every((item, at) => same(item, value[at]))
}
