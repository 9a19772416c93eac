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
import { retryDelay } from "./backoff.ts"
import type { Connection, ConnectionEvents } from "./connection.ts"
import { HUB_CAPABILITIES } from "./handshake.ts"
import { type Listener, listenForChanges } from "./listen.ts"
import { listOffer } from "./listing.ts"
import { openConnection } from "./open-connection.ts"
import { createOutputTail, createRedactor, type OutputTail } from "./output-tail.ts"
import { SessionConnections } from "./sessions.ts"
import type { Watchdog } from "./watchdog.ts"

/** How long a call waits for an attempt to connect that is under way, counted from the attempt's start. */
const WAIT_FOR_CONNECT_MS = 10_000
/** A call waits for the next attempt when it is no further away than this. */
const NEAR_RETRY_MS = 500
/** A server that stayed up this long was well: its next failure counts as the first. */
const WELL_AFTER_MS = 5_000

export class UpstreamSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #watchdog: Watchdog
  readonly #output: OutputTail
  readonly #redact: (text: string) => string
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #ending = new AbortController()
  readonly #subscriptions = new Set<string>()
  readonly #sessions: SessionConnections | undefined
  #context: SourceContext | undefined
  #connection: Connection | undefined
  #listener: Listener | undefined
  #offer: Offer | undefined
  #health: SourceHealth = { state: "connecting", since: Date.now() }
  #failures = 0
  #attempt: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #listing: Promise<void> | undefined
  readonly #changed = new Set<OfferList>()
  #logLevel: LogLevel | undefined

  constructor(config: ServerConfig, watchdog: Watchdog) {
    this.#config = config
    this.#watchdog = watchdog
    this.type = config.entry.type
    this.#redact = createRedactor(secretsOf(config.entry as StdioEntry | HttpEntry))
    this.#output = createOutputTail(this.#redact)
    if (config.isolation === "session") {
      this.#sessions = new SessionConnections((capabilities, events, onCreated) =>
        this.#openOne(capabilities, events, onCreated),
      )
    }
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    const cached = context.cache.get(this.#cacheKey)
    if (cached && isOffer(cached.offer)) this.#offer = cached.offer
    await context.start
    if (!this.#ending.signal.aborted) await this.#connect()
  }

  list(): Offer | undefined {
    return this.#offer
  }

  health(): SourceHealth {
    return this.#health
  }

  logs(): string[] {
    return this.#output.lines()
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    // A pipe needs none of the care that follows.
    const connection = this.type === "stdio" && !this.#sessions ? this.#connection : undefined
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
    const connection = await this.#ready()
    this.#subscriptions.add(uri)
    if (this.#listener) this.#listener.watch([...this.#subscriptions])
    else await connection.request("resources/subscribe", { uri }, this.#ending.signal)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscriptions.delete(uri)
    if (this.#listener) this.#listener.watch([...this.#subscriptions])
    else await this.#connection?.request("resources/unsubscribe", { uri }, this.#ending.signal)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    await this.#sendLogLevel(this.#connection)
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    this.#sessions?.tell(session, method, params)
  }

  async endSession(session: string): Promise<void> {
    await this.#sessions?.end(session)
  }

  reconnect(): void {
    if (this.#connection || this.#attempt || this.#ending.signal.aborted) return
    clearTimeout(this.#retry)
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#ending.abort(new YardError("server_down", `${this.#config.name} is being stopped`))
    clearTimeout(this.#retry)
    this.#listener?.close()
    await Promise.all([this.#sessions?.close(), this.#connection?.close(), this.#attempt, this.#listing])
    // An attempt that was under way may have just become a connection.
    await this.#connection?.close()
  }

  get #cacheKey(): string {
    return `upstream:${this.#config.name}:${this.#config.hash}`
  }

  #connect(): Promise<void> {
    this.#attempt ??= this.#tryConnect().finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  async #tryConnect(): Promise<void> {
    this.#setHealth({ state: "connecting", attempts: this.#failures })
    const started = { at: 0 }
    try {
      let listChanged = (_list: OfferList): void => {}
      const connection = await this.#openOne(HUB_CAPABILITIES, {
        listChanged: list => listChanged(list),
        updated: (uri, params) => this.#emitter.emit("updated", uri, params),
        notification: (method, params) => this.#emitter.emit("notification", method, params, undefined),
        log: line => this.#output.push(Buffer.from(`${line}\n`)),
        closed: reason => this.#lost(reason, started.at),
      })
      if (this.#ending.signal.aborted) {
        await connection.close()
        return
      }
      started.at = Date.now()
      const offer = await listOffer(connection, this.#ending.signal, line => this.#note(line)).catch(async error => {
        await connection.close()
        throw error
      })
      this.#connection = connection
      listChanged = list => this.#relist(list)
      this.#adopt(offer, connection.era, differences(this.#offer, offer))
      this.#setHealth({
        state: "up",
        era: connection.era,
        ...(connection.pid !== undefined && { pid: connection.pid }),
      })
      await this.#restore(connection)
    } catch (error) {
      this.#failed(toYardError(error))
    }
  }

  #openOne(
    capabilities: JsonObject,
    events: ConnectionEvents,
    onCreated?: (connection: Connection) => void,
  ): Promise<Connection> {
    const era = this.#context?.cache.get(this.#cacheKey)?.era as Era | undefined
    return openConnection(
      {
        config: this.#config,
        watchdog: this.#watchdog,
        output: this.#output,
        events,
        capabilities,
        era,
        signal: this.#ending.signal,
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

  #lost(reason: YardError, upSince: number): void {
    const lost = this.#connection
    this.#connection = undefined
    this.#listener?.close()
    this.#listener = undefined
    // What one call found out need not hold for the others under way: they may have an answer still to come.
    lost?.retire()
    if (!lost || this.#ending.signal.aborted) return
    if (Date.now() - upSince >= WELL_AFTER_MS) this.#failures = 0
    this.#failed(reason)
  }

  #failed(error: YardError): void {
    if (this.#ending.signal.aborted) return
    const delay = error.code === "needs_login" ? retryDelay(20) : retryDelay(this.#failures)
    this.#failures++
    const said = this.#output.lines().at(-1)
    const reason = this.#redact(error.message) + (said && this.type === "stdio" ? `; its last line was: ${said}` : "")
    this.#setHealth({
      state: error.code === "needs_login" ? "needs-login" : "down",
      reason,
      attempts: this.#failures,
      nextRetryAt: Date.now() + delay,
    })
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), delay)
  }

  #setHealth(health: Omit<SourceHealth, "since">): void {
    this.#health = { ...health, since: health.state === this.#health.state ? this.#health.since : Date.now() }
    this.#emitter.emit("health", this.#health)
  }

  #note(line: string): void {
    this.#output.push(Buffer.from(`${line}\n`))
    this.#context?.log(line)
  }

  /** Single-flight: changes that come while a listing runs lead to exactly one more. */
  #relist(list: OfferList): void {
    this.#changed.add(list)
    if (this.#listing || !this.#connection) return
    const connection = this.#connection
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
    const connection = await this.#ready()
    try {
      return await use(connection)
    } catch (error) {
      if (!(error instanceof YardError) || this.type === "stdio") throw error
      const forgotten = error.code === "session_not_found"
      // Of several calls that find it out, the first one sees to the new connection.
      if ((forgotten || error.code === "server_down") && connection === this.#connection) this.#lost(error, 0)
      // A server that forgot our session did nothing yet: introduce ourselves again and repeat, once.
      if (!forgotten) throw error
      return use(await this.#ready())
    }
  }

  /** The connection, waiting for it only as long as it is likely to come. */
  async #ready(): Promise<Connection> {
    const { state, nextRetryAt = 0 } = this.#health
    // Just lost, or about to be tried again anyway: then now.
    const soon = this.#failures <= 1 || nextRetryAt - Date.now() <= NEAR_RETRY_MS
    if (!this.#connection && state === "down" && soon) this.reconnect()
    if (!this.#connection && this.#attempt) {
      const patience = this.#health.since + WAIT_FOR_CONNECT_MS - Date.now()
      if (patience > 0) await withinMs(this.#attempt, patience)
    }
    if (this.#connection) return this.#connection
    throw downError(this.#config.name, this.#health)
  }
}

function downError(name: string, health: SourceHealth): YardError {
  if (health.state === "needs-login") {
    return new YardError("needs_login", `${name} wants a login: ${health.reason}`, {
      hint: `Run \`toolyard login ${name}\`.`,
    })
  }
  const seconds =
    health.nextRetryAt === undefined ? undefined : Math.max(0, Math.ceil((health.nextRetryAt - Date.now()) / 1000))
  const what = health.state === "connecting" ? "is still connecting" : `is down: ${health.reason}`
  return new YardError("server_down", `${name} ${what}`, {
    ...(seconds !== undefined && {
      hint: `The next attempt to connect is in ${seconds} s; \`toolyard doctor\` tells more.`,
      data: { retryInMs: seconds * 1000 },
    }),
  })
}

function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    void work.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Which lists are not what they were, the cached ones of the last start included. */
function differences(before: Offer | undefined, after: Offer): OfferList[] {
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
