/** Keeps one connection to an upstream up for ever: its state, its next attempt, and who may wait for it. */
import { toYardError, YardError } from "../../model/errors.ts"
import type { SourceHealth } from "../../model/source.ts"
import { retryDelay } from "./backoff.ts"
import type { Connection } from "./connection.ts"

/** How long a call waits for an attempt to connect that is under way, counted from the attempt's start. */
const WAIT_FOR_CONNECT_MS = 10_000
/** A call waits for the next attempt when it is no further away than this. */
const NEAR_RETRY_MS = 500
/** A server that stayed up this long was well: its next failure counts as the first. */
const WELL_AFTER_MS = 5_000

export interface LifelineOptions {
  name: string
  /** Connects; what it gives can be used at once. `closed` is to be called when that connection ends by itself. */
  connect(closed: (reason: YardError) => void): Promise<Connection>
  /** The new connection is in place. */
  connected(connection: Connection): Promise<void>
  /** The connection is gone, or is no longer to be used. */
  lost(): void
  healthChanged(health: SourceHealth): void
  /** The reason in words fit to be shown. */
  describe(error: YardError): string
}

export class Lifeline {
  readonly #options: LifelineOptions
  #connection: Connection | undefined
  #health: SourceHealth = { state: "connecting", since: Date.now() }
  #failures = 0
  #upSince = 0
  #attempt: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LifelineOptions) {
    this.#options = options
  }

  get connection(): Connection | undefined {
    return this.#connection
  }

  get health(): SourceHealth {
    return this.#health
  }

  /** Single-flight; resolves when the attempt ended, well or not. */
  connect(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    clearTimeout(this.#retry)
    this.#attempt ??= this.#tryConnect().finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  reconnect(): void {
    if (!this.#connection) void this.connect()
  }

  /** The connection, waiting for it only as long as it is likely to come. */
  async ready(): Promise<Connection> {
    const { state, nextRetryAt = 0 } = this.#health
    // Just lost, or about to be tried again anyway: then now.
    const soon = this.#failures <= 1 || nextRetryAt - Date.now() <= NEAR_RETRY_MS
    if (!this.#connection && state === "down" && soon) this.reconnect()
    if (!this.#connection && this.#attempt) {
      const patience = this.#health.since + WAIT_FOR_CONNECT_MS - Date.now()
      if (patience > 0) await withinMs(this.#attempt, patience)
    }
    if (this.#connection) return this.#connection
    throw this.#closed ? stopped(this.#options.name) : downError(this.#options.name, this.#health)
  }

  /** A call found out that the connection is of no more use. */
  lose(reason: YardError): void {
    const lost = this.#connection
    if (!lost || this.#closed) return
    this.#connection = undefined
    // What one call found out need not hold for the others under way: they may have an answer still to come.
    void lost.retire()
    this.#options.lost()
    if (Date.now() - this.#upSince >= WELL_AFTER_MS) this.#failures = 0
    this.#failed(reason)
  }

  /** Resolves when the requests under way have their answers, and the connection is closed. */
  async retire(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#connection?.retire()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#options.lost()
    await Promise.all([this.#connection?.close(), this.#attempt])
    // An attempt that was under way may have just become a connection.
    await this.#connection?.close()
  }

  async #tryConnect(): Promise<void> {
    // Why it is not up yet is still of interest while it is being tried again.
    const { reason } = this.#health
    this.#setHealth({ state: "connecting", attempts: this.#failures, ...(reason !== undefined && { reason }) })
    // One that ends before it is in place makes its own attempt fail.
    let inPlace: Connection | undefined
    try {
      const connection = await this.#options.connect(reason => {
        if (inPlace && this.#connection === inPlace) this.lose(reason)
      })
      if (this.#closed) {
        await connection.close()
        return
      }
      inPlace = connection
      this.#connection = connection
      this.#upSince = Date.now()
      const { era, pid } = connection
      this.#setHealth({ state: "up", era, ...(pid !== undefined && { pid }) })
      await this.#options.connected(connection)
    } catch (error) {
      this.#failed(toYardError(error))
    }
  }

  #failed(error: YardError): void {
    if (this.#closed) return
    const needsLogin = error.code === "needs_login"
    const delay = retryDelay(needsLogin ? Number.POSITIVE_INFINITY : this.#failures)
    this.#failures++
    this.#setHealth({
      state: needsLogin ? "needs-login" : "down",
      reason: this.#options.describe(error),
      attempts: this.#failures,
      nextRetryAt: Date.now() + delay,
    })
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.connect(), delay)
  }

  #setHealth(health: Omit<SourceHealth, "since">): void {
    this.#health = { ...health, since: health.state === this.#health.state ? this.#health.since : Date.now() }
    this.#options.healthChanged(this.#health)
  }
}

const stopped = (name: string): YardError => new YardError("server_down", `${name} is being stopped`)

function downError(name: string, { state, reason, nextRetryAt }: SourceHealth): YardError {
  if (state === "needs-login") {
    return new YardError("needs_login", `${name} wants a login: ${reason}`, {
      hint: `Put its token under \`headers\` of ${name} in toolyard.json.`,
    })
  }
  const seconds = nextRetryAt === undefined ? undefined : Math.max(0, Math.ceil((nextRetryAt - Date.now()) / 1000))
  const because = reason === undefined ? "" : `: ${reason}`
  const what = state === "connecting" ? `is still connecting${because}` : `is down${because}`
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
