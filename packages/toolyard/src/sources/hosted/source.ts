/**
 * A server whose code is the user's own, in a process of its own that speaks MCP. When a file of it is edited, a second
 * process is started with the new version and takes over once it is up; one that does not come up is shown as a problem,
 * and the last good version goes on.
 */
import { rm } from "node:fs/promises"
import type { Call } from "../../model/call.ts"
import type { ServerConfig, StdioEntry } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { LogLevel } from "../../model/mcp.ts"
import type { Offer, Source, SourceContext, SourceEvents, SourceHealth, Unsubscribe } from "../../model/source.ts"
import { differences, UpstreamSource } from "../upstream/source.ts"
import type { Watchdog } from "../upstream/watchdog.ts"
import { type FileWatch, watchFiles } from "../watch-files.ts"

/** Long enough for what a call had to do before it ends; short enough that an endless loop does not burn a core for long. */
const SILENCE_MS = 2_000
/** How soon to look again for what a server can't be started without. */
const RETRY_MS = 10_000

export interface Launch {
  command: string
  args: string[]
  /** A folder that is of no more use when the server is closed. */
  scratch?: string | undefined
}

export interface Host {
  /** How to start it; a promise that rejects makes the server stay down with that reason. */
  launch(context: SourceContext): Promise<Launch> | Launch
  /** The files to watch from the beginning; the host tells the rest. */
  files: string[]
  env: Record<string, string>
}

