/** A catalog over sources that stand in the test's own process: the smallest real ones. */
import { Catalog } from "../catalog/catalog.ts"
import type { Caller } from "../model/caller.ts"
import { type Policy, SERVER_DEFAULTS, type ServerConfig } from "../model/config.ts"
import { Emitter } from "../model/emitter.ts"
import type { JsonObject } from "../model/json.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import type { ServerState, Source, SourceEvents } from "../model/source.ts"
import { Audit } from "../policy/audit.ts"
import { openState } from "../state/open.ts"

export const CALLER: Caller = { surface: "mcp", principal: "test" }

export interface TestServer {
  tools: ToolDefinition[]
  description?: string
  state?: ServerState
  enabled?: boolean
}

export interface TestCatalog {
  catalog: Catalog
  /** Gives a server other tools, and says so. */
  offer(server: string, tools: ToolDefinition[]): void
}

export const tool = (name: string, properties: JsonObject = {}, more: JsonObject = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
  ...more,
})

export async function openTestCatalog(
  servers: Record<string, TestServer>,
  policy: Partial<Policy> = {},
): Promise<TestCatalog> {
  const state = await openState(undefined, () => {})
  const emitters = new Map<string, Emitter<SourceEvents>>()
  const openSource = ({ name }: ServerConfig): Source => {
    const emitter = new Emitter<SourceEvents>()
    emitters.set(name, emitter)
    const server = servers[name] as TestServer
    return {
      type: "inline",
      open: async () => {},
      list: () => ({ tools: server.tools, resources: [], templates: [], prompts: [], capabilities: { tools: {} } }),
      health: () => ({ state: server.state ?? "up", since: 0 }),
      call: async () => ({ content: [] }),
      on: (event, listener) => emitter.on(event, listener),
      close: async () => {},
    }
  }
  const catalog = new Catalog(
    { default: "allow", rules: [], askTimeoutMs: 1_000, ...policy },
    {
      openSource,
      cache: { get: () => undefined, set: () => {} },
      blobs: state.blobs,
      audit: new Audit(state.store, () => {}),
      log: () => {},
      start: Promise.resolve(),
      root: ".",
    },
  )
  await catalog.configure(
    Object.entries(servers).map(([name, { description, enabled = true }]) => ({
      ...SERVER_DEFAULTS,
      name,
      entry: { type: "inline" },
      enabled,
      ...(description !== undefined && { description }),
      timeoutMs: 1_000,
      hash: name,
    })),
  )
  return {
    catalog,
    offer(name, tools) {
      ;(servers[name] as TestServer).tools = tools
      emitters.get(name)?.emit("changed", ["tools"])
    },
  }
}
