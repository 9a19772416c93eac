/**
 * A prompt as a source: served from what was generated before, and generated when there is nothing of the kind yet. What
 * does the work is loaded when there is some: a yard without such a server pays nothing for it.
 */
import { join } from "node:path"
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
import type { Sandbox } from "../../sandbox/sandbox.ts"
import { watchFiles } from "../watch-files.ts"
import type { Active } from "./active.ts"
import type { BootOptions } from "./boot.ts"
import { createInVain, type InVain } from "./in-vain.ts"
import { Journal } from "./journal.ts"
import { createLazyFetch } from "./lazy-fetch.ts"
import type { FoundDescription, Model, Progress } from "./model.ts"
import type { Stored } from "./store/store.ts"

export interface PromptSourceOptions {
  sandbox(): Sandbox | Promise<Sandbox>
  /** `llm` of the yard: used when the entry names no model. */
  model?: string | undefined
  openModel(name: string | undefined, progress: Progress): Model | Promise<Model>
  gather: BootOptions["gather"]
  plan: BootOptions["plan"]
  /** Serves what needs no generated code; `file` holds its text, where that is kept. */
  describe(description: FoundDescription, file: string | undefined): Source
  /** How long after the start it is looked whether the documentation changed: not for a command that ends at once. */
  checkAfterMs?: number
}

interface PromptEntry {
  prompt: string
  allow?: string[]
  model?: string
}

const MAX_FETCH_BYTES = 10_000_000
const CHECK_AFTER_MS = 5000
const LOOK_AGAIN_MS = 600_000
/** Generating takes minutes; nobody's start waits so long. */
const OPEN_MS = 30_000

