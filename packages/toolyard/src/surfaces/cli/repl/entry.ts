/**
 * What is typed at the prompt made into a script. Every entry is a run of its own, so that what an earlier one declared
 * comes to the next as its input, and what this one declares leaves it beside its value.
 */
import { parseSync } from "oxc-parser"
import type { RunError } from "../../../model/run.ts"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const PARSE = { lang: "ts", sourceType: "module" } as const
const RETURN_OUTSIDE = "A 'return' statement can only be used within a function body."

/** Whether there is more to come: the parser wanted to read on where the text ends. */
export function isIncomplete(text: string): boolean {
  const end = text.trimEnd().length
  return parseSync("entry.ts", text, PARSE).errors.some(({ message, labels }) => {
    const [at] = labels
    if (!at || message === RETURN_OUTSIDE) return false
    const opened = text.slice(at.start, at.start + 2)
    return at.start >= end || (at.end >= end && (opened.startsWith("`") || opened === "/*"))
  })
}

export interface Entry {
  code: string
  input?: Record<string, unknown>
  /** The names whose values come back, when they do. */
  declares: string[]
  /** Functions and classes: what is no value can't be kept. */
  forgets: string[]
  /** How many lines stand before what was typed. */
  linesBefore: number
}

export function toEntry(text: string, memory: ReadonlyMap<string, unknown>): Entry {
  const { program, errors } = parseSync("entry.ts", text, PARSE)
  const body = program.body as unknown as Node[]
  const names = body.flatMap(declaredBy)
  const forgets = body.flatMap(node => (isNamed(node) ? [node.id.name] : []))
  const used = [...memory.keys()].filter(
    name => !names.includes(name) && !forgets.includes(name) && mentions(text, name),
  )
  const before = used.length === 0 ? "" : `const { ${used.join(", ")} } = input\n`
  const ends = errors.length > 0 || body.some(({ type }) => type === "ExportDefaultDeclaration")
  const declares = ends ? [] : names
  return {
    code: before + (declares.length === 0 ? text : withKept(text, body, declares)),
    ...(used.length > 0 && { input: Object.fromEntries(used.map(name => [name, memory.get(name)])) }),
    declares,
    forgets,
    linesBefore: used.length === 0 ? 0 : 1,
  }
}

/** The last expression and what was declared, as one value. */
function withKept(text: string, body: Node[], names: string[]): string {
  const kept = `kept: { ${names.join(", ")} } })`
  const last = body.findLast(({ type }) => type !== "EmptyStatement")
  if (last?.type !== "ExpressionStatement") return `${text}\n;({ ${kept}`
  const { start, end } = last.expression as Node
  return `${text.slice(0, start)};({ value: (${text.slice(start, end)}), ${kept}`
}

function declaredBy(node: Node): string[] {
  if (node.type !== "VariableDeclaration" || node.declare === true) return []
  return (node.declarations as Node[]).flatMap(({ id }) => boundBy(id as Node))
}

/** The names in a pattern. */
function boundBy(pattern: Node | null): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name as string]
    case "ObjectPattern":
      return (pattern.properties as Node[]).flatMap(property => boundBy((property.value ?? property.argument) as Node))
    case "ArrayPattern":
      return (pattern.elements as (Node | null)[]).flatMap(boundBy)
    case "AssignmentPattern":
      return boundBy(pattern.left as Node)
    case "RestElement":
      return boundBy(pattern.argument as Node)
    default:
      return []
  }
}

const isNamed = (node: Node): node is Node & { id: { name: string } } =>
  node.type === "FunctionDeclaration" || node.type === "ClassDeclaration"

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`, "u").test(text)
}

/** The error as of what was typed, without the lines before it. */
export function toTyped(error: RunError, linesBefore: number): RunError {
  if (linesBefore === 0) return error
  const up = (line: string): string => String(Number(line) - linesBefore)
  return {
    ...error,
    message: error.message.replace(/^(\d+)(?=:\d+ )/gm, up),
    ...(error.line !== undefined && { line: error.line - linesBefore }),
    ...(error.stack !== undefined && { stack: error.stack.replace(/(?<=script\.ts:)(\d+)(?=:\d+$)/gm, up) }),
  }
}