export class HostedSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #host: Host
  readonly #watchdog: Watchdog
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #watch: FileWatch
  readonly #retiring = new Set<UpstreamSource>()
  #context: SourceContext | undefined
  #entry: StdioEntry | undefined
  #current: UpstreamSource | undefined
  #unfollow: Unsubscribe[] = []
  #logLevel: LogLevel | undefined
  /** Why it can't be started at all. */
  #fault: SourceHealth | undefined
  /** What is wrong with the last edit. */
  #problem: string | undefined
  #retry: NodeJS.Timeout | undefined
  #scratch: string | undefined
  #reloading: Promise<void> | undefined
  #editedAgain = false
  #closed = false

  constructor(config: ServerConfig, host: Host, watchdog: Watchdog) {
    this.type = config.entry.type
    this.#config = config
    this.#host = host
    this.#watchdog = watchdog
    this.#watch = watchFiles(() => void this.#reload())
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    this.#watch.follow(this.#host.files)
    try {
      const launched = this.#host.launch(context)
      // Without a wait where there is none to be had: the cached list is there as soon as the source is opened.
      const { command, args, scratch } = launched instanceof Promise ? await launched : launched
      this.#scratch = scratch
      this.#entry = { type: "stdio", command, args, env: this.#host.env, cwd: context.yard.root }
    } catch (error) {
      if (this.#closed) return
      const since = this.#fault?.since ?? Date.now()
      const reason = (error as Error).message
      this.#fault = { state: "down", reason, nextRetryAt: Date.now() + RETRY_MS, since }
      this.#retry = setTimeout(() => void this.open(context), RETRY_MS).unref()
      this.#emitter.emit("health", this.#fault)
      return
    }
    if (this.#closed) return
    const first = this.#make(this.#entry)
    this.#follow(first)
    const opening = first.open(context)
    if (first.list()) this.#emitter.emit("changed", ["tools", "resources", "prompts"])
    await opening
    this.#followFiles()
  }

  list(): Offer | undefined {
    return this.#current?.list()
  }

  health(): SourceHealth {
    const health = this.#current?.health() ?? this.#fault ?? { state: "connecting", since: Date.now() }
    return this.#problem !== undefined && health.state === "up" ? { ...health, reason: this.#problem } : health
  }

  logs(): string[] {
    return [...(this.#current?.logs() ?? []), ...(this.#problem === undefined ? [] : [this.#problem])]
  }

  call(tool: string, args: JsonObject, call: Call): Promise<JsonObject> {
    return this.#current ? this.#current.call(tool, args, call) : this.#absent()
  }

  read(uri: string, call: Call): Promise<JsonObject> {
    return this.#current ? this.#current.read(uri, call) : this.#absent()
  }

  prompt(name: string, args: JsonObject, call: Call): Promise<JsonObject> {
    return this.#current ? this.#current.prompt(name, args, call) : this.#absent()
  }

  complete(params: JsonObject, call: Call): Promise<JsonObject> {
    return this.#current ? this.#current.complete(params, call) : this.#absent()
  }

  /** A request of the hub's own to the host. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#current ? this.#current.request(method, params) : this.#absent()
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    await this.#current?.setLogLevel(level)
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    this.#current?.tell(session, method, params)
  }

  async endSession(session: string): Promise<void> {
    await this.#current?.endSession(session)
  }

  reconnect(): void {
    this.#current?.reconnect()
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#watch.close()
    await Promise.all([this.#current?.close(), ...[...this.#retiring].map(source => source.close())])
    await this.#reloading
    if (this.#scratch !== undefined) await rm(this.#scratch, { recursive: true, force: true })
  }

  #make(entry: StdioEntry): UpstreamSource {
    return new UpstreamSource({ ...this.#config, entry }, this.#watchdog, {
      silenceMs: SILENCE_MS,
      answer: (method, params, call) => this.#answer(method, params, call),
    })
  }

  #answer(method: string, { name, arguments: args = {} }: JsonObject, call: Call): Promise<JsonObject> | undefined {
    if (method !== "toolyard/call") return undefined
    if (typeof name !== "string" || !isObject(args))
      throw new YardError("invalid_params", "toolyard/call needs `name`, a string, and `arguments`, an object")
    return this.#context?.yard.call(call, name, args)
  }

  #follow(source: UpstreamSource): void {
    for (const unfollow of this.#unfollow) unfollow()
    this.#current = source
    this.#unfollow = [
      source.on("changed", lists => this.#emitter.emit("changed", lists)),
      source.on("health", () => {
        this.#followFiles()
        this.#emitter.emit("health", this.health())
      }),
      source.on("updated", (uri, params) => this.#emitter.emit("updated", uri, params)),
      source.on("notification", (...heard) => this.#emitter.emit("notification", ...heard)),
    ]
  }

  #followFiles(): void {
    const experimental = this.#current?.list()?.capabilities.experimental
    const told = isObject(experimental) ? experimental["toolyard/files"] : undefined
    const files = isObject(told) && Array.isArray(told.files) ? told.files : []
    this.#watch.follow([...this.#host.files, ...files.filter(file => typeof file === "string")])
  }

  /** Single-flight: edits that come meanwhile lead to exactly one more. */
  async #reload(): Promise<void> {
    if (this.#reloading) {
      this.#editedAgain = true
      return
    }
    this.#reloading = this.#replace().finally(() => {
      this.#reloading = undefined
      if (!this.#editedAgain) return
      this.#editedAgain = false
      void this.#reload()
    })
    await this.#reloading
  }

  async #replace(): Promise<void> {
    const [before, context, entry] = [this.#current, this.#context, this.#entry]
    if (!before || !context || !entry || this.#closed) return
    if (before.health().state === "down") {
      before.reconnect()
      return
    }
    const next = this.#make(entry)
    this.#retiring.add(next)
    await next.open(context)
    this.#retiring.delete(next)
    const { state, reason } = next.health()
    if (this.#closed || state !== "up") {
      await next.close()
      if (this.#closed) return
      this.#problem = `the last edit does not work, so the version before it goes on: ${reason}`
      this.#context?.log(this.#problem)
      this.#emitter.emit("health", this.health())
      return
    }
    this.#problem = undefined
    this.#follow(next)
    if (this.#logLevel) await next.setLogLevel(this.#logLevel)
    this.#followFiles()
    const offer = next.list()
    const lists = offer ? differences(before.list(), offer) : []
    if (lists.length > 0) this.#emitter.emit("changed", lists)
    this.#emitter.emit("health", this.health())
    this.#retiring.add(before)
    void before.retire().finally(() => this.#retiring.delete(before))
  }

  #absent(): Promise<never> {
    return Promise.reject(
      this.#closed || !this.#fault
        ? new YardError("server_down", `${this.#config.name} is being stopped`)
        : new YardError("server_down", `${this.#config.name} is down: ${this.#fault.reason}`),
    )
  }
}