export class PromptSource implements Source {
  readonly type = "prompt"
  readonly #config: ServerConfig
  readonly #entry: PromptEntry
  readonly #options: PromptSourceOptions
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #closing = new AbortController()
  readonly #journal = new Journal()
  readonly #fetch = createLazyFetch({ timeoutMs: 30_000, maxBytes: MAX_FETCH_BYTES })
  readonly #inVain: InVain
  readonly #watch = watchFiles(() => void this.#one(() => this.#reload()))
  #context: SourceContext | undefined
  #health: SourceHealth = { state: "connecting", since: Date.now() }
  #active: Active | undefined
  #shown = ""
  #working: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(config: ServerConfig, options: PromptSourceOptions) {
    this.#config = config
    this.#entry = config.entry as unknown as PromptEntry
    this.#options = options
    this.#inVain = createInVain(options.gather)
  }

  async open(context: SourceContext): Promise<void> {
    this.#context = context
    this.#journal.follow(context.log)
    await this.#one(() => this.#reload())
    await context.start
    if (this.#closing.signal.aborted) return
    // What changed meanwhile is made anew while the old is served.
    if (this.#active) this.#later(this.#options.checkAfterMs ?? CHECK_AFTER_MS)
    else
      await atMost(
        OPEN_MS,
        this.#one(() => this.#make()),
      )
  }

  list(): Offer | undefined {
    return this.#active?.list()
  }

  health(): SourceHealth {
    return this.#active?.health() ?? this.#health
  }

  logs(): string[] {
    return [...this.#journal.lines, ...(this.#active?.logs() ?? [])]
  }

  on<E extends keyof SourceEvents>(event: E, listener: SourceEvents[E]): Unsubscribe {
    return this.#emitter.on(event, listener)
  }

  /** Looks at everything again, also at what failed. */
  reconnect(): void {
    if (this.#closing.signal.aborted || !this.#context) return
    this.#inVain.forget()
    void this.#one(() => this.#make())
  }

  async call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    if (call.aborted) throw call.aborted
    if (this.#closing.signal.aborted) throw this.#stopped()
    if (this.#active) return this.#active.call(tool, args, call)
    const { state, reason } = this.#health
    throw new YardError("server_down", `${this.#config.name} is ${state}: ${reason ?? "it is not open yet"}`, {
      hint: `\`toolyard logs ${this.#config.name}\` tells more.`,
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#watch.close()
    this.#closing.abort(this.#stopped())
    await Promise.all([this.#working, this.#fetch.close()])
    await this.#active?.close()
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#one(() => this.#make()), ms).unref()
  }

  /** One thing after another; never rejects. */
  #one(work: () => Promise<void>): Promise<void> {
    const next = this.#working.then(() => (this.#closing.signal.aborted ? undefined : work()))
    this.#working = next.catch((error: unknown) => this.#journal.say(`failed: ${toYardError(error).message}`))
    return this.#working
  }

  /** What is there, as it is now. A file that is half edited changes nothing. */
  async #reload(): Promise<void> {
    const { findStored } = await import("./store/store.ts")
    const { folder, prompt, model, progress } = await this.#bootOptions()
    const stored = await findStored(folder, { prompt, model }, problem => progress.step("store", problem))
    if (stored) await this.#use(stored)
  }

  async #make(): Promise<void> {
    clearTimeout(this.#timer)
    const { answers } = this.#journal
    if (!this.#active) this.#setHealth({ state: "connecting", reason: "generating" })
    try {
      const { bootServer } = await import("./boot.ts")
      const { stored } = await bootServer(await this.#bootOptions())
      await this.#use(stored)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      const known = toYardError(error)
      if (this.#journal.answers > answers) this.#inVain.failed(known)
      this.#journal.say(`failed: ${known.message}`)
      // Something is served, even if it is not the newest.
      if (this.#active) return
      this.#later(LOOK_AGAIN_MS)
      const reason = known.hint ? `${known.message}. ${known.hint}` : known.message
      this.#setHealth({ state: "down", reason, nextRetryAt: Date.now() + LOOK_AGAIN_MS })
    }
  }

  async #use(stored: Stored): Promise<void> {
    const { handlers, ...rest } = stored.generated
    const shown = JSON.stringify([rest, ...handlers, stored.edited])
    if (this.#closing.signal.aborted || shown === this.#shown) return
    const { activate } = await import("./active.ts")
    const before = this.#active
    this.#active = await activate(stored, {
      name: this.#config.name,
      context: this.#context as SourceContext,
      describe: this.#options.describe,
      sandbox: this.#options.sandbox,
      fetch: this.#fetch,
      allow: this.#entry.allow ?? [],
      log: line => this.#journal.say(line),
      signal: this.#closing.signal,
      onChanged: lists => this.#emitter.emit("changed", lists),
      onHealth: health => this.#emitter.emit("health", health),
    })
    this.#shown = shown
    const { notes } = this.#active
    if (!this.#active.health()) this.#setHealth({ state: "up", ...(notes.length > 0 && { reason: notes.join("; ") }) })
    if (stored.folder !== "")
      this.#watch.follow(Object.keys(stored.manifest.files).map(file => join(stored.folder, file)))
    await before?.close()
    this.#emitter.emit("changed", ["tools", "resources", "prompts"])
  }

  async #bootOptions(): Promise<BootOptions> {
    const { folderOf } = await import("./store/store.ts")
    const { root, cacheFolder } = (this.#context as SourceContext).yard
    const { prompt, allow = [], model = this.#options.model } = this.#entry
    const progress = this.#journal.progress(message => {
      if (!this.#active) this.#setHealth({ state: "connecting", reason: `generating: ${message}` })
    })
    return {
      prompt,
      allow,
      model,
      progress,
      folder: folderOf(join(cacheFolder ?? join(root, ".toolyard", "cache"), "..", "generated"), this.#config.name),
      keep: cacheFolder !== undefined,
      openModel: () => this.#options.openModel(model, progress),
      sandbox: this.#options.sandbox,
      gather: this.#inVain.gather,
      plan: this.#options.plan,
      signal: this.#closing.signal,
    }
  }

  #setHealth(health: Omit<SourceHealth, "since">): void {
    const since = health.state === this.#health.state ? this.#health.since : Date.now()
    this.#health = { ...health, since }
    this.#emitter.emit("health", this.#health)
  }

  #stopped(): YardError {
    return new YardError("server_down", `${this.#config.name} is not running`)
  }
}

function atMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    void work.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
