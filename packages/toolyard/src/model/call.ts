/**
 * One call while it is under way: who makes it, what they can do, and how to reach them meanwhile. Surfaces extend it
 * with what their clients can do; this base is a caller that can only wait for the result.
 */

import type { Caller } from "./caller.ts"
import { YardError } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import type { AskMethod, LogLevel } from "./mcp.ts"

/** Told when the call ends before its answer. An object, not a function: none has to be made for each call. */
export interface AbortListener {
  onAbort(reason: YardError): void
}

/** What watches the time of a call. */
export interface CallClock {
  /** The server showed that it is at work. */
  restart(): void
  /** From now on (or no longer) the wait is for a person, not for the server. */
  wait(waiting: boolean): void
}

export class Call {
  readonly caller: Caller
  /** What the caller's client said it can do. */
  readonly capabilities: JsonObject
  /** The caller's own `_meta`, without what belongs to its connection. */
  meta: JsonObject | undefined
  logLevel: LogLevel | undefined
  wantsProgress = false
  /** True when the caller takes `input_required` results itself and comes back with `input`. */
  takesInputRequired = false
  /** The answers and state with which a caller comes back. */
  input: { responses?: JsonObject; state?: string } | undefined
  /** Shorter than the server's own limit, never longer. */
  timeoutMs: number | undefined
  clock: CallClock | undefined
  /** The call during which a tool made this one. */
  outer: Call | undefined
  /** The server that works on it. */
  server: string | undefined
  /** Why the call ended before its answer, once it has. */
  aborted: YardError | undefined
  #listeners: AbortListener[] | undefined
  #controller: AbortController | undefined

  constructor(caller: Caller, capabilities: JsonObject = {}) {
    this.caller = caller
    this.capabilities = capabilities
  }

  abort(reason: YardError): void {
    if (this.aborted) return
    this.aborted = reason
    this.#controller?.abort(reason)
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners) for (const listener of listeners) listener.onAbort(reason)
  }

  onAbort(listener: AbortListener): void {
    if (this.aborted) listener.onAbort(this.aborted)
    else if (this.#listeners) this.#listeners.push(listener)
    else this.#listeners = [listener]
  }

  offAbort(listener: AbortListener): void {
    const index = this.#listeners?.indexOf(listener) ?? -1
    if (index !== -1) this.#listeners?.splice(index, 1)
  }

  /** Made when first looked at: most calls never need one. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.aborted)
    }
    return this.#controller.signal
  }

  /** From now on (or no longer) a person is waited for, by this call and those around it. */
  wait(waiting: boolean): void {
    this.clock?.wait(waiting)
    this.outer?.wait(waiting)
  }

  /** Whether the server is at work on a call around this one. */
  isWithin(server: string): boolean {
    return this.outer !== undefined && (this.outer.server === server || this.outer.isWithin(server))
  }

  /** Whether the caller has left with questions, to come back with answers or never. */
  get isAway(): boolean {
    return false
  }

  progress(_params: JsonObject): void {}

  /** Any other notification that belongs to this call, log messages first of all. */
  notify(_method: string, _params: JsonObject | undefined): void {}

  /** Puts a server's question to the caller; rejects with `client_cannot` where the caller can't answer. */
  ask(method: AskMethod, _params: JsonObject | undefined, _signal: AbortSignal): Promise<JsonObject> {
    return Promise.reject(new YardError("client_cannot", `the caller cannot answer ${method}`))
  }
}
