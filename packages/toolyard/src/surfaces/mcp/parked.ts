/**
 * Calls of stateless clients whose server asked something in the old way, by a request of its own.
 *
 * The call goes on waiting here while the client is given the questions as a result; the answers come with another
 * request, which takes the call up again. Questions that come together are asked together.
 */
import { randomUUID } from "node:crypto"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { AskMethod, RequestId } from "../../model/mcp.ts"
import type { Reply } from "./exchange.ts"

/** How long questions are gathered before they are put to the client. */
const GATHER_MS = 10
/** How long a client may take to come back. */
const PARKED_MS = 10 * 60 * 1000

interface Question {
  method: AskMethod
  params: JsonObject | undefined
  resolve(answer: JsonObject): void
  reject(error: YardError): void
}

interface Opened {
  id: RequestId
  reply: Reply
  controller: AbortController
}

type Seal = (parked: string, round: number) => string

export class ModernCall {
  /** Capabilities that a question needed and the client did not have. */
  readonly refused = new Set<string>()
  readonly #calls: Map<string, ModernCall>
  readonly #seal: Seal
  readonly #controller: AbortController
  readonly #questions = new Map<string, Question>()
  #at: { id: RequestId; reply: Reply } | undefined
  #key: string | undefined
  #round = 0
  #asked = 0
  #timer: NodeJS.Timeout | undefined
  #outcome: { text: (id: RequestId) => string; status: number | undefined } | undefined

  constructor(calls: Map<string, ModernCall>, { id, reply, controller }: Opened, seal: Seal) {
    this.#calls = calls
    this.#at = { id, reply }
    this.#controller = controller
    this.#seal = seal
  }

  /** A notification; while the client is away there is nobody to tell. */
  event(text: string): void {
    this.#at?.reply.event(text)
  }

  ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const key = `${method.split("/")[0]}-${++this.#asked}`
      this.#questions.set(key, { method, params, resolve, reject })
      signal.addEventListener(
        "abort",
        () => this.#questions.delete(key) && reject(new YardError("cancelled", `${method} was withdrawn`)),
        { once: true },
      )
      if (this.#at && !this.#timer) this.#timer = setTimeout(() => this.#park(), GATHER_MS)
    })
  }

  finish(text: (id: RequestId) => string, status?: number): void {
    clearTimeout(this.#timer)
    this.#outcome = { text, status }
    this.#deliver()
  }

  resume(responses: JsonObject, { id, reply, controller }: Opened): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#at = { id, reply }
    controller.signal.addEventListener("abort", () => this.#controller.abort(controller.signal.reason), { once: true })
    if (this.#deliver()) return
    for (const [key, question] of this.#questions) {
      const answer = responses[key]
      if (!isObject(answer)) continue
      this.#questions.delete(key)
      question.resolve(answer)
    }
    // What was left unanswered is asked again.
    if (this.#questions.size > 0) this.#timer = setTimeout(() => this.#park(), GATHER_MS)
  }

  drop(reason: YardError): void {
    clearTimeout(this.#timer)
    if (this.#key !== undefined) this.#calls.delete(this.#key)
    for (const question of this.#questions.values()) question.reject(reason)
    this.#controller.abort(reason)
  }

  #deliver(): boolean {
    if (!this.#outcome || !this.#at) return false
    const { id, reply } = this.#at
    if (this.#key !== undefined) this.#calls.delete(this.#key)
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
      this.#calls.set(this.#key, this)
    }
    const inputRequests = Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, { method, params: params ?? {} }]),
    )
    const result = { resultType: "input_required", inputRequests, requestState: this.#seal(this.#key, ++this.#round) }
    this.#at = undefined
    this.#timer = setTimeout(
      () => this.drop(new YardError("cancelled", "the client did not come back with its answers")),
      PARKED_MS,
    ).unref()
    reply.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
}

export class ParkedCalls {
  readonly #calls = new Map<string, ModernCall>()

  open(opened: Opened, seal: Seal): ModernCall {
    return new ModernCall(this.#calls, opened, seal)
  }

  resume(key: string, responses: JsonObject, opened: Opened): void {
    const call = this.#calls.get(key)
    if (!call) {
      throw new YardError("invalid_params", "the call that these answers are for is no longer waiting", {
        hint: "Send the request again without requestState.",
      })
    }
    call.resume(responses, opened)
  }

  close(): void {
    for (const call of [...this.#calls.values()]) call.drop(new YardError("cancelled", "the hub is being stopped"))
  }
}
