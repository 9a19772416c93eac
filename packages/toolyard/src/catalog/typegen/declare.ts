/**
 * The full declarations of a server: a type for each tool's parameters and result, and its part of `Tools`. The text
 * depends on that server alone, so that it can be kept until the server changes.
 */
import { makeUnique, toTypeName } from "../naming.ts"
import { type Comments, createComments, indented, toJsDoc } from "./comments.ts"
import { isOptional, learnedFrom, readParams, readResult } from "./documents.ts"
import { toKey } from "./literal.ts"
import { type Printing, print } from "./print.ts"
import type { Document } from "./read-schema.ts"
import type { ServerShape, ToolShape } from "./shape.ts"
import type { Definition } from "./type.ts"

export interface DeclareOptions {
  /** False for types without comments, which is all that a compiler needs. */
  docs?: boolean
  /** Names of types that others have taken. */
  taken?: Iterable<string>
}

export interface Declarations {
  /** The types of parameters and results. */
  types: string
  /** `export interface Tools`, which TypeScript merges with those of the other servers. */
  tools: string
  /** The names of the types. */
  names: string[]
}

/** Names that the text itself relies on. */
const RESERVED = ["Tools", "Promise", "Record"]

interface Root extends Document {
  tool: ToolShape
  suffix: "Params" | "Result"
}
type Names = Map<Definition, string>

export function declareServer(server: ServerShape, options: DeclareOptions = {}): Declarations {
  const docs = options.docs !== false
  const tools = server.tools.map(tool => {
    const params: Root = { tool, suffix: "Params", ...readParams(tool) }
    const result = readResult(tool)
    return { tool, params, result: result && ({ tool, suffix: "Result", ...result } satisfies Root) }
  })
  const roots = tools.flatMap(({ params, result }) => (result ? [params, result] : [params]))
  const names = nameTypes(server, roots, [...RESERVED, ...(options.taken ?? [])])
  const comments = docs ? createComments() : undefined
  const types = roots.map(root => declareRoot(root, names, comments)).join("")
  const members = tools.map(({ tool, params, result }) => {
    const about = docs && typeof tool.definition.description === "string" ? toJsDoc(tool.definition.description) : []
    const argument = `params${isOptional(params.root.type) ? "?" : ""}: ${names.get(params.root)}`
    return indented(
      [...about, `${toKey(tool.tsName)}(${argument}): Promise<${result ? names.get(result.root) : "any"}>`],
      "    ",
    )
  })
  const about = indented(docs && server.description ? toJsDoc(server.description) : [], "  ")
  return {
    types: (comments?.note() ?? "") + types,
    tools: `export interface Tools {\n${about}  ${toKey(server.tsName)}: {\n${members.join("")}  }\n}\n`,
    names: [...names.values()],
  }
}

/** Parameters and results come first, so that no definition changes what they are called. */
function nameTypes(server: ServerShape, roots: Root[], taken: string[]): Names {
  const wanted: [Definition, string][] = roots.map(({ root, tool, suffix }) => [
    root,
    toTypeName(server.tsName, tool.tsName, suffix),
  ])
  for (const { tool, definitions } of roots) {
    for (const definition of definitions) {
      if (!definition.recursive && definition.uses < 2) continue
      wanted.push([definition, toTypeName(server.tsName, tool.tsName, toTypeName("", definition.hint, ""))])
    }
  }
  const unique = makeUnique([...taken, ...wanted.map(([, name]) => name)]).slice(taken.length)
  return new Map(wanted.map(([definition], i) => [definition, unique[i] as string]))
}

/** The type and the definitions that it needs. */
function declareRoot({ root, tool, suffix }: Root, names: Names, comments: Comments | undefined): string {
  const queue = [root]
  const declared = new Set(queue)
  const printing: Printing = {
    anything: suffix === "Params" ? "unknown" : "any",
    nameOf: definition => {
      const name = names.get(definition)
      if (name !== undefined && !declared.has(definition)) {
        declared.add(definition)
        queue.push(definition)
      }
      return name
    },
    above: comments ? ({ name, doc }) => comments.of(name, doc) : () => [],
    enumSize: Number.POSITIVE_INFINITY,
    left: Number.POSITIVE_INFINITY,
    cut: false,
    names: 0,
    inside: [],
  }
  let text = ""
  for (const definition of queue) {
    const doc = definition === root && suffix === "Result" ? learnedFrom(tool) || definition.doc : definition.doc
    const name = names.get(definition) as string
    const body = print(definition.type, printing)
    // An interface has no implicit index signature: a result that is one could not be passed on as a record.
    const head = suffix === "Params" && definition === root && body.startsWith("{") && definition.type.kind === "object"
    text += indented(comments ? comments.of(name, doc) : [], "")
    text += head ? `export interface ${name} ${body}\n` : `export type ${name} = ${body}\n`
  }
  return text
}
