/** What of a tool is searched, and how much each part weighs. */
import { isObject } from "../../model/json.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

export interface SearchDoc {
  id: string
  server: string
  name: string
  title?: string
  description?: string
  serverDescription?: string
  inputSchema?: unknown
}

export function toSearchDoc(id: string, server: string, tool: ToolDefinition, serverDescription?: string): SearchDoc {
  const { name, description, inputSchema } = tool
  const annotated = isObject(tool.annotations) ? tool.annotations.title : undefined
  const [title] = texts(tool.title, annotated)
  return { id, server, name, title, description: texts(description)[0], serverDescription, inputSchema }
}

export const FIELD_WEIGHTS = [3, 1, 1, 0.5, 0.3, 0.3] as const

/** Generated schemas nest without end; what lies deeper or later says little about the tool. */
const MAX_DEPTH = 4
const MAX_PARAMETERS = 100

/** The texts of name, server, description, parameter names, parameter descriptions, server description: as weighed above. */
export function toFields(doc: SearchDoc): string[][] {
  const names: string[] = []
  const descriptions: string[] = []
  collectParameters(doc.inputSchema, names, descriptions, MAX_DEPTH)
  return [
    texts(doc.name, doc.title),
    texts(doc.server),
    texts(doc.description),
    names,
    descriptions,
    texts(doc.serverDescription),
  ]
}

/** Definitions come from outside: a description may be anything. */
function texts(...values: unknown[]): string[] {
  return values.filter(value => typeof value === "string")
}

function collectParameters(schema: unknown, names: string[], descriptions: string[], depth: number): void {
  if (!isObject(schema) || depth === 0) return
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (names.length >= MAX_PARAMETERS) return
      names.push(name)
      if (isObject(property)) descriptions.push(...texts(property.description, property.title))
      collectParameters(property, names, descriptions, depth - 1)
    }
  }
  for (const key of ["items", "anyOf", "oneOf", "allOf"]) {
    const inner = schema[key]
    for (const each of Array.isArray(inner) ? inner : [inner]) collectParameters(each, names, descriptions, depth - 1)
  }
}
