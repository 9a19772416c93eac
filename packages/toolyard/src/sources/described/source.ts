/**
 * A server that is only described: by a file of the project or an address. It is up when the description was read. An
 * edit that can't be read is shown as a problem, and the last good version goes on.
 */
import type { Call } from "../../model/call.ts"
import type { ServerConfig } from "../../model/config.ts"
import { Emitter } from "../../model/emitter.ts"
import { toYardError, YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type {
  Offer,
  Source,
  SourceContext,
  SourceEvents,
  SourceHealth,
  ToolResult,
  Unsubscribe,
} from "../../model/source.ts"
import { retryDelay } from "../upstream/backoff.ts"
import { differences } from "../upstream/source.ts"
import { type FileWatch, watchFiles } from "../watch-files.ts"

/** What a description was made into. */
export interface Described {
  offer: Offer
  call(tool: string, args: JsonObject, call: Call, signal: AbortSignal): Promise<ToolResult>
  /** What is to be said of the description, for the log. */
  notes: string[]
  /** Its files, to be watched. */
  files: string[]
  /** Why this is not the newest version; it is looked for again. */
  stale?: string | undefined
}

export interface Describer {
  /** The files to watch before anything was read. */
  files(context: SourceContext): string[]
  /** What can be had without reaching anything: a copy of an earlier start. */
  recall(context: SourceContext): Promise<Described | undefined>
  load(context: SourceContext, signal: AbortSignal): Promise<Described>
  close(): Promise<void>
}

export class DescribedSource implements Source {
  readonly type: string
  readonly #config: ServerConfig
  readonly #describer: Describer
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #closing = new AbortController()
  readonly #watch: FileWatch
  #context: SourceContext | undefined
  #described: Described | undefined
  #health: SourceHealth = { state: "connecting", since: Date.now() }
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #loading: Promise<void> | undefined
  #again = false

  constructor(config: ServerConfig, describer: Describer) {
    this.type = config.entry.type
    this.#config = config
    this.#describer = describer
    this.#watch = watchFiles(() => void this.#load())
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    this.#watch.follow(this.#describer.files(context))
    const known = await this.#describer.recall(context).catch(() => undefined)
    if (known && !this.#closing.signal.aborted) this.#take(known)
    await context.start
    await this.#load()
  }

  list(): Offer | undefined {
    return this.#described?.offer
  }

  health(): SourceHealth {
    return this.#health
  }

  logs(): string[] {
    const { reason } = this.#health
    return [...(this.#described?.notes ?? []), ...(reason === undefined ? [] : [reason])]
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  reconnect(): void {
    void this.#load()
  }

  async call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    if (call.aborted) throw call.aborted
    if (this.#closing.signal.aborted) throw this.#stopped()
    if (!this.#described) {
      const { state, reason } = this.#health
      throw new YardError("server_down", `${this.#config.name} is ${state}: ${reason ?? "it is not open yet"}`)
    }
    if (!this.#described.offer.tools.some(({ name }) => name === tool))
      throw new YardError("unknown_tool", `${this.#config.name} has no tool "${tool}"`)
    const signal = AbortSignal.any([call.signal, this.#closing.signal])
    try {
      return await this.#described.call(tool, args, call, signal)
    } catch (error) {
      if (call.aborted) throw call.aborted
      throw this.#closing.signal.aborted ? this.#stopped() : error
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(this.#stopped())
    clearTimeout(this.#retry)
    this.#watch.close()
    await this.#loading
    await this.#describer.close()
  }

  /** Single-flight: what is asked for meanwhile leads to exactly one more. */
  #load(): Promise<void> {
    if (this.#loading) {
      this.#again = true
      return this.#loading
    }
    this.#loading = this.#loadOnce().finally(() => {
      this.#loading = undefined
      if (!this.#again) return
      this.#again = false
      void this.#load()
    })
    return this.#loading
  }

  async #loadOnce(): Promise<void> {
    clearTimeout(this.#retry)
    if (!this.#context || this.#closing.signal.aborted) return
    try {
      const described = await this.#describer.load(this.#context, this.#closing.signal)
      if (this.#closing.signal.aborted) return
      this.#take(described)
      const { stale: reason } = described
      if (reason === undefined) this.#failures = 0
      this.#setHealth({ state: "up", ...(reason !== undefined && { reason, ...this.#tryLater() }) })
    } catch (error) {
      if (this.#closing.signal.aborted) return
      const { message } = toYardError(error)
      if (this.#described) {
        // Only an edit helps, and that is watched for.
        const reason = `the last edit can't be used, so the version before it goes on: ${message}`
        this.#context.log(reason)
        this.#setHealth({ state: "up", reason })
      } else this.#setHealth({ state: "down", reason: message, ...this.#tryLater() })
    }
  }

  #tryLater(): { attempts: number; nextRetryAt: number } {
    const delay = retryDelay(this.#failures++)
    this.#retry = setTimeout(() => void this.#load(), delay)
    return { attempts: this.#failures, nextRetryAt: Date.now() + delay }
  }

  #take(described: Described): void {
    const before = this.#described
    this.#described = described
    this.#watch.follow([...this.#describer.files(this.#context!), ...described.files])
    const lists = before === described ? [] : differences(before?.offer, described.offer)
    if (lists.length > 0) this.#emitter.emit("changed", lists)
  }

  #setHealth(health: Omit<SourceHealth, "since">): void {
    const before = this.#health
    if (health.state === "up" && before.state === "up" && health.reason === before.reason) return
    this.#health = { ...health, since: health.state === before.state ? before.since : Date.now() }
    this.#emitter.emit("health", this.#health)
  }

  #stopped(): YardError {
    return new YardError("server_down", `${this.#config.name} is not running`)
  }
}
