/** An author's module as a stand-alone server: the file as it is, and each tool as a call of its function. */
import { posix } from "node:path"
import type { FileEntry } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { WRAPPED_SCHEMA } from "../../model/mcp.ts"
import type { Offer } from "../../model/source.ts"
import type { DescribedFunction, ModuleDescription } from "../../sources/module/description.ts"
import { pathIn } from "../image/project-path.ts"
import { toOffered } from "./definitions.ts"
import type { EjectInput, Ejection } from "./ejection.ts"
import { toIdentifier, toKey, toMember } from "./literal.ts"
import { toAuthorFiles } from "./module-files.ts"
import { takeFiles } from "./programs.ts"
import { readTemplates } from "./template.ts"

const FOLDER = "src/module"
/** What the describer marks in schemas, and what makes it from JSON. */
const MARK = "x-toolyard-type"
const MAKERS: Record<string, string> = {
  Date: "toDate",
  URL: "toUrl",
  RegExp: "toRegExp",
  bigint: "toBigInt",
  Map: "toMap",
  Set: "toSet",
  Buffer: "toBuffer",
  Uint8Array: "toBytes",
  ArrayBuffer: "toArrayBuffer",
}

const CONTEXT_NOTE =
  "`ask` and `sample` of a tool's context reach clients of MCP 2025-11-25 and older; `call` finds no other servers here."

export interface LiveModule {
  offer: Offer
  description: ModuleDescription
}

export async function ejectModule(
  { root, server, written }: EjectInput,
  { offer, description }: LiveModule,
): Promise<Ejection> {
  const { file } = server.entry as FileEntry
  const path = pathIn(root, file)
  if (path === undefined)
    throw new YardError("usage", `${file} is outside of the project, and can't be ejected with it`)
  const taken = await takeFiles(root, [{ file, because: server.name }])
  const settings = [...taken.files.keys()].filter(name => /(?:^|\/)tsconfig\.json$/.test(name))
  for (const name of settings) taken.files.delete(name)
  const depth = (folder: string): string => posix.relative(posix.join(FOLDER, folder), "src/tool-context.ts")
  const author = toAuthorFiles(taken.files, folder => depth(folder === "." ? "" : folder))
  const templates = ["exported", "result", "revive", "tool-context"].map(name => `src/${name}.ts`)
  const files = await readTemplates(templates)
  for (const [name, content] of author.files) files.set(`${FOLDER}/${name}`, content)
  if (!author.files.has("package.json")) files.set(`${FOLDER}/package.json`, '{ "private": true, "type": "module" }\n')
  const functions = new Map(description.functions.map(one => [one.definition.name, one]))
  const marked = new Map(offer.tools.map(tool => [tool.name, tool]))
  const offered = toOffered(server, offer.tools)
  const name = `${toIdentifier(posix.basename(path).replace(/\.[^.]+$/, ""))}Module`
  const rows = offered.map(({ sourceName, definition }) => {
    const live = marked.get(sourceName) as JsonObject
    return toRow(definition.name, sourceName, live, functions.get(sourceName), name)
  })
  const target = `../module/${author.renamed.get(path) ?? path}`
  files.set("src/handlers/index.ts", handlersText(name, target, rows))
  const { env } = written.entry as FileEntry
  return {
    tools: offered.map(({ definition }) => definition),
    files,
    dependencies: taken.dependencies,
    devDependencies: taken.devDependencies,
    variables: Object.keys(env).map(variable => ({ name: variable, purpose: `read by ${path}`, required: true })),
    notes: [
      `\`${FOLDER}/${author.renamed.get(path) ?? path}\` is the code itself; \`src/handlers/index.ts\` calls its functions.`,
      "What the tools take is frozen in `tools.json`: change it there when you change a function's parameters.",
      ...(rows.some(({ text }) => text.includes("context")) ? [CONTEXT_NOTE] : []),
    ],
    warnings: [
      ...taken.warnings.filter(warning => !warning.includes("tsconfig")),
      ...author.warnings,
      ...rows.flatMap(({ warnings }) => warnings),
    ],
    isLoose: true,
    ...(offer.instructions !== undefined && { instructions: offer.instructions }),
  }
}

