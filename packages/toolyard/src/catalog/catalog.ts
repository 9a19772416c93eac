/** The one live registry: every server, every tool, resource and prompt, and the one way to call them. */
import type { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import type { Policy, ServerConfig } from "../model/config.ts"
import { Emitter } from "../model/emitter.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import { nearest } from "../model/nearest.ts"
import type {
  OfferList,
  Source,
  SourceCache,
  SourceHealth,
  ToolResult,
  Unsubscribe,
  YardAccess,
} from "../model/source.ts"
import type { Audit } from "../policy/audit.ts"
import { decide, type Verdict } from "../policy/rules.ts"
import type { Blobs } from "../state/types.ts"
import { callWithin } from "./inner-call.ts"
import { type CatalogTool, Member } from "./member.ts"
import { Metrics } from "./metrics.ts"
import { createNameTable, type NamedServer, type NameTable } from "./name-table.ts"
import { assignIds, toolId } from "./naming.ts"
import { type Approve, Pipeline } from "./pipeline.ts"
import { createIndex, type SearchIndex, toSearchDoc } from "./search/search-index.ts"
import { signature } from "./typegen/signature.ts"

const ALL_LISTS: readonly OfferList[] = ["tools", "resources", "prompts"]

/** How long a call of a tool that is not there yet waits for servers that were never listed. */
export const UNLISTED_CALL_MS = 10_000

export interface CatalogEvents {
  /** What `server` offers changed (or may have: a source that says so is believed). */
  changed: (server: string, lists: readonly OfferList[]) => void
  health: (server: string, health: SourceHealth) => void
  /** A resource changed. */
  updated: (server: string, uri: string, params: JsonObject) => void
  notification: (server: string, method: string, params: JsonObject | undefined, session: string | undefined) => void
}

export interface CatalogDeps {
  openSource: (config: ServerConfig) => Source
  cache: SourceCache
  blobs: Blobs
  audit: Audit
  approve?: Approve
  /** What the results of tools look like that do not declare them. */
  learned?: {
    learn(tool: CatalogTool, result: ToolResult): void
    schemaOf(toolId: string): { schema: JsonObject; calls: number } | undefined
  }
  log: (level: "info" | "warn", message: string) => void
  /** Starts the server that has this tool, where it was left out because nothing seemed to need it. */
  bring?: (tool: string) => Promise<void>
  /** See `SourceContext`. */
  start: Promise<void>
  /** The project's folder, and the one for what can be made again. */
  root: string
  cacheFolder?: string | undefined
}

export interface FoundTool {
  id: string
  server: string
  name: string
  score: number
  signature: string
}

export class Catalog {
  readonly metrics = new Metrics()
  /** Grows with every change, so that a surface can tell whether what it printed still holds. */
  version = 0
  readonly #deps: CatalogDeps
  readonly #pipeline: Pipeline
  readonly #emitter = new Emitter<CatalogEvents>()
  #policy: Policy
  #members = new Map<string, Member>()
  #tools = new Map<string, CatalogTool>()
  readonly #unlisted = new Map<Member, { since: number; opening: Promise<void> }>()
  /** What sources may use of the yard. */
  readonly #access: YardAccess
  #index: { version: number; index: SearchIndex } | undefined
  #names: { version: number; table: NameTable } | undefined

  constructor(policy: Policy, deps: CatalogDeps) {
    this.#policy = policy
    this.#deps = deps
    this.#access = {
      root: deps.root,
      cacheFolder: deps.cacheFolder,
      call: (outer, tool, args) => callWithin(outer, inner => this.call(inner, tool, args)),
      blob: cid => deps.blobs.get(cid),
      putBlob: async (bytes, mediaType) => (await deps.blobs.put(bytes, { mediaType })).cid,
    }
    this.#pipeline = new Pipeline({
      blobs: deps.blobs,
      audit: deps.audit,
      metrics: this.metrics,
      warn: message => deps.log("warn", message),
      decide: (tool, caller) => this.decide(tool, caller),
      approve: deps.approve,
      learn: deps.learned?.learn,
    })
  }

  on<E extends keyof CatalogEvents>(event: E, listener: CatalogEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  setPolicy(policy: Policy): void {
    this.#policy = policy
    this.version++
    for (const name of this.#members.keys()) this.#emitter.emit("changed", name, ["tools"])
  }

  /**
   * Makes the servers exactly those of `configs`, in that order; those whose entry is the same are left running.
   * Resolves when every new one had its first attempt to connect.
   */
  async configure(configs: ServerConfig[]): Promise<void> {
    const before = this.#members
    const opened: Promise<void>[] = []
    const added: string[] = []
    this.#members = new Map(
      configs.map(config => {
        const known = before.get(config.name)
        if (known && known.config.hash === config.hash && known.config.enabled === config.enabled) {
          before.delete(config.name)
          return [config.name, known]
        }
        const member = new Member(config, config.enabled ? this.#deps.openSource(config) : undefined)
        if (!config.enabled) this.#deps.log("warn", `${config.name} is disabled: ${member.health().reason}`)
        added.push(config.name)
        opened.push(this.#start(member))
        return [config.name, member]
      }),
    )
    this.#rebuild()
    for (const name of new Set([...added, ...before.keys()])) this.#emitter.emit("changed", name, ALL_LISTS)
    await Promise.all([...[...before.values()].map(member => member.source?.close()), ...opened])
  }

  async #start(member: Member): Promise<void> {
    const { source, name } = member
    if (!source) return
    const current = (): boolean => this.#members.get(name) === member
    source.on("changed", lists => {
      if (!current()) return
      member.refresh()
      this.#rebuild()
      this.#emitter.emit("changed", name, lists)
    })
    let said = ""
    source.on("health", health => {
      if (!current()) return
      const { state, reason } = health
      const failing = state === "down" || state === "needs-login" || (state === "up" && reason !== undefined)
      // A server that stays down for the same reason is told of once, not at every retry.
      const message = failing ? `${name} is ${state}: ${reason}` : `${name} is ${state}`
      if (state !== "connecting" && message !== said) {
        said = message
        this.#deps.log(failing ? "warn" : "info", message)
      }
      this.#emitter.emit("health", name, health)
    })
    source.on("updated", (uri, params) => {
      if (current()) this.#emitter.emit("updated", name, uri, params)
    })
    source.on("notification", (method, params, session) => {
      if (current()) this.#emitter.emit("notification", name, method, params, session)
    })
    const since = Date.now()
    const opening = source.open({
      yard: this.#access,
      start: this.#deps.start,
      cache: this.#deps.cache,
      log: line => this.#deps.log("info", `${name}: ${line}`),
    })
    // Reads the cached offer, which a source has from the moment it is opened.
    member.refresh()
    if (!source.list()) this.#unlisted.set(member, { since, opening })
    await opening.finally(() => this.#unlisted.delete(member))
  }

  #rebuild(): void {
    const tools = [...this.#members.values()].flatMap(member => member.tools)
    const ids = assignIds(tools.map(tool => ({ server: tool.member.name, tool: tool.name })))
    this.#tools = new Map(
      tools.map((tool, index) => {
        ;(tool as { id: string }).id = ids[index] as string
        return [tool.id, tool]
      }),
    )
    this.version++
  }

  /**
   * Servers that were never listed and are still at their first attempt to connect may be about to offer something.
   * Resolves when they had that attempt, or have been at it for `ms`; `undefined` when there is nothing to wait for.
   */
  whenListed(server: string | undefined, ms: number): Promise<void> | undefined {
    if (this.#unlisted.size === 0) return undefined
    const now = Date.now()
    const attempts = [...this.#unlisted].filter(
      ([member, { since }]) => (server === undefined || member.name === server) && now - since < ms,
    )
    if (attempts.length === 0) return undefined
    const latest = Math.max(...attempts.map(([, { since }]) => since))
    return new Promise(resolve => {
      const timer = setTimeout(resolve, latest + ms - now)
      void Promise.allSettled(attempts.map(([, { opening }]) => opening)).then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  servers(): Member[] {
    return [...this.#members.values()]
  }

  server(name: string): Member | undefined {
    return this.#members.get(name)
  }

  requireServer(name: string): Member {
    const member = this.#members.get(name)
    if (member) return member
    const near = nearest(name, this.#members.keys())
    throw new YardError("unknown_server", `there is no server "${name}"${near ? `; did you mean "${near}"?` : ""}`)
  }

  /** Every tool, in the order of the configuration and then of each server's own list. */
  tools(): CatalogTool[] {
    return [...this.#tools.values()]
  }

  /** A tool by its id, or by `server.tool`. */
  findTool(id: string): CatalogTool | undefined {
    const known = this.#tools.get(id)
    if (known) return known
    for (let dot = id.indexOf("."); dot !== -1; dot = id.indexOf(".", dot + 1)) {
      const tool = this.#members.get(id.slice(0, dot))?.tool(id.slice(dot + 1))
      if (tool) return tool
    }
    return undefined
  }

  requireTool(id: string): CatalogTool {
    const tool = this.findTool(id)
    if (tool) return tool
    for (const member of this.#members.values()) {
      if (id.startsWith(toolId(member.name, "")) || id.startsWith(`${member.name}.`)) requireUp(member)
    }
    const near = nearest(id, this.#tools.keys())
    throw new YardError("unknown_tool", `there is no tool "${id}"${near ? `; did you mean "${near}"?` : ""}`)
  }

  /** Callers with the same view may call the same tools. */
  viewOf({ surface, client, readOnly }: Caller): string {
    const matters = this.#policy.rules.some(rule => rule.caller)
    return JSON.stringify([readOnly, ...(matters ? [surface, client] : [])])
  }

  decide(tool: CatalogTool, caller: Caller): Verdict {
    return decide(this.#policy, tool.id, tool.definition, caller, tool.member.config.readOnly)
  }

  /** What a policy forbids outright is not offered; what needs asking is. */
  isCallable(tool: CatalogTool, caller: Caller): boolean {
    const { action } = this.decide(tool, caller)
    return action === "allow" || action === "ask"
  }

  /** The one way a tool is ever called. */
  call(call: Call, tool: string | CatalogTool, args: JsonObject): Promise<ToolResult> {
    const known = typeof tool === "string" ? this.findTool(tool) : tool
    return known ? this.#pipeline.call(call, known, args) : this.#callUnlisted(call, tool as string, args)
  }

  /** A server that was never listed may have it: it is given the time to connect. */
  async #callUnlisted(call: Call, id: string, args: JsonObject): Promise<ToolResult> {
    await this.#deps.bring?.(id)
    await this.whenListed(undefined, UNLISTED_CALL_MS)
    return this.#pipeline.call(call, this.requireTool(id), args)
  }

  /** Reads, prompts and completions: the same limits and time-out, no policy of their own. */
  use<T>(call: Call, member: Member, work: (source: Source) => Promise<T>): Promise<T> {
    return this.#pipeline.use(call, member, work)
  }

  /** `caller` to leave out what they may not call. */
  search(
    query: string,
    { caller, ...options }: { limit?: number; server?: string; offset?: number; caller?: Caller } = {},
  ): FoundTool[] {
    if (options.server !== undefined) this.requireServer(options.server)
    if (this.#index?.version !== this.version) {
      const docs = this.tools().map(({ id, member, definition }) =>
        toSearchDoc(id, member.name, definition, member.config.description),
      )
      this.#index = { version: this.version, index: createIndex(docs) }
    }
    const { names } = this
    const accepts = (id: string): boolean => this.isCallable(this.#tools.get(id) as CatalogTool, caller as Caller)
    const wanted = { ...options, limit: options.limit ?? 8, ...(caller && { accepts }) }
    return this.#index.index.search(query, wanted).map(({ id, score }) => {
      const tool = this.#tools.get(id) as CatalogTool
      const { member, name, definition } = tool
      const { server, tsName } = names.of(tool) as { server: NamedServer; tsName: string }
      const seen = this.#deps.learned?.schemaOf(id)
      const shape = { name, tsName, definition, resultSchema: seen?.schema, learnedFrom: seen?.calls }
      const line = signature(shape, { server: member.name, tsName: server.tsName })
      return { id, server: member.name, name, score, signature: line }
    })
  }

  /** What everything is called in TypeScript. */
  get names(): NameTable {
    if (this.#names?.version !== this.version)
      this.#names = { version: this.version, table: createNameTable(this.servers()) }
    return this.#names.table
  }

  async close(): Promise<void> {
    await Promise.all(this.servers().map(member => member.source?.close()))
  }
}

/** A server that offers nothing because it is not there is the better answer than "no such tool". */
export function requireUp(member: Member): void {
  const { state, reason } = member.health()
  if (state === "up" || member.tools.length > 0) return
  const code = state === "disabled" ? "server_disabled" : "server_down"
  throw new YardError(code, `${member.name} is ${state}${reason === undefined ? "" : `: ${reason}`}`)
}
