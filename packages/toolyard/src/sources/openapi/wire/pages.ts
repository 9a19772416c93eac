/** Which lists come in pages, and the argument that asks for more than one. Converting needs this, and no network. */
import { isObject } from "../../../model/json.ts"
import type { ToolDefinition } from "../../../model/mcp.ts"
import type { OperationPlan, ParameterPlan } from "../operation.ts"

/** The argument that asks for more than one page. */
export const PAGES = "_pages"
export const MAX_PAGES = 20

export const CURSOR =
  /^(?:cursor|after|(?:next_?|page_?|continuation_?)(?:token|cursor)|start(?:ing)?_?after|pagetoken)$/i
export const COUNTED = /^(?:page|page_?(?:number|num|no|index)|offset|skip|start(?:_?(?:at|index))?)$/i
export const LIMIT = /^(?:limit|per_?page|page_?size|max_?results|count|size|first|top)$/i

export const pager = (plan: OperationPlan, pattern: RegExp): ParameterPlan | undefined =>
  plan.parameters.find(({ in: place, name }) => place === "query" && pattern.test(name))

export function hasPages(plan: OperationPlan): boolean {
  if (plan.method !== "GET") return false
  // `start` alone is as often a time; with a limit it is a place.
  const counted = pager(plan, COUNTED)
  return pager(plan, CURSOR) !== undefined || /^page/i.test(counted?.name ?? "") || (!!counted && !!pager(plan, LIMIT))
}

/** The same tool with an argument more. */
export function withPages(definition: ToolDefinition): ToolDefinition {
  const schema = isObject(definition.inputSchema) ? definition.inputSchema : {}
  const properties = isObject(schema.properties) ? schema.properties : {}
  const pages = { type: "integer", minimum: 1, maximum: MAX_PAGES, description: "pages to collect" }
  return { ...definition, inputSchema: { ...schema, properties: { ...properties, [PAGES]: pages } } }
}
