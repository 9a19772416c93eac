/** The code of a server whose answers are written out. */
import type { JsonObject } from "../../model/json.ts"
import { toLiteral } from "./literal.ts"

export interface StaticParts {
  /** By name. */
  tools: Record<string, JsonObject>
  prompts: Record<string, { definition: JsonObject; content: JsonObject }>
  resources: JsonObject[]
  /** By URI. */
  contents: Record<string, JsonObject>
  templates: { definition: JsonObject; content: JsonObject }[]
}

export function staticText({ tools, prompts, resources, contents, templates }: StaticParts): string {
  const hasPrompts = Object.keys(prompts).length > 0
  const hasResources = resources.length + templates.length > 0
  const used = [
    ...(hasPrompts ? ["getPrompt"] : []),
    "give",
    ...(hasResources ? ["read"] : []),
    ...(hasPrompts ? ["type WrittenPrompt"] : []),
    ...(hasResources ? ["type WrittenTemplate"] : []),
    "type WrittenTool",
  ]
  const sections = [
    `/** What the server gives, written out. */
import type { CallToolResult } from "@modelcontextprotocol/server"
${hasPrompts || hasResources ? 'import type { Offer } from "../serve.ts"\n' : ""}import { ${used.join(", ")} } from "../written.ts"`,
    `const tools = ${mapOf("WrittenTool", Object.entries(tools))}

export async function callTool(name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  const written = tools.get(name)
  if (!written) throw new Error(\`nothing is written for \${name}\`)
  return give(written, args)
}`,
  ]
  if (hasPrompts) {
    const written = Object.entries(prompts).map(([name, { content }]): [string, JsonObject] => [name, content])
    const list = Object.values(prompts).map(({ definition }) => definition)
    sections.push(
      `const written = ${mapOf("WrittenPrompt", written)}`,
      `export const prompts: Offer["prompts"] = {
  list: ${toLiteral(list, 2)},
  get: (name, args) => getPrompt(written, name, args),
}`,
    )
  }
  if (hasResources) {
    sections.push(
      `const contents = ${mapOf("Record<string, unknown>", Object.entries(contents))}`,
      `const patterns: WrittenTemplate[] = ${toLiteral(templates.map(({ content }) => content))}`,
      `export const resources: Offer["resources"] = {
  list: ${toLiteral(resources, 2)},
  templates: ${toLiteral(
    templates.map(({ definition }) => definition),
    2,
  )},
  read: uri => read(uri, contents, patterns),
}`,
    )
  }
  return `${sections.join("\n\n")}\n`
}

function mapOf(type: string, entries: [string, unknown][]): string {
  const rows = entries.map(([key, value]) => `  [${JSON.stringify(key)}, ${toLiteral(value, 2)}],\n`)
  return `new Map<string, ${type}>([\n${rows.join("")}])`
}
