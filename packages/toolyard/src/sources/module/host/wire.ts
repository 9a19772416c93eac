/** JSON-RPC over two streams, one message a line: answers what the hub asks, and asks the hub. */
import { toRpcError, YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject, toJsonText } from "../../../model/json.ts"
import type { RequestId } from "../../../model/mcp.ts"
import { lineSplitter } from "../../upstream/line-splitter.ts"

const MAX_LINE_BYTES = 128 * 1024 * 1024

/** One request of the hub's while it is under way. */
export interface Request {
  readonly id: RequestId
  readonly params: JsonObject
  readonly signal: AbortSignal
}
export type Handler = (request: Request) => JsonObject | Promise<JsonObject>

export interface Wire {
  /** Asks the hub; when `signal` aborts, the question is withdrawn. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  notify(method: string, params: JsonObject): void
  /** Starts to answer; what came before has been waiting. */
  listen(input: NodeJS.ReadableStream, handlers: ReadonlyMap<string, Handler>): void
}

interface Waiting {
  resolve(result: JsonObject): void
  reject(error: unknown): void
}

export function openWire(write: (line: string) => void): Wire {
  const waiting = new Map<RequestId, Waiting>()
  const underWay = new Map<RequestId, AbortController>()
  let lastId = 0

  const send = (message: JsonObject): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

  const answer = async (id: RequestId, params: unknown, handler: Handler | undefined, method: string) => {
    const controller = new AbortController()
    underWay.set(id, controller)
    try {
      if (!handler) throw new YardError("method_not_found", `a module server does not answer ${method}`)
      const request = { id, params: isObject(params) ? params : {}, signal: controller.signal }
      const result = await handler(request)
      // Said all the same, but shortly: the hub then knows that the work has really ended.
      if (controller.signal.aborted) throw new YardError("cancelled", "the caller ended the request")
      write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${toJsonText(result)}}\n`)
    } catch (error) {
      send({ id, error: toRpcError(error) })
    } finally {
      underWay.delete(id)
    }
  }

  const settle = (id: RequestId, message: JsonObject): void => {
    const pending = waiting.get(id)
    waiting.delete(id)
    if (isObject(message.error)) pending?.reject(message.error)
    else pending?.resolve(isObject(message.result) ? message.result : {})
  }

  const receive = (line: string, handlers: ReadonlyMap<string, Handler>): void => {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      send({ id: null, error: toRpcError(new YardError("parse_error", "a line is not JSON")) })
      return
    }
    if (!isObject(message)) {
      send({ id: null, error: toRpcError(new YardError("invalid_request", "a message must be an object")) })
      return
    }
    const { id, method, params } = message
    const isRequest = typeof id === "string" || typeof id === "number"
    if (typeof method !== "string") {
      if (isRequest) settle(id, message)
    } else if (isRequest) void answer(id, params, handlers.get(method), method)
    else if (method === "notifications/cancelled" && isObject(params)) {
      const reason = typeof params.reason === "string" ? params.reason : "the caller ended the request"
      underWay.get(params.requestId as RequestId)?.abort(new DOMException(reason, "AbortError"))
    }
  }

  return {
    notify: (method, params) => send({ method, params }),

    ask(method, params, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
      if (signal.aborted) {
        reject(signal.reason)
        return promise
      }
      const id = `host-${++lastId}`
      const withdraw = (): void => {
        waiting.delete(id)
        send({ method: "notifications/cancelled", params: { requestId: id } })
        reject(signal.reason)
      }
      send({ id, method, params })
      waiting.set(id, { resolve, reject })
      signal.addEventListener("abort", withdraw, { once: true })
      return promise.finally(() => signal.removeEventListener("abort", withdraw))
    },

    listen(input, handlers) {
      const split = lineSplitter(
        MAX_LINE_BYTES,
        line => receive(line, handlers),
        (_head, _tail, bytes) => process.stderr.write(`[a message of ${bytes} bytes was not read]\n`),
      )
      input.on("data", split)
    },
  }
}
