/** MCP over HTTP on one URL for both eras. Works on node's own request and response: this is the hot path. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Caller } from "../../model/caller.ts"
import { ERRORS, type ErrorCode, toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { LEGACY_VERSIONS, type RequestId } from "../../model/mcp.ts"
import type { Address } from "./address.ts"
import { Connections } from "./connections.ts"
import { errorText } from "./exchange.ts"
import { batchReplies, HttpReply } from "./http-reply.ts"
import { LegacySession, type SessionDeps } from "./legacy-session.ts"
import { checkShape, echoId } from "./message-shape.ts"
import { isModern, type Modern } from "./modern.ts"
import { readBody } from "./read-body.ts"
import type { Sessions } from "./sessions.ts"
import { keepAlive, SSE_HEADERS } from "./sse.ts"

const MAX_BATCH = 100

export interface HttpDeps extends SessionDeps {
  modern: Modern
  sessions: Sessions
}

export type HttpCaller = Omit<Caller, "session">

export class McpHttp {
  readonly #deps: HttpDeps
  readonly #connections: Connections
  /** Clients send the same few Accept headers over and over. */
  readonly #preferences = new Map<string, Preference>()

  constructor(deps: HttpDeps) {
    this.#deps = deps
    this.#connections = new Connections(session => deps.changes.endSession(session))
  }

  handle(request: IncomingMessage, response: ServerResponse, address: Address, caller: HttpCaller): void {
    try {
      switch (request.method) {
        case "POST":
          if (!isJson(request.headers["content-type"]))
            throw new YardError("unsupported_media_type", "Content-Type must be application/json")
          readBody(request, (problem, text) => {
            try {
              if (problem) throw problem
              this.#post(text, request, response, address, caller)
            } catch (error) {
              refuse(response, error, null)
            }
          })
          return
        case "GET":
          this.#openStream(request, response, address)
          return
        case "DELETE":
          this.#deps.sessions.end(this.#session(request, address))
          response.writeHead(200).end()
          return
        default:
          refuseMethod(response, "GET, POST, DELETE")
      }
    } catch (error) {
      refuse(response, error, null)
    }
  }

  #post(text: string, request: IncomingMessage, response: ServerResponse, address: Address, caller: HttpCaller): void {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      throw new YardError("parse_error", "Parse error: the body is not valid JSON")
    }
    if (Array.isArray(body)) {
      this.#batch(body, request, response, address)
      return
    }
    const problem = checkShape(body)
    if (problem) {
      refuse(response, problem, echoId(body))
      return
    }
    const message = body as JsonObject
    try {
      if (isModern(message, request.headers["mcp-protocol-version"] as string | undefined))
        this.#modern(message, request, response, address, caller)
      else this.#legacy(message, request, response, address, caller)
    } catch (error) {
      refuse(response, error, echoId(body))
    }
  }

  #modern(
    message: JsonObject,
    request: IncomingMessage,
    response: ServerResponse,
    address: Address,
    caller: HttpCaller,
  ): void {
    const { id, method } = message
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    if (method === "initialize" && !isObject((message.params as JsonObject | undefined)?._meta)) {
      throw new YardError("invalid_request", "initialize was sent with the header of a protocol that has no handshake")
    }
    const waiting = this.#deps.modern.receive({
      address,
      id: id as RequestId,
      method: method as string,
      params: isObject(message.params) ? message.params : {},
      headers: request.headers,
      caller: this.#connections.name(request, caller),
      reply: new HttpReply(response, NO_HEADERS),
    })
    // Leaving before the answer is how a client of this era cancels.
    if (waiting) {
      response.once("close", () => {
        if (!response.writableEnded) waiting.abort(new YardError("cancelled", "the client left"))
      })
    }
  }

  #legacy(
    message: JsonObject,
    request: IncomingMessage,
    response: ServerResponse,
    address: Address,
    caller: HttpCaller,
  ): void {
    const prefers = preference(request.headers.accept, this.#preferences)
    const { id, method } = message
    let session: LegacySession
    if (method === "initialize" && id !== undefined) {
      // A second handshake on a session starts that session over; without one it makes another session.
      const known = request.headers["mcp-session-id"] !== undefined
      session = known ? this.#session(request, address) : new LegacySession(address, caller, this.#deps)
      this.#deps.sessions.add(session)
    } else {
      session = this.#session(request, address)
    }
    if (method === undefined || id === undefined) {
      session.receive(message, IGNORED)
      response.writeHead(202).end()
      return
    }
    session.receive(message, replyOf(session, response, prefers))
  }

  #batch(body: unknown[], request: IncomingMessage, response: ServerResponse, address: Address): void {
    const session = this.#session(request, address)
    if (!session.hasBatches)
      throw new YardError("invalid_request", `batches are not part of protocol ${session.version}`)
    if (body.length === 0 || body.length > MAX_BATCH)
      throw new YardError("invalid_request", `a batch has 1 to ${MAX_BATCH} messages`)
    const requests = body.filter(
      message => isObject(message) && message.method !== undefined && message.id !== undefined && !checkShape(message),
    )
    const broken = body.filter(message => checkShape(message) !== undefined)
    const whole = replyOf(session, response, preference(request.headers.accept, this.#preferences))
    const reply = batchReplies(whole, requests.length + broken.length)
    for (const message of broken) reply.end(errorText(echoId(message), toRpcError(checkShape(message))))
    for (const message of body)
      if (!broken.includes(message))
        session.receive(message as JsonObject, requests.includes(message) ? reply : IGNORED)
    if (requests.length + broken.length === 0) response.writeHead(202).end()
  }

  /** The stream on which the server speaks without being asked. */
  #openStream(request: IncomingMessage, response: ServerResponse, address: Address): void {
    if (!request.headers.accept?.includes("text/event-stream"))
      throw new YardError("not_acceptable", "Accept must include text/event-stream")
    const session = this.#session(request, address)
    const lastEventId = request.headers["last-event-id"]
    if (typeof lastEventId === "string") {
      const found = session.streams.find(lastEventId)
      if (!found)
        throw new YardError("not_found", `there is no event ${JSON.stringify(lastEventId)} to go on from`, {
          hint: "Send the request again.",
        })
      response.writeHead(200, [...SSE_HEADERS, ...session.headers])
      response.flushHeaders()
      keepAlive(response)
      found.log.replay(found.after, response)
      return
    }
    response.writeHead(200, [...SSE_HEADERS, ...session.headers])
    response.flushHeaders()
    keepAlive(response)
    session.openStream(response)
  }

  #session(request: IncomingMessage, address: Address): LegacySession {
    const id = request.headers["mcp-session-id"]
    if (typeof id !== "string") {
      throw new YardError("invalid_request", "Mcp-Session-Id is missing", {
        hint: "Send `initialize` first and repeat the session id that its answer carries.",
      })
    }
    const version = request.headers["mcp-protocol-version"]
    if (typeof version === "string" && !(LEGACY_VERSIONS as readonly string[]).includes(version)) {
      throw new YardError("invalid_request", `Unsupported protocol version: ${version}`, {
        data: { supported: LEGACY_VERSIONS },
      })
    }
    const session = this.#deps.sessions.get(id)
    // A session belongs to the address it was opened at: its id opens no other.
    if (!session || session.address.key !== address.key) throw new YardError("session_not_found", "Session not found")
    return session
  }
}

