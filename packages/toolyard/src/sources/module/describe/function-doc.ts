/** What a function's doc comment says of it, of its parameters and of what it gives back. */

import {
  isBinaryExpression,
  isExpressionStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast"
import type { JsonObject } from "../../../model/json.ts"
import { type DocComment, type DocTag, docsBefore } from "../../../sandbox/typescript/doc-comment.ts"
import { isKeywordTag, takeInlineTags } from "../../../sandbox/typescript/doc-keywords.ts"

export interface FunctionDoc {
  text: string
  title?: string
  returns?: string
  annotations: JsonObject
  /** By name, or by path: `input.title`, `items[].name`. */
  parameters: Map<string, DocComment>
  hidden: boolean
}

const MODULE_TAGS = new Set(["module", "packageDocumentation", "file", "fileoverview", "overview"])
const HIDDEN = new Set(["internal", "hidden", "ignore", "private"])
const ANNOTATIONS: Record<string, [hint: string, value: boolean]> = {
  readonly: ["readOnlyHint", true],
  destructive: ["destructiveHint", true],
  nondestructive: ["destructiveHint", false],
  idempotent: ["idempotentHint", true],
  openworld: ["openWorldHint", true],
  closedworld: ["openWorldHint", false],
}
/** Of a function itself, even if the first word after it is the name of a parameter. */
const OWN = new Set(["title", "example", "examples", "deprecated", "type"])

export function readFunctionDoc(doc: DocComment | undefined): FunctionDoc {
  const tags = doc?.tags ?? []
  const textOf = (...names: string[]) => tags.find(({ name }) => names.includes(name))?.text || undefined
  const parameters = new Map<string, DocComment>()
  for (const { name, text } of tags) if (/^(param|arg|argument)$/.test(name)) readParameter(text, parameters)
  // `@minimum count 1` speaks of the parameter `count`.
  for (const tag of tags) {
    const [, path = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(tag.text) ?? []
    const target = isKeywordTag(tag.name) && !OWN.has(tag.name) ? parameters.get(path) : undefined
    target?.tags.push({ name: tag.name, text: rest })
  }
  const deprecated = tags.find(({ name }) => name === "deprecated")
  const title = textOf("title")
  const returns = withoutType(textOf("returns", "return") ?? "").replace(/^[-–—]\s*/, "")
  return {
    text: [
      doc?.text || textOf("description"),
      deprecated && `Deprecated${deprecated.text ? `: ${deprecated.text}` : "."}`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    ...(title && { title }),
    ...(returns && { returns }),
    annotations: Object.fromEntries(tags.flatMap(({ name }) => annotationOf(name))),
    parameters,
    hidden: tags.some(({ name }) => HIDDEN.has(name)),
  }
}

function annotationOf(tag: string): [hint: string, value: boolean][] {
  const name = tag.toLowerCase()
  return Object.hasOwn(ANNOTATIONS, name) ? [ANNOTATIONS[name] as [string, boolean]] : []
}

/** `{string} [name=default] - text`: the type is the compiler's business. */
function readParameter(text: string, into: Map<string, DocComment>): void {
  const rest = withoutType(text)
  const [all = "", optional, plain] = /^(?:\[([^\]=]+(?:\[\])?[^\]=]*)(?:=[^\]]*)?\]|(\S+))/.exec(rest) ?? []
  const name = (optional ?? plain)?.trim()
  if (!name) return
  const written = takeInlineTags(rest.slice(all.length).replace(/^\s*[-–—:]?\s*/, ""))
  const value = optional === undefined ? undefined : /=([\s\S]*)\]$/.exec(all)?.[1]
  const tags: DocTag[] = value === undefined ? [] : [{ name: "default", text: value.trim() }]
  into.set(name, { text: written.text, tags: [...tags, ...written.tags] })
}

function withoutType(text: string): string {
  let depth = 0
  for (let i = 0; text.startsWith("{") && i < text.length; i++) {
    if (text[i] === "{") depth++
    else if (text[i] === "}" && --depth === 0) return text.slice(i + 1).trimStart()
  }
  return text
}

/** The comment of a function stands before the statement that declares it. */
export function docAround(declaration: Node): DocComment | undefined {
  for (let node: Node | undefined = declaration; node; node = node.parent) {
    const docs = docsBefore(node)
    const last = docs.at(-1)
    if (last) return isOfModule(last) ? undefined : last
    if (ENDS.has(node.kind)) return undefined
  }
  return undefined
}

const ENDS = new Set([
  SyntaxKind.SourceFile,
  SyntaxKind.Block,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.VariableStatement,
  SyntaxKind.ExpressionStatement,
  SyntaxKind.ExportAssignment,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.InterfaceDeclaration,
])
const DOCUMENTED = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.VariableStatement,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.EnumDeclaration,
  SyntaxKind.ModuleDeclaration,
  SyntaxKind.ExportAssignment,
])

/** The comment at the top of a file, unless it belongs to what comes first in it. */
export function moduleDoc({ statements, endOfFileToken }: SourceFile): string | undefined {
  const [first] = statements
  const docs = docsBefore(first ?? endOfFileToken)
  const isExport = first && isExpressionStatement(first) && isBinaryExpression(first.expression)
  const belongs = first !== undefined && (DOCUMENTED.has(first.kind) || isExport) && docs.length === 1
  const doc = docs.find(isOfModule) ?? (belongs ? undefined : docs[0])
  const tagged = doc?.tags.find(({ name }) => /^(file|fileoverview|overview|description)$/.test(name))
  return doc?.text || tagged?.text || undefined
}

function isOfModule({ tags }: DocComment): boolean {
  return tags.some(({ name }) => MODULE_TAGS.has(name))
}
