/** Everything an upstream offers, page by page, kept as it was sent. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { PromptDefinition, ResourceDefinition, TemplateDefinition, ToolDefinition } from "../../model/mcp.ts"
import type { Offer } from "../../model/source.ts"
import type { Connection } from "./connection.ts"
import { envelope } from "./modern.ts"

const MAX_PAGES = 10_000

export async function listOffer(
  connection: Connection,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Offer> {
  const { capabilities, info, instructions } = connection
  const all = <T>(method: string, field: string, key: string, needed: unknown): Promise<T[]> =>
    needed === undefined ? Promise.resolve([]) : listPages<T>(connection, method, field, key, signal, log)
  const [tools, resources, templates, prompts] = await Promise.all([
    all<ToolDefinition>("tools/list", "tools", "name", capabilities.tools),
    all<ResourceDefinition>("resources/list", "resources", "uri", capabilities.resources),
    all<TemplateDefinition>("resources/templates/list", "resourceTemplates", "uriTemplate", capabilities.resources),
    all<PromptDefinition>("prompts/list", "prompts", "name", capabilities.prompts),
  ])
  return {
    tools,
    resources,
    templates,
    prompts,
    capabilities,
    ...(info && { info }),
    ...(instructions !== undefined && { instructions }),
  }
}

async function listPages<T>(
  connection: Connection,
  method: string,
  field: string,
  key: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<T[]> {
  const items = new Map<string, JsonObject>()
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const meta = connection.era === "modern" ? { _meta: envelope() } : {}
    let result: JsonObject
    try {
      result = await connection.request(method, { ...(cursor !== undefined && { cursor }), ...meta }, signal)
    } catch (error) {
      // Declared as a whole (`resources`), offered in part: no templates, say.
      if (error instanceof YardError && error.rpc?.code === -32601) return []
      throw error
    }
    for (const item of Array.isArray(result[field]) ? result[field] : []) {
      const id: unknown = isObject(item) ? item[key] : undefined
      if (typeof id !== "string")
        log(`[${method}: an entry without ${key} was left out: ${JSON.stringify(item)?.slice(0, 200)}]`)
      else if (items.has(id)) log(`[${method}: ${id} is listed twice; the first one counts]`)
      else items.set(id, item as JsonObject)
    }
    cursor = typeof result.nextCursor === "string" ? result.nextCursor : undefined
    if (cursor === undefined) return [...items.values()] as T[]
    if (seen.has(cursor)) throw new YardError("upstream_bad_reply", `${method} gives the same cursor again and again`)
    seen.add(cursor)
  }
  throw new YardError("upstream_bad_reply", `${method} has more than ${MAX_PAGES} pages`)
}
