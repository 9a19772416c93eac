/**
 * An MCP server somewhere else as a source: kept connected for ever, listed from cache until it is up,
 * and with a child of its own per client session where `isolation` says so.
 */
import { isDeepStrictEqual } from "node:util"
import type { Call } from "../../model/call.ts"
import type { HttpEntry, ServerConfig, StdioEntry } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { Era, LogLevel } from "../../model/mcp.ts"
import type {
  Offer,
  OfferList,
  Source,
  SourceContext,
  SourceEvents,
  SourceHealth,
  ToolResult,
  Unsubscribe,
} from "../../model/source.ts"
import type { Connection, ConnectionEvents, Hosting } from "./connection.ts"
import { HUB_CAPABILITIES } from "./handshake.ts"
import { Lifeline } from "./lifeline.ts"
import { type Listener, listenForChanges } from "./listen.ts"
import { listOffer } from "./listing.ts"
import { openConnection } from "./open-connection.ts"
import { createOutputTail, createRedactor, type OutputTail } from "./output-tail.ts"
import { SessionConnections } from "./sessions.ts"
import type { Watchdog } from "./watchdog.ts"

export class UpstreamSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #watchdog: Watchdog
  readonly #hosting: Hosting | undefined
  readonly #output: OutputTail
  readonly #lifeline: Lifeline
  readonly #sessions: SessionConnections | undefined
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #ending = new AbortController()
  readonly #subscriptions = new Set<string>()
  readonly #changed = new Set<OfferList>()
  #context: SourceContext | undefined
  #listener: Listener | undefined
  #offer: Offer | undefined
  #listing: Promise<void> | undefined
  #logLevel: LogLevel | undefined

  constructor(config: ServerConfig, watchdog: Watchdog, hosting?: Hosting) {
    this.#config = config
    this.#watchdog = watchdog
    this.#hosting = hosting
    this.type = config.entry.type
    const redact = createRedactor(secretsOf(config.entry as StdioEntry | HttpEntry))
    this.#output = createOutputTail(redact)
    this.#lifeline = new Lifeline({
      name: config.name,
      connect: closed => this.#connect(closed),
      connected: connection => this.#restore(connection),
      lost: () => {
        this.#listener?.close()
        this.#listener = undefined
      },
      healthChanged: health => this.#emitter.emit("health", health),
      describe: ({ message }) => {
        const said = this.type === "stdio" ? this.#output.lines().at(-1) : undefined
        return redact(message) + (said === undefined ? "" : `; its last line was: ${said}`)
      },
    })
    if (config.isolation === "session") {
      this.#sessions = new SessionConnections(
        (capabilities, events, onCreated) => this.#openOne(capabilities, events, onCreated),
        (session, method, params) => this.#emitter.emit("notification", method, params, session),
        line => this.#output.push(Buffer.from(`${line}\n`)),
      )
    }
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    const cached = context.cache.get(this.#cacheKey)
    if (cached && isOffer(cached.offer)) this.#offer = cached.offer
    await context.start
    await this.#lifeline.connect()
  }

  list(): Offer | undefined {
    return this.#offer
  }

  health(): SourceHealth {
    return this.#lifeline.health
  }

  logs(): string[] {
    return this.#output.lines()
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    // A pipe needs none of the care that follows.
    const connection = this.type === "stdio" && !this.#sessions ? this.#lifeline.connection : undefined
    return connection
      ? connection.callTool(tool, args, call, this.#offer)
      : this.#onBehalf(call, ready => ready.callTool(tool, args, call, this.#offer))
  }

  read(uri: string, call: Call): Promise<JsonObject> {
    return this.#onBehalf(call, connection => connection.ask("resources/read", { uri }, call))
  }

  prompt(name: string, args: JsonObject, call: Call): Promise<JsonObject> {
    return this.#onBehalf(call, connection => connection.ask("prompts/get", { name, arguments: args }, call))
  }

  complete(params: JsonObject, call: Call): Promise<JsonObject> {
    return this.#onBehalf(call, connection => connection.ask("completion/complete", params, call))
  }

  async subscribe(uri: string): Promise<void> {
    const connection = await this.#lifeline.ready()
    this.#subscriptions.add(uri)
    if (this.#listener) this.#listener.watch([...this.#subscriptions])
    else await connection.request("resources/subscribe", { uri }, this.#ending.signal)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscriptions.delete(uri)
    if (this.#listener) this.#listener.watch([...this.#subscriptions])
    else await this.#lifeline.connection?.request("resources/unsubscribe", { uri }, this.#ending.signal)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    await this.#sendLogLevel(this.#lifeline.connection)
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    this.#sessions?.tell(session, method, params)
  }

  async endSession(session: string): Promise<void> {
    await this.#sessions?.end(session)
  }

  reconnect(): void {
    this.#lifeline.reconnect()
  }

  /** A request of the hub's own, for what the protocol does not have. */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    return (await this.#lifeline.ready()).request(method, params, this.#ending.signal)
  }

  /** Takes no more calls, and closes when those under way have their answers. */
  async retire(): Promise<void> {
    await this.#lifeline.retire()
    await this.close()
  }

  async close(): Promise<void> {
    this.#ending.abort(new YardError("server_down", `${this.#config.name} is being stopped`))
    await Promise.all([this.#sessions?.close(), this.#lifeline.close(), this.#listing])
  }

  get #cacheKey(): string {
    return `upstream:${this.#config.name}:${this.#config.hash}`
  }

  /** A connection whose offer is known. */
  async #connect(closed: (reason: YardError) => void): Promise<Connection> {
    let listChanged = (_list: OfferList): void => {}
    const connection = await this.#openOne(HUB_CAPABILITIES, {
      listChanged: list => listChanged(list),
      updated: (uri, params) => this.#emitter.emit("updated", uri, params),
      notification: (method, params) => this.#emitter.emit("notification", method, params, undefined),
      log: line => this.#output.push(Buffer.from(`${line}\n`)),
      closed,
    })
    try {
      const offer = await listOffer(connection, this.#ending.signal, line => this.#note(line))
      listChanged = list => this.#relist(list)
      this.#adopt(offer, connection.era, differences(this.#offer, offer))
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  #openOne(
    capabilities: JsonObject,
    events: ConnectionEvents,
    onCreated?: (connection: Connection) => void,
  ): Promise<Connection> {
    // Hosts are ours: which era they speak need not be found out.
    const era = this.#hosting ? "legacy" : (this.#context?.cache.get(this.#cacheKey)?.era as Era | undefined)
    const { signal } = this.#ending
    return openConnection(
      {
        config: this.#config,
        watchdog: this.#watchdog,
        output: this.#output,
        events,
        capabilities,
        era,
        hosting: this.#hosting,
        signal,
      },
      onCreated,
    )
  }

  /** What clients had asked for before the connection was lost. */
  async #restore(connection: Connection): Promise<void> {
    if (connection.era === "modern") {
      this.#listener = listenForChanges(connection)
      if (this.#subscriptions.size > 0) this.#listener.watch([...this.#subscriptions])
      return
    }
    const resubscribe = [...this.#subscriptions].map(uri =>
      connection.request("resources/subscribe", { uri }, this.#ending.signal),
    )
    await Promise.allSettled([this.#sendLogLevel(connection), ...resubscribe])
  }

  async #sendLogLevel(connection: Connection | undefined): Promise<void> {
    if (!connection || !this.#logLevel || connection.era === "modern" || !connection.capabilities.logging) return
    await connection.request("logging/setLevel", { level: this.#logLevel }, this.#ending.signal)
  }

  #note(line: string): void {
    this.#output.push(Buffer.from(`${line}\n`))
    this.#context?.log(line)
  }

  /** Single-flight: changes that come while a listing runs lead to exactly one more. */
  #relist(list: OfferList): void {
    this.#changed.add(list)
    const { connection } = this.#lifeline
    if (this.#listing || !connection) return
    const lists = [...this.#changed]
    this.#changed.clear()
    this.#listing = listOffer(connection, this.#ending.signal, line => this.#note(line))
      .then(
        offer => this.#adopt(offer, connection.era, lists),
        (error: unknown) => this.#note(`[the list changed but could not be read: ${toYardError(error).message}]`),
      )
      .finally(() => {
        this.#listing = undefined
        const [again] = this.#changed
        if (again) this.#relist(again)
      })
  }

  #adopt(offer: Offer, era: Era, changed: OfferList[]): void {
    this.#offer = offer
    this.#context?.cache.set(this.#cacheKey, { offer: offer as unknown as JsonObject, era })
    if (changed.length > 0) this.#emitter.emit("changed", changed)
  }

  async #onBehalf(call: Call, use: (connection: Connection) => Promise<JsonObject>): Promise<JsonObject> {
    if (this.#sessions) return this.#sessions.use(call, use)
    const connection = await this.#lifeline.ready()
    try {
      return await use(connection)
    } catch (error) {
      if (!(error instanceof YardError) || this.type === "stdio") throw error
      const forgotten = error.code === "session_not_found"
      // Of several calls that find it out, the first one sees to the new connection.
      const first = connection === this.#lifeline.connection
      if (first && (forgotten || error.code === "server_down")) this.#lifeline.lose(error)
      // A server that forgot our session did nothing yet: introduce ourselves again and repeat, once.
      if (!forgotten) throw error
      return use(await this.#lifeline.ready())
    }
  }
}

/** Which lists are not what they were, the cached ones of the last start included. */
export function differences(before: Offer | undefined, after: Offer): OfferList[] {
  const same = (list: keyof Offer): boolean => isDeepStrictEqual(before?.[list] ?? [], after[list])
  const lists: OfferList[] = []
  if (!same("tools")) lists.push("tools")
  if (!same("resources") || !same("templates")) lists.push("resources")
  if (!same("prompts")) lists.push("prompts")
  return lists
}

function secretsOf(entry: StdioEntry | HttpEntry): Record<string, string> {
  return entry.type === "stdio" ? entry.env : entry.headers
}

function isOffer(value: unknown): value is Offer {
  return (
    isObject(value) &&
    ["tools", "resources", "templates", "prompts"].every(key => Array.isArray(value[key])) &&
    isObject(value.capabilities)
  )
}
