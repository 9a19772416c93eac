/**
 * What a server offers, as modules of the user's compute it. The modules run in a process of their own; an item that
 * comes back with a function of its own is answered there, every other one by the server.
 */
import type { Call } from "../../model/call.ts"
import type { ServerConfig, Transforms } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { LogLevel } from "../../model/mcp.ts"
import type { Offer, Source, SourceContext, SourceEvents, SourceHealth, Unsubscribe } from "../../model/source.ts"
import { HostedSource } from "../hosted/source.ts"
import { cacheArgs, MODULE_HOST } from "../module/source.ts"
import { differences } from "../upstream/source.ts"
import type { Watchdog } from "../upstream/watchdog.ts"

type List = keyof Transforms

const HANDLED = "toolyard/handled"

export class TransformedSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #inner: Source
  readonly #host: HostedSource
  readonly #emitter = new Emitter<SourceEvents>()
  #offer: Offer | undefined
  #problem: string | undefined
  #computing: Promise<void> | undefined
  #outdated = false
  #closed = false

  constructor(config: ServerConfig, inner: Source, watchdog: Watchdog) {
    this.type = inner.type
    this.#config = config
    this.#inner = inner
    const files = Object.values(config.transforms)
    const args = Object.entries(config.transforms).flatMap(([list, file]) => ["--transform", `${list}=${file}`])
    this.#host = new HostedSource(
      { ...config, entry: { type: "module" }, hash: `transforms ${config.hash}` },
      {
        files,
        env: {},
        launch: ({ yard }) => ({
          command: process.execPath,
          args: [MODULE_HOST, ...args, ...cacheArgs(yard.cacheFolder)],
        }),
      },
      watchdog,
    )
  }

  async open(context: SourceContext): Promise<void> {
    const again = (): void => void this.#recompute()
    this.#inner.on("changed", again)
    this.#inner.on("health", () => this.#emitter.emit("health", this.health()))
    this.#inner.on("updated", (uri, params) => this.#emitter.emit("updated", uri, params))
    this.#inner.on("notification", (...heard) => this.#emitter.emit("notification", ...heard))
    this.#host.on("notification", (...heard) => this.#emitter.emit("notification", ...heard))
    await Promise.all([this.#inner.open(context), this.#host.open(context)])
    // From now on every start of the host, after an edit or a crash, computes anew.
    this.#host.on("health", ({ state }) => {
      if (state === "up") again()
      else this.#emitter.emit("health", this.health())
    })
    await this.#recompute()
  }

  list(): Offer | undefined {
    return this.#offer
  }

  health(): SourceHealth {
    const [inner, host] = [this.#inner.health(), this.#host.health()]
    if (inner.state !== "up") return inner
    if (this.#offer === undefined && host.state !== "up") return { ...host, reason: `its transform: ${host.reason}` }
    const problem = this.#problem ?? host.reason
    return problem === undefined ? inner : { ...inner, reason: `its transform: ${problem}` }
  }

  logs(): string[] {
    return [...(this.#inner.logs?.() ?? []), ...this.#host.logs()]
  }

  call(tool: string, args: JsonObject, call: Call): Promise<JsonObject> {
    const owner = this.#isHandled("tools", "name", tool) ? this.#host : this.#inner
    return owner.call(tool, args, call)
  }

  async read(uri: string, call: Call): Promise<JsonObject> {
    const owner = this.#isHandled("resources", "uri", uri) || !this.#inner.read ? this.#host : this.#inner
    return (await owner.read?.(uri, call)) as JsonObject
  }

  async prompt(name: string, args: JsonObject, call: Call): Promise<JsonObject> {
    const owner = this.#isHandled("prompts", "name", name) || !this.#inner.prompt ? this.#host : this.#inner
    return (await owner.prompt?.(name, args, call)) as JsonObject
  }

  async complete(params: JsonObject, call: Call): Promise<JsonObject> {
    return (await this.#inner.complete?.(params, call)) ?? { completion: { values: [] } }
  }

  async subscribe(uri: string): Promise<void> {
    if (!this.#isHandled("resources", "uri", uri)) await this.#inner.subscribe?.(uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#isHandled("resources", "uri", uri)) await this.#inner.unsubscribe?.(uri)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await Promise.all([this.#inner.setLogLevel?.(level), this.#host.setLogLevel(level)])
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    this.#inner.tell?.(session, method, params)
  }

  async endSession(session: string): Promise<void> {
    await Promise.all([this.#inner.endSession?.(session), this.#host.endSession(session)])
  }

  reconnect(): void {
    this.#inner.reconnect?.()
    this.#host.reconnect()
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#inner.close(), this.#host.close()])
    await this.#computing
  }

  #isHandled(list: "tools" | "resources" | "prompts", key: string, id: string): boolean {
    const items: JsonObject[] = this.#offer?.[list] ?? []
    const item = items.find(candidate => candidate[key] === id)
    return isHandled(item) || (list === "resources" && !item && (this.#offer?.templates.some(isHandled) ?? false))
  }

  /** Single-flight: changes that come meanwhile lead to exactly one more. */
  #recompute(): Promise<void> {
    if (this.#computing) this.#outdated = true
    this.#computing ??= this.#compute().finally(() => {
      this.#computing = undefined
      if (!this.#outdated || this.#closed) return
      this.#outdated = false
      void this.#recompute()
    })
    return this.#computing
  }

  async #compute(): Promise<void> {
    const given = this.#inner.list()
    if (!given || this.#closed || this.#host.health().state !== "up") return
    try {
      const lists = Object.keys(this.#config.transforms) as List[]
      const computed = await Promise.all(lists.map(list => this.#transform(list, given)))
      const offer: Offer = Object.assign({ ...given }, ...computed)
      offer.capabilities = withLists(given.capabilities, lists)
      const changed = differences(this.#offer, offer)
      this.#offer = offer
      this.#problem = undefined
      if (changed.length > 0) this.#emitter.emit("changed", changed)
    } catch (error) {
      if (this.#closed) return
      this.#problem = (error as Error).message
    }
    this.#emitter.emit("health", this.health())
  }

  async #transform(list: List, given: Offer): Promise<Partial<Offer>> {
    const before = list === "resources" ? [...given.resources, ...given.templates] : given[list]
    const params = { list, items: before, server: this.#config.name }
    const { items } = await this.#host.request("toolyard/transform", params)
    const after = (Array.isArray(items) ? items : []) as JsonObject[]
    if (list !== "resources") return { [list]: after }
    const isTemplate = (item: JsonObject): boolean => typeof item.uriTemplate === "string"
    return {
      resources: after.filter(item => !isTemplate(item)) as Offer["resources"],
      templates: after.filter(isTemplate) as Offer["templates"],
    }
  }
}

function isHandled(item: JsonObject | undefined): boolean {
  return isObject(item?._meta) && item._meta[HANDLED] === true
}

function withLists(capabilities: JsonObject, lists: List[]): JsonObject {
  return { ...Object.fromEntries(lists.map(list => [list, {}])), ...capabilities }
}
