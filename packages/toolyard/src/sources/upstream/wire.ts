/** A wire carries JSON-RPC messages to one upstream and back; it knows nothing of MCP. */
import type { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject, withRaw } from "../../model/json.ts"
import type { RequestId, RpcNotification, RpcRequest } from "../../model/mcp.ts"

export type Outgoing =
  | RpcRequest
  | RpcNotification
  | { jsonrpc: "2.0"; id: RequestId; result?: unknown; error?: unknown }

export interface WireEvents {
  /** `relatedTo`: the id of our request in whose exchange the message came, where the wire can tell. */
  message(message: JsonObject, relatedTo?: RequestId): void
  /** One request could not be delivered, or its exchange ended without an answer. */
  failed(id: RequestId, error: YardError): void
  /** The wire is gone, for good. */
  closed(reason: YardError): void
}

export interface Wire {
  /** Whether each request has an exchange of its own (HTTP), so that ending it cancels the request. */
  readonly exchanges: boolean
  readonly pid?: number
  /** `headers` and `signal` are for wires with exchanges: what goes along, and what ends the one this message opens. */
  send(message: Outgoing, headers?: Record<string, string>, signal?: AbortSignal): void
  /** Sends now what is being gathered to be sent together. */
  flush?(): void
  /** Called once the handshake has settled on a protocol version. */
  established?(version: string): void
  close(): Promise<void>
}

const RESULT_FIRST = '{"result":'
const RESULT_FIRST_TAIL = ',"jsonrpc":"2.0","id":'
const ID_FIRST = '{"jsonrpc":"2.0","id":'
const ID_FIRST_RESULT = ',"result":'

/**
 * Parses one message. An answer in one of the two layouts that nearly every server prints is taken apart by
 * position, so that the exact text of its `result` is kept and can be passed on unprinted; the slice must itself
 * parse as one object, which proves that the cut was right. Everything else is parsed as a whole.
 */
export function parseMessage(text: string): JsonObject {
  if (text.startsWith(RESULT_FIRST)) {
    const tail = text.lastIndexOf(RESULT_FIRST_TAIL)
    if (tail > 0) {
      const id = toId(text.slice(tail + RESULT_FIRST_TAIL.length, -1))
      const message = id === undefined ? undefined : answer(id, text.slice(RESULT_FIRST.length, tail))
      if (message) return message
    }
  } else if (text.startsWith(ID_FIRST)) {
    const comma = text.indexOf(",", ID_FIRST.length)
    if (comma > 0 && text.startsWith(ID_FIRST_RESULT, comma)) {
      const id = toId(text.slice(ID_FIRST.length, comma))
      const message = id === undefined ? undefined : answer(id, text.slice(comma + ID_FIRST_RESULT.length, -1))
      if (message) return message
    }
  }
  const whole: unknown = JSON.parse(text)
  if (!isObject(whole)) throw new SyntaxError("not a JSON-RPC message")
  return whole
}

function toId(text: string): number | undefined {
  const id = Number(text)
  return Number.isSafeInteger(id) && String(id) === text ? id : undefined
}

function answer(id: number, raw: string): JsonObject | undefined {
  try {
    const result: unknown = JSON.parse(raw)
    return isObject(result) ? { jsonrpc: "2.0", id, result: withRaw(result, raw) } : undefined
  } catch {
    return undefined
  }
}
