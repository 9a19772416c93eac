/** Tool definitions as an ejected server offers them: without the marks that only mean something to the hub. */
import { offerTools } from "../../catalog/offer.ts"
import type { ServerConfig } from "../../model/config.ts"
import type { ToolDefinition } from "../../model/mcp.ts"

export interface Offered {
  /** As the source knows it. */
  sourceName: string
  definition: ToolDefinition
}

export function toOffered(server: ServerConfig, tools: ToolDefinition[]): Offered[] {
  return offerTools(server, tools).map(({ sourceName, definition }) => ({
    sourceName,
    definition: unmarked({ inputSchema: { type: "object" }, ...definition }) as ToolDefinition,
  }))
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !/^(?:x-toolyard-|toolyard\/)/.test(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, unmarked(inner)]))
}
