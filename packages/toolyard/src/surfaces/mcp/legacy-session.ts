/** A client of protocol 2025-11-25 or older: it introduces itself once and then keeps a session, over whatever transport. */
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Caller } from "../../model/caller.ts"
import { toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import {
  ASK_CAPABILITY,
  type AskMethod,
  LEGACY_VERSIONS,
  LOG_LEVELS,
  type LogLevel,
  type RequestId,
} from "../../model/mcp.ts"
import type { OfferList } from "../../model/source.ts"
import type { Address } from "./address.ts"
import { admits, type Changes, type Watcher } from "./changes.ts"
import { errorText, McpCall, notificationText, type Reply, requestText, resultText } from "./exchange.ts"
import type { Methods } from "./methods.ts"
import { sseEvent, writeTo } from "./sse.ts"
import { StreamLogs } from "./stream-logs.ts"

interface Question {
  resolve(answer: JsonObject): void
  reject(error: YardError): void
}

export interface SessionDeps {
  methods: Methods
  changes: Changes
}

export class LegacySession implements Watcher {
  readonly id = randomUUID()
  /** What every HTTP answer of this session carries. */
  readonly headers: readonly string[] = ["Mcp-Session-Id", this.id]
  readonly address: Address
  readonly streams = new StreamLogs()
  version: string = LEGACY_VERSIONS[0]
  initialized = false
  lastUsed = Date.now()
  logLevel: LogLevel | undefined
  /** Where messages go that belong to no request: the GET stream, the SSE stream, stdout. */
  push: ((text: string) => void) | undefined
  readonly #deps: SessionDeps
  readonly #requests = new Map<RequestId, LegacyCall>()
  readonly #questions = new Map<RequestId, Question>()
  readonly #subscribed = new Set<string>()
  readonly #unwatch: () => void
  #caller: Caller
  #capabilities: JsonObject = {}
  #asked = 0
  #stream: ServerResponse | undefined

  constructor(address: Address, caller: Omit<Caller, "session">, deps: SessionDeps) {
    this.address = address
    this.#deps = deps
    this.#caller = { ...caller, session: this.id }
    this.#unwatch = deps.changes.watch(this)
  }

  get session(): string {
    return this.id
  }

  /** Whether anything is under way or open that the session is needed for. */
  get busy(): boolean {
    return this.#requests.size > 0 || this.push !== undefined
  }

  get hasBatches(): boolean {
    return this.version === "2025-03-26"
  }

  /** The client opened a stream for what belongs to no request; one that it opened before is given up for it. */
  openStream(response: ServerResponse): void {
    this.#stream?.end()
    this.#stream = response
    this.push = text => writeTo(response, sseEvent(text))
    response.once("close", () => {
      if (this.#stream !== response) return
      this.#stream = undefined
      this.push = undefined
    })
  }

  /** One message that is known to be a JSON-RPC object; only requests use `reply`. */
  receive(message: JsonObject, reply: Reply): void {
    this.lastUsed = Date.now()
    const { id, method } = message
    const params = isObject(message.params) ? message.params : {}
    if (typeof method !== "string") this.#answered(message)
    else if (id === undefined) this.#notified(method, params)
    else this.#request(id as RequestId, method, params, reply)
  }

  listChanged(lists: readonly OfferList[]): void {
    for (const list of lists) this.#tell(`notifications/${list}/list_changed`, undefined)
  }

  updated(uri: string, params: JsonObject): void {
    if (this.#subscribed.has(uri)) this.#tell("notifications/resources/updated", params)
  }

  notification(method: string, params: JsonObject | undefined): void {
    if (this.wants(method, params)) this.#tell(method, params)
  }

  /** Nothing before the client has introduced itself: over a pipe it may turn out to be one of the other era. */
  #tell(method: string, params: JsonObject | undefined): void {
    if (this.initialized) this.push?.(notificationText(method, params))
  }

  /** Log messages below the level that the client asked for are not for it. */
  wants(method: string, params: JsonObject | undefined): boolean {
    return method !== "notifications/message" || admits(this.logLevel, params?.level)
  }

  end(): void {
    this.#unwatch()
    const gone = new YardError("cancelled", "the client's session ended")
    for (const call of this.#requests.values()) call.abort(gone)
    for (const question of this.#questions.values()) question.reject(gone)
    for (const uri of this.#subscribed) void this.#deps.changes.unsubscribe(this.address, uri).catch(() => {})
    this.#deps.changes.endSession(this.id)
    this.#stream?.end()
    this.push = undefined
  }

  #request(id: RequestId, method: string, params: JsonObject, reply: Reply): void {
    try {
      let result = this.#own(method, params)
      if (result === undefined) {
        const call = new LegacyCall(this, this.#caller, this.#capabilities, params, reply)
        result = this.#deps.methods.perform("legacy", this.address, method, params, call)
        if (typeof result === "object") this.#requests.set(id, call)
      }
      if (result === undefined) throw new YardError("method_not_found", `Method not found: ${method}`)
      if (typeof result === "string") reply.end(resultText(id, result))
      else {
        result.then(
          text => {
            this.#requests.delete(id)
            reply.end(resultText(id, text))
          },
          (error: unknown) => {
            this.#requests.delete(id)
            reply.end(errorText(id, toRpcError(error)))
          },
        )
      }
    } catch (error) {
      reply.end(errorText(id, toRpcError(error)))
    }
  }

  /** What only this era has. */
  #own(method: string, params: JsonObject): string | Promise<string> | undefined {
    switch (method) {
      case "initialize":
        return this.#initialize(params)
      case "ping":
        return "{}"
      case "logging/setLevel":
        return Object.hasOwn(this.address.capabilities(), "logging") ? this.#setLevel(params) : undefined
      case "resources/subscribe":
        return this.#subscribe(params)
      case "resources/unsubscribe":
        return this.#unsubscribe(params)
      default:
        return undefined
    }
  }

  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): string {
    if (typeof protocolVersion !== "string")
      throw new YardError("invalid_params", "initialize needs `protocolVersion`, a string")
    const known = (LEGACY_VERSIONS as readonly string[]).includes(protocolVersion)
    this.version = known ? protocolVersion : LEGACY_VERSIONS[0]
    this.initialized = true
    this.#capabilities = isObject(capabilities) ? capabilities : {}
    if (isObject(clientInfo) && typeof clientInfo.name === "string")
      this.#caller = { ...this.#caller, client: clientInfo.name }
    const instructions = this.address.instructions()
    return JSON.stringify({
      protocolVersion: this.version,
      capabilities: this.address.capabilities(),
      serverInfo: this.address.info(),
      ...(instructions !== undefined && { instructions }),
    })
  }

  async #setLevel({ level }: JsonObject): Promise<string> {
    if (!LOG_LEVELS.includes(level as LogLevel))
      throw new YardError("invalid_params", `level must be one of ${LOG_LEVELS.join(", ")}`)
    this.logLevel = level as LogLevel
    await this.#deps.changes.logLevelChanged(this.address)
    return "{}"
  }

  async #subscribe({ uri }: JsonObject): Promise<string> {
    if (typeof uri !== "string") throw new YardError("invalid_params", "resources/subscribe needs `uri`, a string")
    if (!this.#subscribed.has(uri)) await this.#deps.changes.subscribe(this.address, uri)
    this.#subscribed.add(uri)
    return "{}"
  }

  async #unsubscribe({ uri }: JsonObject): Promise<string> {
    if (typeof uri !== "string") throw new YardError("invalid_params", "resources/unsubscribe needs `uri`, a string")
    if (this.#subscribed.delete(uri)) await this.#deps.changes.unsubscribe(this.address, uri)
    return "{}"
  }

  /** Puts a server's question to the client, in the exchange of the call that it belongs to. */
  ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal, reply: Reply): Promise<JsonObject> {
    const capability = ASK_CAPABILITY[method]
    if (!isObject(this.#capabilities[capability])) {
      return Promise.reject(
        new YardError(
          "client_cannot",
          `the client did not declare the capability "${capability}" that ${method} needs`,
        ),
      )
    }
    return new Promise((resolve, reject) => {
      const id = `yard-${++this.#asked}`
      const settle = (): void => {
        signal.removeEventListener("abort", withdraw)
        this.#questions.delete(id)
      }
      const withdraw = (): void => {
        settle()
        reply.event(notificationText("notifications/cancelled", { requestId: id }))
        reject(new YardError("cancelled", `${method} was withdrawn`))
      }
      if (signal.aborted) {
        reject(new YardError("cancelled", `${method} was withdrawn`))
        return
      }
      signal.addEventListener("abort", withdraw, { once: true })
      this.#questions.set(id, {
        resolve: answer => {
          settle()
          resolve(answer)
        },
        reject: error => {
          settle()
          reject(error)
        },
      })
      // This era's URL questions carry an id of their own, which the newer one has dropped.
      const missing = method === "elicitation/create" && params?.mode === "url" && params.elicitationId === undefined
      reply.event(requestText(id, method, missing ? { ...params, elicitationId: randomUUID() } : params))
    })
  }

  #answered({ id, result, error }: JsonObject): void {
    const question = this.#questions.get(id as RequestId)
    if (isObject(result)) question?.resolve(result)
    else {
      const { code, message, data } = isObject(error) ? error : ({} as JsonObject)
      const rpc = {
        code: typeof code === "number" ? code : -32603,
        message: String(message ?? "the client gave no answer"),
        ...(data !== undefined && { data }),
      }
      question?.reject(new YardError("upstream_error", rpc.message, { rpc }))
    }
  }

  #notified(method: string, params: JsonObject): void {
    if (method === "notifications/cancelled") {
      this.#requests
        .get(params.requestId as RequestId)
        ?.abort(new YardError("cancelled", "the client cancelled the request"))
    } else if (method === "notifications/roots/list_changed") {
      this.#deps.changes.tell(this.id, method, params)
    }
  }
}

class LegacyCall extends McpCall {
  readonly #session: LegacySession
  readonly #reply: Reply
  readonly #progressToken: unknown

  constructor(session: LegacySession, caller: Caller, capabilities: JsonObject, params: JsonObject, reply: Reply) {
    super(caller, capabilities)
    this.#session = session
    this.#reply = reply
    this.logLevel = session.logLevel
    if (!isObject(params._meta)) return
    const { progressToken, ...meta } = params._meta
    this.#progressToken = progressToken
    this.wantsProgress = progressToken !== undefined
    if (Object.keys(meta).length > 0) this.meta = meta
  }

  override progress(params: JsonObject): void {
    this.#reply.event(notificationText("notifications/progress", { ...params, progressToken: this.#progressToken }))
  }

  override notify(method: string, params: JsonObject | undefined): void {
    if (this.#session.wants(method, params)) this.#reply.event(notificationText(method, params))
  }

  override ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    return this.#session.ask(method, params, AbortSignal.any([signal, this.signal]), this.#reply)
  }
}
