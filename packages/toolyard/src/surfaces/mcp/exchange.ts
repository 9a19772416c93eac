/** One request of a client while it is being answered: what the eras and transports have in common. */
import { Call } from "../../model/call.ts"
import type { JsonObject } from "../../model/json.ts"
import type { RequestId } from "../../model/mcp.ts"

/** Where the answer to one request goes, and what comes before it. */
export interface Reply {
  /** A notification or a question, before the answer. */
  event(text: string): void
  /** The answer; `status` is for HTTP, where nothing has been sent yet. */
  end(text: string, status?: number): void
}

/** A request of an MCP client as a call. */
export abstract class McpCall extends Call {
  /** Set when the tool itself reported a failure. */
  isError = false

  /** Makes an upstream's request state safe to hand to the client. */
  seal(state: string): string {
    return state
  }
}

export const notificationText = (method: string, params: JsonObject | undefined): string =>
  JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) })

export const requestText = (id: RequestId, method: string, params: JsonObject | undefined): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...(params && { params }) })

/** `result` is JSON text already. */
export const resultText = (id: RequestId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

export const errorText = (id: RequestId | null, error: object): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`