const NO_HEADERS: readonly string[] = []

/** Only clients of the newest legacy version are known to take the empty event that makes a stream resumable. */
function replyOf(session: LegacySession, response: ServerResponse, prefers: Preference): HttpReply {
  const reply = new HttpReply(response, session.headers, session.version >= "2025-11-25" ? session.streams : undefined)
  if (prefers === "stream") reply.stream()
  return reply
}

const IGNORED = { event: () => {}, end: () => {} }

export function refuseMethod(response: ServerResponse, allowed: string): void {
  response.setHeader("Allow", allowed)
  refuse(response, new YardError("invalid_request", "Method not allowed"), null, 405)
}

function refuse(response: ServerResponse, error: unknown, id: RequestId | null, status?: number): void {
  if (response.headersSent) {
    response.end()
    return
  }
  const code: ErrorCode = error instanceof YardError ? error.code : "internal"
  const text = errorText(id, toRpcError(error))
  response.writeHead(status ?? ERRORS[code].http, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  })
  response.end(text)
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/json\s*(;|$)/i.test(contentType)
}

type Preference = "json" | "stream"

const MAX_PREFERENCES = 100

/** Clients of this era must take both forms; which they name first is taken as their wish. */
function preference(accept: string | undefined, known: Map<string, Preference>): Preference {
  if (accept === undefined) return "json"
  const before = known.get(accept)
  if (before) return before
  const json = accept.indexOf("application/json")
  const stream = accept.indexOf("text/event-stream")
  if ((json === -1 || stream === -1) && !accept.includes("*/*"))
    throw new YardError("not_acceptable", "Accept must include application/json and text/event-stream")
  const wish = json !== -1 && stream !== -1 && stream < json ? "stream" : "json"
  if (known.size < MAX_PREFERENCES) known.set(accept, wish)
  return wish
}
