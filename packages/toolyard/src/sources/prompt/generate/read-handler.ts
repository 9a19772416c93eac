/** A handler's text → what the sandbox runs, or what is wrong with it. Nothing of it is run here. */
import { parseSync, visitorKeys } from "oxc-parser"
import { type AllowList, hostOf } from "../../../sandbox/fetch/allow-list.ts"
import { prepareScript, type ReadyScript } from "../../../sandbox/typescript/prepare.ts"
import { isTooLarge, TOO_LARGE } from "../../../sandbox/typescript/size.ts"
import { isNode, type Node, readSyntax } from "../../../sandbox/typescript/syntax.ts"
import type { PlannedTool } from "../model.ts"
import { isKnownGlobal } from "./globals.ts"

export type ReadHandler = { ok: true; script: ReadyScript } | { ok: false; problems: string[] }

const PARSE = { lang: "ts", sourceType: "module" } as const
const NAME = "$toolyardHandler"

/** What must hold for it to be run at all: what a person edits need hold no more. */
export function readHandler(code: string): ReadHandler {
  const failed = (...problems: string[]): ReadHandler => ({ ok: false, problems })
  if (isTooLarge(code)) return failed(TOO_LARGE)
  const program = parseSync("handler.ts", code, PARSE).program as unknown as Node
  const found = (program.body as Node[]).find(({ type }) => type === "ExportDefaultDeclaration")
  const declaration = found?.declaration
  if (!found || !isNode(declaration)) {
    const script = prepareScript(code)
    if (!script.ok) return failed(...script.problems.map(({ line, message }) => `line ${line}: ${message}`))
    return failed("there is no `export default async function (args, fetch) { … }`")
  }
  const text = [
    code.slice(0, found.start),
    `const ${NAME} = `,
    code.slice(declaration.start, declaration.end),
    ";",
    code.slice(found.end),
    `\nreturn await ${NAME}(input, fetch)\n`,
  ].join("")
  const script = prepareScript(text)
  if (script.ok) return { ok: true, script }
  return failed(...script.problems.map(({ line, message }) => `line ${line}: ${message}`))
}

/** What must hold for what a model wrote: it uses its arguments and `fetch`, and names no host that was not allowed. */
export function checkHandler(code: string, tool: PlannedTool, allow: AllowList): ReadHandler {
  const read = readHandler(code)
  if (!read.ok) return read
  const program = parseSync("handler.ts", code, PARSE).program as unknown as Node
  const { declared, references } = readSyntax(program, new Set())
  const names = new Set(references.map(({ name }) => name))
  const unknown = [...names].filter(name => !declared.has(name) && !isKnownGlobal(name))
  const problems = unknown.map(
    name => `\`${name}\` is not there: a handler has \`args\`, \`fetch\` and plain JavaScript`,
  )
  if (tool.needsNetwork && !names.has("fetch"))
    problems.push("it never uses `fetch`, though the tool needs the network")
  if (!tool.needsNetwork && names.has("fetch")) problems.push("it uses `fetch`, though the tool needs no network")
  for (const url of urlsIn(program)) {
    if (!allow.match(url)) problems.push(`${hostOf(url)} is not among the hosts that may be fetched from`)
  }
  return problems.length > 0 ? { ok: false, problems: [...new Set(problems)] } : read
}

/** The addresses that stand in its texts; one that is put together while it runs is checked then. */
function urlsIn(node: Node): URL[] {
  const found: URL[] = []
  const text = node.type === "TemplateElement" ? (node.value as { cooked?: unknown }).cooked : node.value
  if ((node.type === "Literal" || node.type === "TemplateElement") && typeof text === "string") {
    const goesOn = node.type === "TemplateElement" && node.tail !== true
    for (const { index, 0: url } of text.matchAll(/https?:\/\/[^\s/"'`?#\\]+/gi)) {
      const isPart = index + url.length === text.length && (goesOn || url.endsWith("."))
      if (!isPart && URL.canParse(url)) found.push(new URL(url))
    }
  }
  for (const key of visitorKeys[node.type] ?? []) {
    const value = node[key]
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) found.push(...urlsIn(child))
  }
  return found
}
