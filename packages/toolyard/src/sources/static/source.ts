/** What is written in the configuration as a source: alone, or laid over another one. */
import type { Call } from "../../model/call.ts"
import type { ServerConfig } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { LogLevel } from "../../model/mcp.ts"
import type {
  Offer,
  Source,
  SourceContext,
  SourceEvents,
  SourceHealth,
  ToolResult,
  Unsubscribe,
  YardAccess,
} from "../../model/source.ts"
import { watchFiles } from "../watch-files.ts"
import { type Additions, toAdditions } from "./additions.ts"
import { completePrompt, completeTemplate } from "./completion.ts"
import { isDiscovered, mergeOffers } from "./offer.ts"
import { type StaticResource, type StaticTemplate, unknownResource } from "./resources.ts"

export class StaticSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #inner: Source | undefined
  readonly #additions: Additions
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #watched = new Map<string, { close(): void }>()
  readonly #closing = new AbortController()
  readonly #since = Date.now()
  #context: SourceContext | undefined
  #merged: { inner: Offer | undefined; offer: Offer } | undefined

  constructor(config: ServerConfig, inner?: Source) {
    this.#config = config
    this.#inner = inner
    this.#additions = toAdditions(config)
    this.type = inner?.type ?? "static"
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    for (const fault of this.#additions.faults) context.log(fault)
    await this.#inner?.open(context)
  }

  list(): Offer | undefined {
    const inner = this.#inner?.list()
    const { tools, resources, templates, prompts } = this.#additions
    // Nothing is known of a server that never was up, unless it is written.
    if (this.#inner && !inner && tools.size + resources.size + templates.size + prompts.size === 0) return undefined
    // The same objects as long as nothing changed: what is made of them is kept too.
    if (!this.#merged || this.#merged.inner !== inner) {
      this.#merged = { inner, offer: mergeOffers(this.#config, this.#additions, inner, this.#inner !== undefined) }
    }
    return this.#merged.offer
  }

  health(): SourceHealth {
    return this.#inner?.health() ?? { state: "up", since: this.#since }
  }

  logs(): string[] {
    return [...this.#additions.faults, ...(this.#inner?.logs?.() ?? [])]
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    const off = [this.#emitter.on(event, listener), this.#inner?.on(event, listener)]
    return () => {
      for (const end of off) end?.()
    }
  }

  async call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    const own = this.#additions.tools.get(tool)
    if (own) return this.#onBehalf(call, yard => own.call(args, call, yard))
    if (this.#inner && isDiscovered(this.#config, tool)) return this.#inner.call(tool, args, call)
    throw new YardError("unknown_tool", `${this.#config.name} has no tool "${tool}"`)
  }

  async read(uri: string, call: Call): Promise<JsonObject> {
    const own = this.#resource(uri)
    if (own) return this.#onBehalf(call, yard => own.item.read(uri, own.variables, call, yard))
    const inner = this.#discovered
    if (!inner?.read) throw unknownResource(uri)
    return inner.read(uri, call)
  }

  async prompt(name: string, args: JsonObject, call: Call): Promise<JsonObject> {
    const own = this.#additions.prompts.get(name)
    if (own) return this.#onBehalf(call, async () => own.get(args))
    const inner = this.#discovered
    if (!inner?.prompt) throw new YardError("unknown_prompt", `Unknown prompt: ${name}`)
    return inner.prompt(name, args, call)
  }

  async complete(params: JsonObject, call: Call): Promise<JsonObject> {
    const { name, uri } = isObject(params.ref) ? params.ref : {}
    const prompt = this.#additions.prompts.get(name as string)
    if (prompt) return completePrompt(prompt, params)
    const template = this.#additions.templates.get(uri as string)
    const uris = [...this.#additions.resources.keys()]
    if (template) return this.#onBehalf(call, ({ root }) => completeTemplate(template, params, uris, root))
    const inner = this.#discovered
    if (inner?.complete) return inner.complete(params, call)
    throw new YardError("invalid_params", `nothing here can be completed under ${JSON.stringify(name ?? uri)}`)
  }

  /** Only files change without the configuration being edited; what a call gives now, nobody knows before it is made. */
  async subscribe(uri: string): Promise<void> {
    const own = this.#resource(uri)
    if (!own) {
      const inner = this.#discovered
      if (!inner) throw unknownResource(uri)
      if (!inner.subscribe) throw new YardError("method_not_found", `${uri} cannot be subscribed to`)
      return inner.subscribe(uri)
    }
    const path = await own.item.file?.(uri, this.#yard().root)
    if (path === undefined || this.#watched.has(uri) || this.#closing.signal.aborted) return
    const watcher = watchFiles(() => this.#emitter.emit("updated", uri, { uri }))
    watcher.follow([path])
    this.#watched.set(uri, watcher)
  }

  async unsubscribe(uri: string): Promise<void> {
    const watcher = this.#watched.get(uri)
    this.#watched.delete(uri)
    watcher?.close()
    if (!watcher && !this.#resource(uri)) await this.#discovered?.unsubscribe?.(uri)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await this.#inner?.setLogLevel?.(level)
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    this.#inner?.tell?.(session, method, params)
  }

  async endSession(session: string): Promise<void> {
    await this.#inner?.endSession?.(session)
  }

  reconnect(): void {
    this.#inner?.reconnect?.()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const watcher of this.#watched.values()) watcher.close()
    this.#watched.clear()
    await this.#inner?.close()
  }

  /** The other source, where all that it has is offered. */
  get #discovered(): Source | undefined {
    return this.#config.discover ? this.#inner : undefined
  }

  /** Whoever names a URI exactly goes before whoever has a template for it. */
  #resource(uri: string): { item: StaticResource | StaticTemplate; variables: Record<string, string> } | undefined {
    const exact = this.#additions.resources.get(uri)
    if (exact) return { item: exact, variables: {} }
    if (this.#discovered?.list()?.resources.some(resource => resource.uri === uri)) return undefined
    for (const item of this.#additions.templates.values()) {
      const variables = item.template.match(uri)
      if (variables) return { item, variables }
    }
    return undefined
  }

  #yard(): YardAccess {
    if (this.#context && !this.#closing.signal.aborted) return this.#context.yard
    throw this.#stopped()
  }

  /** Work for a caller, which ends for them when they leave or when the source is closed. */
  async #onBehalf<T>(call: Call, work: (yard: YardAccess) => Promise<T>): Promise<T> {
    if (call.aborted) throw call.aborted
    const yard = this.#yard()
    const { signal } = this.#closing
    return new Promise((resolve, reject) => {
      const listener = { onAbort: reject }
      const stopped = (): void => reject(this.#stopped())
      call.onAbort(listener)
      signal.addEventListener("abort", stopped)
      void work(yard)
        .then(resolve, reject)
        .finally(() => {
          call.offAbort(listener)
          signal.removeEventListener("abort", stopped)
        })
    })
  }

  #stopped(): YardError {
    return new YardError("server_down", `${this.#config.name} is not running`)
  }
}
