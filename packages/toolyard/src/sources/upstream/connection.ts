/**
 * One live connection to one upstream: requests by id, and everything that the upstream starts by itself
 * (questions, progress, log messages, changes) brought to the call it belongs to.
 */
import { type AbortListener, Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { type Era, type Implementation, isAskMethod, type RequestId } from "../../model/mcp.ts"
import { paramHeaders } from "../../model/mcp-headers.ts"
import type { Offer, OfferList } from "../../model/source.ts"
import { ActiveCalls } from "./active-calls.ts"
import { answerInput } from "./input.ts"
import { envelope } from "./modern.ts"
import type { Outgoing, Wire } from "./wire.ts"

export interface ConnectionEvents {
  listChanged(list: OfferList): void
  updated(uri: string, params: JsonObject): void
  /** A notification that belongs to no call. */
  notification(method: string, params: JsonObject | undefined): void
  log(line: string): void
  closed(reason: YardError): void
}

/** What holds for the processes in which we host functions ourselves, beyond the protocol. */
export interface Hosting {
  /** Answers what a host asks besides what the protocol has. */
  answer(method: string, params: JsonObject, call: Call): Promise<JsonObject> | undefined
  /** How long a host may stay silent after one of its calls was cancelled: it may be in an endless loop. */
  silenceMs: number
}

/** A host says by this key of `_meta` for which of the hub's requests it sends something. */
const RELATED = "toolyard/request"

/** Who asks when the hub asks for itself. */
const HUB: Caller = { surface: "library", principal: "hub" }

/** A request that waits for its answer; it hears by itself when its call ends early. */
class Pending implements AbortListener {
  readonly id: number
  readonly call: Call
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: YardError) => void
  readonly #connection: Connection

  constructor(
    connection: Connection,
    id: number,
    call: Call,
    resolve: (result: JsonObject) => void,
    reject: (error: YardError) => void,
  ) {
    this.#connection = connection
    this.id = id
    this.call = call
    this.resolve = resolve
    this.reject = reject
  }

  onAbort(reason: YardError): void {
    this.#connection.cancel(this.id, reason)
  }
}

export class Connection {
  era: Era = "legacy"
  info: Implementation | undefined
  instructions: string | undefined
  capabilities: JsonObject = {}
  readonly #events: ConnectionEvents
  readonly #hosting: Hosting | undefined
  readonly #pending = new Map<RequestId, Pending>()
  readonly #active = new ActiveCalls()
  /** Questions of the upstream that are being answered, so that it can withdraw them. */
  readonly #asked = new Map<RequestId, AbortController>()
  #wire: Wire | undefined
  #nextId = 1
  #closed: YardError | undefined
  #retired = false
  #onEmpty = (): void => {}
  #probing = false

  constructor(events: ConnectionEvents, hosting?: Hosting) {
    this.#events = events
    this.#hosting = hosting
  }

  /** The events of the wire; given to it before it is open. */
  readonly wireEvents = {
    message: (message: JsonObject, relatedTo?: RequestId): void => this.#receive(message, relatedTo),
    failed: (id: RequestId, error: YardError): void => this.#take(id)?.reject(error),
    closed: (reason: YardError): void => this.#end(reason),
  }

  attach(wire: Wire): void {
    this.#wire = wire
  }

  get pid(): number | undefined {
    return this.#wire?.pid
  }

  established(version: string): void {
    this.#wire?.established?.(version)
  }

