/**
 * One live connection to one upstream: requests by id, and everything that the upstream starts by itself
 * (questions, progress, log messages, changes) brought to the call it belongs to.
 */
import { toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { type Era, type Implementation, isAskMethod, type RequestId } from "../../model/mcp.ts"
import { paramHeaders } from "../../model/mcp-headers.ts"
import type { CallContext, Offer, OfferList } from "../../model/source.ts"
import { answerInput } from "./input.ts"
import { ActiveCalls } from "./active-calls.ts"
import { envelope } from "./modern.ts"
import type { Wire } from "./wire.ts"

export interface ConnectionEvents {
  listChanged(list: OfferList): void
  updated(uri: string, params: JsonObject): void
  /** A notification that belongs to no call. */
  notification(method: string, params: JsonObject | undefined): void
  log(line: string): void
  closed(reason: YardError): void
}

interface Pending {
  resolve(result: JsonObject): void
  reject(error: YardError): void
  context: CallContext | undefined
  settle: (() => void) | undefined
}

export interface RequestOptions {
  context?: CallContext
  signal?: AbortSignal
  headers?: Record<string, string>
}

export class Connection {
  era: Era = "legacy"
  info: Implementation | undefined
  instructions: string | undefined
  capabilities: JsonObject = {}
  readonly #events: ConnectionEvents
  readonly #pending = new Map<RequestId, Pending>()
  readonly #active = new ActiveCalls()
  /** Questions of the upstream that are being answered, so that it can withdraw them. */
  readonly #asked = new Map<RequestId, AbortController>()
  #wire: Wire | undefined
  #nextId = 1
  #closed: YardError | undefined

  constructor(events: ConnectionEvents) {
    this.#events = events
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

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const wire = this.#wire
      if (this.#closed || !wire) {
        reject(this.#closed ?? new YardError("server_down", "the server is not connected"))
        return
      }
      const id = this.#nextId++
      const { context } = options
      const signal = options.signal ?? context?.signal
      let settle: (() => void) | undefined
      if (signal) {
        const abort = (): void => {
          this.#take(id)
          if (!(wire.exchanges && this.era === "modern")) {
            this.notify("notifications/cancelled", { requestId: id, reason: reasonOf(signal).message })
          }
          reject(reasonOf(signal))
        }
        if (signal.aborted) {
          reject(reasonOf(signal))
          return
        }
        signal.addEventListener("abort", abort, { once: true })
        settle = () => signal.removeEventListener("abort", abort)
      }
      if (context) this.#active.add(context)
      this.#pending.set(id, { resolve, reject, context, settle })
      if (context?.progress) {
        const meta = isObject(params._meta) ? params._meta : {}
        params = { ...params, _meta: { ...meta, progressToken: id } }
      }
      try {
        wire.send({ jsonrpc: "2.0", id, method, params }, { headers: options.headers, signal })
      } catch (error) {
        this.#take(id)
        reject(
          new YardError("invalid_params", `${method} could not be written as JSON: ${(error as Error).message}`, {
            cause: error,
          }),
        )
      }
    })
  }

  notify(method: string, params?: JsonObject): void {
    if (!this.#closed) this.#wire?.send({ jsonrpc: "2.0", method, ...(params && { params }) })
  }

  /** A request on behalf of a caller, in the upstream's era, with its questions answered. */
  ask(method: string, params: JsonObject, context: CallContext, headers?: Record<string, string>): Promise<JsonObject> {
    if (this.era === "legacy") {
      const { meta } = context
      return this.request(method, meta ? { ...params, _meta: meta } : params, { context })
    }
    const send = (input: CallContext["input"]): Promise<JsonObject> =>
      this.request(
        method,
        {
          ...params,
          ...(input?.responses && { inputResponses: input.responses }),
          ...(input?.state !== undefined && { requestState: input.state }),
          _meta: envelope(context),
        },
        { context, ...(headers && { headers }) },
      )
    const first = send(context.input)
    return context.takesInputRequired ? first : first.then(result => answerInput(method, result, context, send))
  }

  callTool(name: string, args: JsonObject, context: CallContext, offer: Offer | undefined): Promise<JsonObject> {
    let headers: Record<string, string> | undefined
    if (this.era === "modern" && this.#wire?.exchanges) {
      headers = paramHeaders(offer?.tools.find(tool => tool.name === name)?.inputSchema, args)
    }
    return this.ask("tools/call", { name, arguments: args }, context, headers)
  }

  /** Marks a caller as being here already while the connection made for it is still opening. */
  expect(context: CallContext): () => void {
    this.#active.add(context)
    return () => this.#active.delete(context)
  }

  async close(): Promise<void> {
    this.#end(new YardError("server_down", "the server is being stopped"), true)
    await this.#wire?.close()
  }

  #receive(message: JsonObject, relatedTo: RequestId | undefined): void {
    const { id, method } = message
    if (method === undefined) {
      const pending = this.#take(id as RequestId)
      if (!pending) {
        this.#events.log(`[an answer to a request that is not waiting for one: id ${JSON.stringify(id)}]`)
      } else if (isObject(message.result)) {
        pending.resolve(message.result)
      } else {
        pending.reject(toUpstreamError(message.error))
      }
      return
    }
    if (typeof method !== "string") return
    const params = isObject(message.params) ? message.params : undefined
    if (id === undefined || id === null) this.#receiveNotification(method, params, relatedTo)
    else void this.#receiveRequest(id as RequestId, method, params, relatedTo)
  }

  async #receiveRequest(
    id: RequestId,
    method: string,
    params: JsonObject | undefined,
    relatedTo: RequestId | undefined,
  ): Promise<void> {
    const reply = (answer: { result: unknown } | { error: unknown }): void =>
      this.#wire?.send({ jsonrpc: "2.0", id, ...answer })
    if (method === "ping") {
      reply({ result: {} })
      return
    }
    if (!isAskMethod(method)) {
      reply({ error: { code: -32601, message: `toolyard does not answer ${method}` } })
      return
    }
    const asking = new AbortController()
    this.#asked.set(id, asking)
    let context: CallContext | undefined
    try {
      context = this.#contextFor(relatedTo)
      this.#active.asking(context, 1)
      context.onWaiting?.(true)
      if (!context.ask) throw new YardError("client_cannot", `the client of this call cannot answer ${method}`)
      reply({ result: await context.ask(method, params, asking.signal) })
    } catch (error) {
      if (!asking.signal.aborted) reply({ error: toRpcError(error) })
    } finally {
      if (context) {
        this.#active.asking(context, -1)
        context.onWaiting?.(false)
      }
      this.#asked.delete(id)
    }
  }

  #receiveNotification(method: string, params: JsonObject | undefined, relatedTo: RequestId | undefined): void {
    switch (method) {
      case "notifications/progress":
        this.#pending.get(params?.progressToken as RequestId)?.context?.progress?.(params as JsonObject)
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
      this.#contextFor(relatedTo).notify?.(method, params)
    } catch {
      this.#events.log(
        `[${method} came while calls of several clients were under way; nobody can say for whom] ${JSON.stringify(params)}`,
      )
    }
  }

  /** The call that something from the upstream belongs to: over HTTP its exchange tells, otherwise there must be no doubt. */
  #contextFor(relatedTo: RequestId | undefined): CallContext {
    const related = relatedTo === undefined ? undefined : this.#pending.get(relatedTo)?.context
    return related ?? this.#active.only()
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id)
    if (!pending) return undefined
    this.#pending.delete(id)
    pending.settle?.()
    if (pending.context) this.#active.delete(pending.context)
    return pending
  }

  #end(reason: YardError, own = false): void {
    if (this.#closed) return
    this.#closed = reason
    for (const asking of this.#asked.values()) asking.abort()
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(reason)
    if (!own) this.#events.closed(reason)
  }
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
