/** A command line as a source: one tool, and one process for each of its calls. Never through a shell. */
import type { Call } from "../../model/call.ts"
import type { CommandEntry, ServerConfig } from "../../model/config.ts"
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
import { childEnv } from "../upstream/child-env.ts"
import { lineSplitter } from "../upstream/line-splitter.ts"
import { createOutputTail, createRedactor } from "../upstream/output-tail.ts"
import type { Watchdog } from "../upstream/watchdog.ts"
import { type CommandLine, fillCommandLine, parseCommandLine } from "./command-line.ts"
import { whyNotStartable } from "./find-program.ts"
import { toToolResult } from "./result.ts"
import { type Running, startProgram } from "./run-program.ts"

const MAX_PROGRESS_LINE_BYTES = 4096
/** Of many lines that come at once, only the last are worth a message each. */
const MAX_PROGRESS_AT_ONCE = 20

export class CommandSource implements Source {
  readonly type = "command"
  readonly #config: ServerConfig
  readonly #entry: CommandEntry
  readonly #env: Record<string, string>
  readonly #watchdog: Watchdog
  readonly #output
  readonly #line: CommandLine | YardError
  readonly #emitter = new Emitter<SourceEvents>()
  readonly #running = new Set<Promise<Running>>()
  readonly #closing = new AbortController()
  #health: SourceHealth = { state: "connecting", since: Date.now() }
  #offer: Offer | undefined
  #failures = 0
  #retry: NodeJS.Timeout | undefined

  constructor(config: ServerConfig, watchdog: Watchdog) {
    this.#config = config
    this.#entry = config.entry as CommandEntry
    this.#env = childEnv(this.#entry.env)
    this.#watchdog = watchdog
    this.#output = createOutputTail(createRedactor(this.#entry.env))
    this.#line = parsed(this.#entry)
  }

  async open({ start, log }: SourceContext): Promise<void> {
    for (const name of Object.keys(this.#entry.parameters)) {
      if (this.#line instanceof YardError || this.#line.parameters.has(name)) continue
      log(`\`parameters\` describes "${name}", but no {{${name}}} stands in \`args\` or \`stdin\``)
    }
    await start
    this.#look()
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

  reconnect(): void {
    if (this.#health.state !== "up") this.#look()
  }

  async call(tool: string, args: JsonObject, call: Call): Promise<ToolResult> {
    if (call.aborted) throw call.aborted
    const line = this.#readyLine()
    if (tool !== this.#toolName) throw new YardError("unknown_tool", `${this.#config.name} has no tool "${tool}"`)
    const { command, cwd } = this.#entry
    const program = { command, cwd, env: this.#env, ...fillCommandLine(line, args) }
    await this.#watchdog.turn()
    if (call.aborted) throw call.aborted
    if (this.#closing.signal.aborted) throw this.#stopped()
    const starting = startProgram(program, this.#watchdog, this.#stderrListener(call))
    this.#running.add(starting)
    const done = (): void => void this.#running.delete(starting)
    const running = await starting.catch((error: unknown) => {
      done()
      // It may have been removed meanwhile.
      this.#look()
      throw error
    })
    return toToolResult(command, await this.#unlessLeft(call, running, running.ended.finally(done)))
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry)
    this.#closing.abort()
    const started = await Promise.allSettled(this.#running)
    await Promise.all(started.map(running => running.status === "fulfilled" && running.value.end()))
  }

  get #toolName(): string {
    return this.#config.name.replace(/[^A-Za-z0-9_-]/g, "_")
  }

  /** Looks for the program: up when it is there, down and looked for again later when not. */
  #look(): void {
    clearTimeout(this.#retry)
    if (this.#closing.signal.aborted) return
    if (this.#line instanceof YardError) {
      // Only an edit of the entry helps, and that makes a new source.
      this.#setHealth({ state: "down", reason: this.#line.message })
      return
    }
    const reason = whyNotStartable(this.#entry.command, this.#entry.cwd, this.#env)
    if (reason === undefined) {
      this.#failures = 0
      this.#setHealth({ state: "up" })
      if (this.#offer) return
      this.#offer = this.#offerOf(this.#line)
      this.#emitter.emit("changed", ["tools"])
      return
    }
    const delay = retryDelay(this.#failures++)
    this.#setHealth({ state: "down", reason, attempts: this.#failures, nextRetryAt: Date.now() + delay })
    this.#retry = setTimeout(() => this.#look(), delay)
  }

  #setHealth(health: Omit<SourceHealth, "since">): void {
    const same = health.state === this.#health.state
    if (same && health.state === "up") return
    this.#health = { ...health, since: same ? this.#health.since : Date.now() }
    this.#emitter.emit("health", this.#health)
  }

  #offerOf({ inputSchema }: CommandLine): Offer {
    const { command, args } = this.#entry
    const written = [command, ...args].map(part => (/^[^\s"]+$/.test(part) ? part : JSON.stringify(part))).join(" ")
    const tool = { name: this.#toolName, description: this.#config.description ?? written, inputSchema }
    return { tools: [tool], resources: [], templates: [], prompts: [], capabilities: { tools: {} } }
  }

  #readyLine(): CommandLine {
    if (this.#closing.signal.aborted) throw this.#stopped()
    // Looking costs little: who just installed the program need not wait for the next look.
    if (this.#health.state === "down") this.#look()
    if (this.#health.state === "up" && !(this.#line instanceof YardError)) return this.#line
    const { state, reason } = this.#health
    throw new YardError("server_down", `${this.#config.name} is ${state}: ${reason ?? "it is not open yet"}`, {
      hint: "Check `command`, `args` and `cwd` in toolyard.json, or install the program.",
    })
  }

  #stderrListener(call: Call): (chunk: Buffer) => void {
    let count = 0
    let lines: string[] = []
    const split = lineSplitter(
      MAX_PROGRESS_LINE_BYTES,
      line => void lines.push(line),
      head => void lines.push(head),
    )
    return chunk => {
      this.#output.push(chunk)
      if (!call.wantsProgress || call.aborted) return
      split(chunk)
      for (const message of lines.slice(-MAX_PROGRESS_AT_ONCE)) call.progress({ progress: ++count, message })
      lines = []
    }
  }

  /** What comes first: the end of the program, the caller's leaving, or our own end. */
  #unlessLeft<T>(call: Call, running: Running, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const left = (reason: YardError): void => {
        void running.end()
        reject(reason)
      }
      const listener = { onAbort: left }
      const stopped = (): void => left(this.#stopped())
      call.onAbort(listener)
      if (this.#closing.signal.aborted) stopped()
      this.#closing.signal.addEventListener("abort", stopped)
      void work.then(resolve, reject).finally(() => {
        call.offAbort(listener)
        this.#closing.signal.removeEventListener("abort", stopped)
      })
    })
  }

  #stopped(): YardError {
    return new YardError("server_down", `${this.#config.name} is being stopped`)
  }
}

function parsed(entry: CommandEntry): CommandLine | YardError {
  try {
    return parseCommandLine(entry)
  } catch (error) {
    return toYardError(error)
  }
}
