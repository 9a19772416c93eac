/** All that an entry of the configuration adds to its server; what is faulty is left out and told of. */
import type { ServerConfig } from "../../model/config.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { type StaticPrompt, toStaticPrompt } from "./prompts.ts"
import { type StaticResource, type StaticTemplate, toStaticResource } from "./resources.ts"
import { type StaticTool, toStaticTool } from "./tools.ts"

export interface Additions {
  tools: Map<string, StaticTool>
  /** By URI. */
  resources: Map<string, StaticResource>
  /** By URI template. */
  templates: Map<string, StaticTemplate>
  prompts: Map<string, StaticPrompt>
  /** One line for each item that was left out: which, why, and what to do. */
  faults: string[]
}

export function toAdditions({ additions }: ServerConfig): Additions {
  const faults: string[] = []
  const compile = <T>(kind: string, written: Record<string, unknown>, one: (name: string, item: unknown) => T) =>
    Object.entries(written).flatMap(([name, item]): [string, T][] => {
      try {
        return [[name, one(name, item)]]
      } catch (error) {
        faults.push(`the ${kind} ${JSON.stringify(name)} is left out: ${toYardError(error).message}`)
        return []
      }
    })
  const tools = compile("tool", additions.tools, (name, item) => toStaticTool(name, object(item)))
  const resources = compile("resource", additions.resources, toStaticResource)
  const prompts = compile("prompt", additions.prompts, (name, item) =>
    toStaticPrompt(name, typeof item === "string" ? { text: item } : object(item)),
  )
  return {
    tools: new Map(tools),
    resources: new Map(resources.filter((pair): pair is [string, StaticResource] => !("template" in pair[1]))),
    templates: new Map(resources.filter((pair): pair is [string, StaticTemplate] => "template" in pair[1])),
    prompts: new Map(prompts),
    faults,
  }
}

function object(item: unknown): JsonObject {
  if (isObject(item)) return item
  throw new YardError("config_invalid", "it must be an object")
}
