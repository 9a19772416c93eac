/** What a model wrote as a handler, made into the module that is kept: one default export, `(args, fetch)`. */
import { parseSync } from "oxc-parser"
import { isTooLarge } from "../../../sandbox/typescript/size.ts"
import { isNode, type Node, readSyntax } from "../../../sandbox/typescript/syntax.ts"
import type { PlannedTool } from "../model.ts"

const PARSE = { lang: "ts", sourceType: "module" } as const
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression"])

/** A body, a function or a module: models give each of them, whatever they are asked for. */
export function toHandlerModule(written: string, tool: PlannedTool): string {
  const code = withoutFence(written)
    .replace(/^\uFEFF/, "")
    .trim()
  const shape = isTooLarge(code) ? "body" : shapeOf(code)
  const comment = `/** ${oneLine(tool.description)} */\n`
  if (shape === "module") return `${code}\n`
  if (shape === "function") return `${comment}export default ${code.replace(/;$/, "")}\n`
  return `${comment}export default async function ${identifier(tool.name)}(args: any, fetch: typeof globalThis.fetch) {\n${code}\n}\n`
}

function shapeOf(code: string): "module" | "function" | "body" {
  const program = parseSync("handler.ts", code, PARSE).program as unknown as Node
  const body = (program.body as Node[]).filter(isNode)
  if (body.some(({ type }) => type === "ExportDefaultDeclaration")) return "module"
  const [only] = body
  if (body.length !== 1 || !only || readSyntax(program, new Set()).returns.length > 0) return "body"
  const expression = only.type === "ExpressionStatement" && isNode(only.expression) ? only.expression.type : only.type
  return FUNCTIONS.has(expression) || expression === "FunctionDeclaration" ? "function" : "body"
}

function withoutFence(text: string): string {
  const fenced = /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n```\s*$/.exec(text)
  return fenced?.[1] ?? text
}

function oneLine(text: string): string {
  return text.replaceAll("*/", "* /").replace(/\s+/g, " ").trim()
}

function identifier(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, "_")
  return /^[A-Za-z_]/.test(plain) && !RESERVED.has(plain) ? plain : `_${plain}`
}

const RESERVED = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof let new null return static super switch this throw true try typeof var void while with yield arguments eval implements interface package private protected public args fetch".split(
    " ",
  ),
)