  /** A request of the hub's own. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const call = new Call(HUB)
    const abort = (): void => call.abort(reasonOf(signal))
    if (signal.aborted) return Promise.reject(reasonOf(signal))
    signal.addEventListener("abort", abort, { once: true })
    return this.#send(method, params, call, undefined, false).finally(() => signal.removeEventListener("abort", abort))
  }

  #send(
    method: string,
    params: JsonObject,
    call: Call,
    headers: Record<string, string> | undefined,
    active: boolean,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const wire = this.#wire
      if (this.#closed || !wire || call.aborted) {
        reject(this.#closed ?? call.aborted ?? new YardError("server_down", "the server is not connected"))
        return
      }
      const id = this.#nextId++
      const pending = new Pending(this, id, call, resolve, reject)
      call.onAbort(pending)
      if (active) this.#active.add(call)
      this.#pending.set(id, pending)
      try {
        const message = {
          jsonrpc: "2.0" as const,
          id,
          method,
          params: call.wantsProgress ? withProgress(params, id) : params,
        }
        wire.send(message, headers, wire.exchanges ? call.signal : undefined)
        // With nothing else under way there is no company to wait for.
        if (this.#pending.size === 1) wire.flush?.()
      } catch (error) {
        this.#take(id)
        reject(error instanceof YardError ? error : unprintable(method, error))
      }
    })
  }

  cancel(id: number, reason: YardError): void {
    const call = this.#pending.get(id)?.call
    if (call) this.#active.abandon(id, call)
    const pending = this.#take(id)
    if (!pending) return
    pending.reject(reason)
    // Where a request has an exchange of its own, ending that is the message.
    if (!(this.#wire?.exchanges && this.era === "modern"))
      this.notify("notifications/cancelled", { requestId: id, reason: reason.message })
    if (this.#hosting) void this.#probe(this.#hosting)
  }

  /** Ends a host that no longer answers; whoever keeps the connection starts another. */
  async #probe({ silenceMs }: Hosting): Promise<void> {
    if (this.#probing || this.#closed) return
    this.#probing = true
    try {
      await this.request("ping", {}, AbortSignal.timeout(silenceMs))
    } catch {
      if (this.#closed) return
      const message = `the server was still busy ${silenceMs} ms after a call of it was ended, and was stopped`
      this.#end(new YardError("upstream_crashed", message))
      await this.#wire?.close()
    } finally {
      this.#probing = false
    }
  }

  notify(method: string, params?: JsonObject): void {
    this.#tell({ jsonrpc: "2.0", method, ...(params && { params }) })
  }

  /** Sends what nobody waits for; a server that can't be told is no reason for the teller to fail. */
  #tell(message: Outgoing): void {
    if (this.#closed) return
    try {
      this.#wire?.send(message)
    } catch (error) {
      this.#events.log(`[the server could not be told: ${(error as Error).message}]`)
    }
  }

  /** A request on behalf of a caller, in the upstream's era, with its questions answered. */
  ask(method: string, params: JsonObject, call: Call, headers?: Record<string, string>): Promise<JsonObject> {
    if (this.era === "legacy")
      return this.#send(method, call.meta ? { ...params, _meta: call.meta } : params, call, undefined, true)
    const send = (input: Call["input"]): Promise<JsonObject> => {
      const whole: JsonObject = { ...params, _meta: envelope(call) }
      if (input?.responses) whole.inputResponses = input.responses
      if (input?.state !== undefined) whole.requestState = input.state
      return this.#send(method, whole, call, headers, true)
    }
    const first = send(call.input)
    return call.takesInputRequired ? first : first.then(result => answerInput(method, result, call, send))
  }

  callTool(name: string, args: JsonObject, call: Call, offer: Offer | undefined): Promise<JsonObject> {
    let headers: Record<string, string> | undefined
    if (this.era === "modern" && this.#wire?.exchanges) {
      headers = paramHeaders(offer?.tools.find(tool => tool.name === name)?.inputSchema, args)
    }
    return this.ask("tools/call", { name, arguments: args }, call, headers)
  }

  /** Marks a caller as being here already while the connection made for it is still opening. */
  expect(call: Call): () => void {
    this.#active.add(call)
    return () => this.#active.delete(call)
  }

  async close(): Promise<void> {
    this.#end(new YardError("server_down", "the server is being stopped"), true)
    await this.#wire?.close()
  }

  /** Closes once the requests under way have their answers; nobody is told. */
  retire(): Promise<void> {
    this.#retired = true
    if (this.#pending.size === 0) return this.close()
    return new Promise(resolve => {
      this.#onEmpty = resolve
    })
  }

  #receive(message: JsonObject, relatedTo: RequestId | undefined): void {
    const { id, method } = message
    if (method === undefined) {
      const pending = this.#take(id as RequestId)
      if (!pending) {
        if (!this.#active.settle(id as RequestId))
          this.#events.log(`[an answer to a request that is not waiting for one: id ${JSON.stringify(id)}]`)
      } else if (isObject(message.result)) {
        pending.resolve(message.result)
      } else {
        pending.reject(toUpstreamError(message.error))
      }
      return
    }
    if (typeof method !== "string") {
      this.#events.log(`[a message whose method is no string was left out: ${JSON.stringify(message).slice(0, 200)}]`)
      return
    }
    let params = isObject(message.params) ? message.params : undefined
    let related = relatedTo
    if (this.#hosting && params && isObject(params._meta) && RELATED in params._meta) {
      const { [RELATED]: request, ...meta } = params._meta
      related = request as RequestId
      params = { ...params, _meta: meta }
      if (Object.keys(meta).length === 0) delete params._meta
    }
    if (id === undefined || id === null) this.#receiveNotification(method, params, related)
    else void this.#receiveRequest(id as RequestId, method, params, related)
  }

  async #receiveRequest(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    relatedTo: RequestId | undefined,
  ): Promise<void> {
    const reply = (answer: { result: unknown } | { error: unknown }): void =>
      this.#tell({ jsonrpc: "2.0", id, ...answer })
    if (method === "ping") {
      reply({ result: {} })
      return
    }
    const asks = isAskMethod(method)
    if (!asks && !this.#hosting) {
      reply({ error: { code: -32601, message: `toolyard does not answer ${method}` } })
      return
    }
    const asking = new AbortController()
    this.#asked.set(id, asking)
    let call: Call
    /** The call for which a person is asked. */
    let person: Call | undefined
    try {
      call = this.#callFor(relatedTo)
      if (!asks) {
        const answer = this.#hosting?.answer(method, params ?? {}, call)
        if (!answer) throw new YardError("method_not_found", `toolyard does not answer ${method}`)
        reply({ result: await answer })
        return
      }
      person = call
      this.#active.asking(call, 1)
      call.wait(true)
      reply({ result: await call.ask(method, params, asking.signal) })
    } catch (error) {
      if (!asking.signal.aborted) reply({ error: toRpcError(error) })
    } finally {
      if (person) {
        this.#active.asking(person, -1)
        person.wait(false)
      }
      this.#asked.delete(id)
    }
  }

  #receiveNotification(method: string, params: JsonObject | undefined, relatedTo: RequestId | undefined): void {
    switch (method) {
      case "notifications/progress":
        this.#progressed(this.#pending.get(params?.progressToken as RequestId)?.call, params as JsonObject)
        return
      case "notifications/cancelled":
        this.#asked.get(params?.requestId as RequestId)?.abort()
        return
      case "notifications/tools/list_changed":
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        this.#events.listChanged(method.split("/")[1] as OfferList)
        return
      case "notifications/resources/updated":
        if (typeof params?.uri === "string") this.#events.updated(params.uri, params)
        return
      case "notifications/subscriptions/acknowledged":
        return
    }
    if (this.#active.size === 0) {
      this.#events.notification(method, params)
      return
    }
    try {
      this.#callFor(relatedTo).notify(method, params)
    } catch {
      this.#events.log(
        `[${method} came while calls of several clients were under way; nobody can say for whom] ${JSON.stringify(params)}`,
      )
    }
  }

  #progressed(call: Call | undefined, params: JsonObject): void {
    if (!call) return
    call.clock?.restart()
    call.progress(params)
  }

  /** The call that something from the upstream belongs to: over HTTP its exchange tells, otherwise there must be no doubt. */
  #callFor(relatedTo: RequestId | undefined): Call {
    if (relatedTo === undefined) return this.#active.only()
    const call = this.#pending.get(relatedTo)?.call
    if (!call) throw new YardError("client_cannot", "the call that this is for is no longer under way")
    return call
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id)
    if (!pending) return undefined
    this.#pending.delete(id)
    pending.call.offAbort(pending)
    this.#active.delete(pending.call)
    if (this.#retired && this.#pending.size === 0) void this.close().then(this.#onEmpty)
    return pending
  }

  #end(reason: YardError, own = false): void {
    if (this.#closed) return
    this.#closed = reason
    for (const asking of this.#asked.values()) asking.abort()
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(reason)
    if (!own && !this.#retired) this.#events.closed(reason)
  }
}

/** Nested too deeply, say. */
function unprintable(method: string, error: unknown): YardError {
  return new YardError("invalid_params", `${method} could not be written as JSON: ${(error as Error).message}`, {
    cause: error,
  })
}

function withProgress(params: JsonObject, id: number): JsonObject {
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), progressToken: id } }
}

function reasonOf(signal: AbortSignal): YardError {
  return signal.reason instanceof YardError ? signal.reason : new YardError("cancelled", "the caller ended the request")
}

function toUpstreamError(error: unknown): YardError {
  if (!isObject(error) || typeof error.code !== "number") {
    return new YardError("upstream_bad_reply", "the server's answer has neither a result nor an error")
  }
  const { httpStatus, ...rest } = error
  const message = typeof error.message === "string" ? error.message : "the server gave no message"
  return new YardError("upstream_error", message, {
    rpc: { ...rest, code: error.code, message },
    ...(httpStatus !== undefined && { data: { httpStatus } }),
  })
}
