/** What a server's entry makes of its source's offer: filters, new names, overrides. Pure. */
import type { ServerConfig } from "../model/config.ts"
import { isObject } from "../model/json.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import { matchesGlob } from "../policy/glob.ts"

export interface OfferedTool {
  /** As the source knows it. */
  sourceName: string
  /** As clients see it: the source's own object wherever nothing had to be changed. */
  definition: ToolDefinition
}

export function offerTools(config: ServerConfig, tools: ToolDefinition[]): OfferedTool[] {
  const offered: OfferedTool[] = []
  for (const tool of tools) {
    if (config.include && !config.include.some(glob => matchesGlob(glob, tool.name))) continue
    if (config.exclude?.some(glob => matchesGlob(glob, tool.name))) continue
    const override = Object.hasOwn(config.tools, tool.name) ? config.tools[tool.name] : undefined
    if (override?.enabled === false) continue
    const name = Object.hasOwn(config.rename, tool.name) ? (config.rename[tool.name] as string) : tool.name
    const { title, description, annotations } = override ?? {}
    const changed = name !== tool.name || title !== undefined || description !== undefined || annotations !== undefined
    offered.push({
      sourceName: tool.name,
      definition: changed
        ? {
            ...tool,
            name,
            ...(title !== undefined && { title }),
            ...(description !== undefined && { description }),
            ...(annotations && {
              annotations: { ...(isObject(tool.annotations) && tool.annotations), ...annotations },
            }),
          }
        : tool,
    })
  }
  return offered
}
