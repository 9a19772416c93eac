/**
 * A request of a 2026-07-28 client as a call.
 *
 * When the server asks something in the old way, by a request of its own, the call goes on waiting here while the client
 * is given the questions as a result; the answers come with another request, which takes the call up again. Questions
 * that come together are asked together.
 */
import { randomUUID } from "node:crypto"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { ASK_CAPABILITY, type AskMethod, type LogLevel, META, type RequestId } from "../../model/mcp.ts"
import { admits } from "./changes.ts"
import { McpCall, notificationText, type Reply } from "./exchange.ts"
import type { RequestStates } from "./request-state.ts"

/** How long questions are gathered before they are put to the client. */
const GATHER_MS = 10
/** How long a client may take to come back. */
const PARKED_MS = 10 * 60 * 1000

/** What in `_meta` is between the client and us, and not for the server. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set([
  "progressToken",
  META.protocolVersion,
  META.clientCapabilities,
  META.clientInfo,
  META.logLevel,
])

interface Question {
  method: AskMethod
  params: JsonObject | undefined
  resolve(answer: JsonObject): void
  reject(error: YardError): void
}

/** The calls whose clients are away with questions. */
export type ParkedCalls = Map<string, ModernCall>

export class ModernCall extends McpCall {
  override readonly takesInputRequired = true
  /** Capabilities that a question needed and the client did not have. */
  refused: Set<string> | undefined
  readonly #parked: ParkedCalls
  readonly #states: RequestStates
  readonly #boundTo: string[]
  readonly #progressToken: unknown
  readonly #questions = new Map<string, Question>()
  #at: { id: RequestId; reply: Reply } | undefined
  #key: string | undefined
  #round = 0
  #asked = 0
  #timer: NodeJS.Timeout | undefined
  #outcome: { text: (id: RequestId) => string; status: number | undefined } | undefined

  constructor(
    caller: Caller,
    meta: JsonObject,
    at: { id: RequestId; reply: Reply },
    parked: ParkedCalls,
    states: RequestStates,
    boundTo: string[],
  ) {
    const clientInfo = meta[META.clientInfo]
    const client = isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined
    super(
      client === undefined || client === caller.client ? caller : { ...caller, client },
      meta[META.clientCapabilities] as JsonObject,
    )
    this.#at = at
    this.#parked = parked
    this.#states = states
    this.#boundTo = boundTo
    this.#progressToken = meta.progressToken
    this.wantsProgress = meta.progressToken !== undefined
    this.logLevel = meta[META.logLevel] as LogLevel | undefined
    for (const key in meta) {
      if (CONNECTION_KEYS.has(key)) continue
      this.meta ??= {}
      this.meta[key] = meta[key]
    }
  }

  override get isAway(): boolean {
    return this.#at === undefined
  }

  override seal(state: string): string {
    return this.#states.seal({ upstream: state }, this.#boundTo)
  }

  override progress(params: JsonObject): void {
    this.#event("notifications/progress", { ...params, progressToken: this.#progressToken })
  }

  /** Log messages are only for those who asked for them on this very request. */
  override notify(method: string, params: JsonObject | undefined): void {
    if (method !== "notifications/message" || (this.logLevel && admits(this.logLevel, params?.level)))
      this.#event(method, params)
  }

  override ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    const capability = ASK_CAPABILITY[method]
    if (!isObject(this.capabilities[capability])) {
      this.refused ??= new Set()
      this.refused.add(capability)
      return Promise.reject(
        new YardError(
          "client_cannot",
          `the client did not declare the capability "${capability}" that ${method} needs`,
        ),
      )
    }
    return new Promise((resolve, reject) => {
      const key = `${method.split("/")[0]}-${++this.#asked}`
      this.#questions.set(key, { method, params, resolve, reject })
      const withdraw = (): void => {
        if (this.#questions.delete(key)) reject(new YardError("cancelled", `${method} was withdrawn`))
      }
      signal.addEventListener("abort", withdraw, { once: true })
      if (this.#at && !this.#timer) this.#timer = setTimeout(() => this.#park(), GATHER_MS)
    })
  }

  /** The answer; it goes to where the client is now, or waits for it to come back. */
  finish(text: (id: RequestId) => string, status?: number): void {
    clearTimeout(this.#timer)
    this.#outcome = { text, status }
    this.#deliver()
  }

  /** The client is back with answers, and with a new place to send the result to. */
  resume(responses: JsonObject, at: { id: RequestId; reply: Reply }): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#at = at
    for (const [key, question] of this.#questions) {
      const answer = responses[key]
      if (!isObject(answer)) continue
      this.#questions.delete(key)
      question.resolve(answer)
    }
    // A run that was left to itself meanwhile still takes the answers.
    if (this.#deliver()) return
    // What was left unanswered is asked again.
    if (this.#questions.size > 0) this.#timer = setTimeout(() => this.#park(), GATHER_MS)
  }

  override abort(reason: YardError): void {
    clearTimeout(this.#timer)
    if (this.#key !== undefined) this.#parked.delete(this.#key)
    for (const question of this.#questions.values()) question.reject(reason)
    this.#questions.clear()
    super.abort(reason)
  }

  /** While the client is away there is nobody to tell. */
  #event(method: string, params: JsonObject | undefined): void {
    this.#at?.reply.event(notificationText(method, params))
  }

  #deliver(): boolean {
    if (!this.#outcome || !this.#at) return false
    const { id, reply } = this.#at
    if (this.#key !== undefined) this.#parked.delete(this.#key)
    this.#at = undefined
    reply.end(this.#outcome.text(id), this.#outcome.status)
    return true
  }

  #park(): void {
    this.#timer = undefined
    if (!this.#at || this.#questions.size === 0) return
    const { id, reply } = this.#at
    if (this.#key === undefined) {
      this.#key = randomUUID()
      this.#parked.set(this.#key, this)
    }
    const questions = [...this.#questions].map(([key, { method, params }]) => [key, { method, params: params ?? {} }])
    const result = {
      resultType: "input_required",
      inputRequests: Object.fromEntries(questions),
      requestState: this.#states.seal({ parked: this.#key, round: ++this.#round }, this.#boundTo),
    }
    this.#at = undefined
    this.#timer = setTimeout(
      () => this.abort(new YardError("cancelled", "the client did not come back with its answers")),
      PARKED_MS,
    )
    this.#timer.unref()
    reply.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
}
