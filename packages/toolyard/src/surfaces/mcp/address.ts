/** What stands at one MCP address: one server under its own names, or the whole yard under `server__name`. */
import type { Catalog } from "../../catalog/catalog.ts"
import { findPrompt, findResource, type Target } from "../../catalog/lookup.ts"
import type { CatalogTool, Member } from "../../catalog/member.ts"
import { toolId } from "../../catalog/naming.ts"
import type { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { isObject } from "../../model/json.ts"
import { CLIENT_INFO, type Implementation } from "../../model/mcp.ts"

export type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list"

export interface Address {
  /** Tells addresses apart: a session belongs to one of them. */
  readonly key: string
  /** The server's name, or `undefined` for the whole yard. */
  readonly server: string | undefined
  info(): Implementation
  instructions(): string | undefined
  capabilities(): JsonObject
  /** Whether a change at `server` can be seen here. */
  shows(server: string): boolean
  /** The servers that stand behind this address. */
  members(): Member[]
  list(method: ListMethod, caller: Caller): JsonObject[]
  tool(name: string): CatalogTool | undefined
  /** A tool of the address itself, which no server has; undefined when there is none of that name. */
  own?(name: string, args: JsonObject, call: Call): Promise<JsonObject> | undefined
  prompt(name: string): Target | undefined
  resource(uri: string): Target | undefined
}

/** Anything may come later at an address whose servers are not all known yet. */
const EVERYTHING = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export function serverAddress(catalog: Catalog, server: string): Address {
  const member = (): Member => {
    const found = catalog.requireServer(server)
    if (!found.source) throw new YardError("server_disabled", `${server} is disabled: ${found.health().reason}`)
    return found
  }
  const unnamed = { ...CLIENT_INFO, name: server }
  return {
    key: `server ${server}`,
    server,
    info: () => member().offer.info ?? unnamed,
    instructions: () => member().offer.instructions ?? member().config.description,
    capabilities: () => {
      const { capabilities } = member().offer
      // A server that has never been up has said nothing yet.
      return Object.keys(capabilities).length === 0 ? EVERYTHING : relayedCapabilities(capabilities)
    },
    shows: name => name === server,
    members: () => [member()],
    list: (method, caller) => listOf(catalog, member(), method, caller, false),
    tool: name => member().tool(name),
    prompt: name => ({ member: member(), name }),
    resource: uri => ({ member: member(), name: uri }),
  }
}

export function yardAddress(catalog: Catalog): Address {
  const enabled = (): Member[] => catalog.servers().filter(member => member.source)
  return {
    key: "all",
    server: undefined,
    info: () => CLIENT_INFO,
    instructions: () => {
      const parts = enabled().flatMap(({ name, config, offer }) => {
        const text = config.description ?? offer.instructions
        return text === undefined ? [] : [`${name}: ${text}`]
      })
      return parts.length > 0 ? parts.join("\n\n") : undefined
    },
    capabilities: () => EVERYTHING,
    shows: () => true,
    members: enabled,
    list: (method, caller) => {
      const seen = new Set<string>()
      return enabled().flatMap(member =>
        listOf(catalog, member, method, caller, true).filter(item => {
          // Two servers may have the same URI: the first one answers to it, the others at their own addresses.
          const uri = item.uri ?? item.uriTemplate
          return typeof uri !== "string" || (!seen.has(uri) && seen.add(uri))
        }),
      )
    },
    tool: name => catalog.findTool(name),
    prompt: name => findPrompt(enabled(), name),
    resource: uri => findResource(enabled(), uri),
  }
}

function listOf(catalog: Catalog, member: Member, method: ListMethod, caller: Caller, inYard: boolean): JsonObject[] {
  const { resources, templates, prompts } = member.offer
  switch (method) {
    case "tools/list": {
      const tools = member.tools.filter(tool => catalog.isCallable(tool, caller))
      return tools.map(tool => (inYard ? withName(tool.definition, tool.id) : tool.definition))
    }
    case "resources/list":
      return resources
    case "resources/templates/list":
      return templates
    case "prompts/list":
      return inYard ? prompts.map(prompt => withName(prompt, toolId(member.name, prompt.name))) : prompts
  }
}

function withName(definition: JsonObject, name: string): JsonObject {
  return definition.name === name ? definition : { ...definition, name }
}

/** The hub tells of changes itself, whether or not the server can. */
function relayedCapabilities(capabilities: JsonObject): JsonObject {
  const { tools, resources, prompts, completions, logging } = capabilities
  return {
    ...(tools !== undefined && { tools: { ...(isObject(tools) && tools), listChanged: true } }),
    ...(resources !== undefined && { resources: { ...(isObject(resources) && resources), listChanged: true } }),
    ...(prompts !== undefined && { prompts: { ...(isObject(prompts) && prompts), listChanged: true } }),
    ...(completions !== undefined && { completions }),
    ...(logging !== undefined && { logging }),
  }
}