interface Row {
  text: string
  uses: string[]
  warnings: string[]
}

function toRow(
  tool: string,
  sourceName: string,
  live: JsonObject,
  known: DescribedFunction | undefined,
  module: string,
): Row {
  const promised = [
    ...(live.outputSchema === undefined ? [] : ["hasSchema: true"]),
    ...(isObject(live.outputSchema) && live.outputSchema[WRAPPED_SCHEMA] === true ? ["wrapped: true"] : []),
  ]
  const end = promised.length > 0 ? `, { ${promised.join(", ")} }` : ""
  const row = (call: string, uses: string[], warnings: string[] = []): Row => ({
    text: `  ${toKey(tool)}: async ${parametersFor(call)} => toResult(await ${call}${end}),\n`,
    uses,
    warnings,
  })
  const isTyped = known && JSON.stringify(known.definition.inputSchema) === JSON.stringify(live.inputSchema)
  if (!isTyped) {
    const named = known?.parameters.flatMap(part => (part.kind === "named" ? [part.name] : [])) ?? []
    const { properties } = isObject(live.inputSchema) ? live.inputSchema : {}
    const isPositional =
      named.length > 0 && isObject(properties) && named.every(name => Object.hasOwn(properties, name))
    const positions = isPositional ? `, ${JSON.stringify(named)}` : ""
    return row(`callExport(${module}, ${JSON.stringify(sourceName)}, args, context${positions})`, ["callExport"])
  }
  const { properties } = live.inputSchema as { properties?: JsonObject }
  const uses: string[] = []
  const valueFor = (name: string): string => {
    const schema = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
    const maker = isObject(schema) ? MAKERS[String(schema[MARK])] : undefined
    if (maker === undefined) return toMember("args", name)
    uses.push(maker)
    return `${maker}(${toMember("args", name)})`
  }
  const values = known.parameters.map(part => {
    if (part.kind === "context") return "context"
    if (part.kind === "named") return part.rest ? `...(${valueFor(part.name)} ?? [])` : valueFor(part.name)
    const made = Object.keys(properties ?? {}).filter(name => valueFor(name) !== toMember("args", name))
    if (made.length === 0) return "args"
    return `{ ...args, ${made.map(name => `...(${toMember("args", name)} !== undefined && { ${toKey(name)}: ${valueFor(name)} })`).join(", ")} }`
  })
  const marks = JSON.stringify(live.inputSchema).split(`"${MARK}"`).length - 1
  const deep =
    marks > new Set(uses).size &&
    marks > Object.values(properties ?? {}).filter(one => isObject(one) && one[MARK] !== undefined).length
  const warnings = deep
    ? [`${tool} takes dates or the like inside of objects: they arrive as they are written in JSON`]
    : []
  return row(`${toMember(module, known.export)}(${values.join(", ")})`, uses, warnings)
}

/** Only what the call uses. */
function parametersFor(call: string): string {
  if (/\bcontext\b/.test(call)) return "(args, context)"
  return /\bargs\b/.test(call) ? "args" : "()"
}

function handlersText(module: string, target: string, rows: readonly Row[]): string {
  const uses = new Set(rows.flatMap(({ uses }) => uses))
  const exported = uses.delete("callExport") ? 'import { callExport } from "../exported.ts"\n' : ""
  const makers = uses.size > 0 ? `import { ${[...uses].sort().join(", ")} } from "../revive.ts"\n` : ""
  return `/** Every tool is a function of the module, called with the tool's arguments in their places. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server"
${exported}import * as ${module} from ${JSON.stringify(target)}
import { toResult } from "../result.ts"
${makers}import { createContext, type ToolContext } from "../tool-context.ts"

type Handler = (args: any, context: ToolContext) => Promise<CallToolResult>

export const handlers: Record<string, Handler> = {
${rows.map(({ text }) => text).join("")}}

export async function callTool(
  name: string,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult> {
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (!handler) throw new Error(\`nothing is written for \${name}\`)
  return handler(args, createContext(context))
}
`
}
