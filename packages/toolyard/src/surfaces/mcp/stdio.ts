/** MCP over stdin and stdout: one client, both eras, a message a line. */

import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import type { Caller } from "../../model/caller.ts"
import { toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { RequestId } from "../../model/mcp.ts"
import type { Address } from "./address.ts"
import { errorText } from "./exchange.ts"
import { LegacySession, type SessionDeps } from "./legacy-session.ts"
import { checkShape, echoId, isBatch } from "./message-shape.ts"
import { type Cancellable, isModern, type Modern } from "./modern.ts"

export interface StdioStreams {
  input: Readable
  output: Writable
}

export async function serveStdio(
  { input, output }: StdioStreams,
  address: Address,
  caller: Caller,
  deps: SessionDeps & { modern: Modern },
): Promise<void> {
  const session = new LegacySession(address, caller, deps)
  const requests = new Map<RequestId, Cancellable>()
  const send = (text: string): void => void output.write(`${text}\n`)
  session.push = send

  const receiveModern = (message: JsonObject): void => {
    const params = isObject(message.params) ? message.params : {}
    const id = message.id as RequestId
    const end = (text: string): void => {
      requests.delete(id)
      send(text)
    }
    const modern = { ...caller, session: session.id }
    const reply = { event: send, end }
    const waiting = deps.modern.receive({
      address,
      id,
      method: message.method as string,
      params,
      headers: undefined,
      caller: modern,
      reply,
    })
    if (waiting) requests.set(id, waiting)
  }
  const receive = (line: string): void => {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      send(errorText(null, toRpcError(new YardError("parse_error", "Parse error: the line is not valid JSON"))))
      return
    }
    for (const one of isBatch(message, session) ? message : [message]) {
      const problem = checkShape(one)
      if (problem || !isObject(one)) send(errorText(echoId(one), toRpcError(problem)))
      else if (one.id !== undefined && isModern(one, undefined)) receiveModern(one)
      else {
        const cancelled =
          one.method === "notifications/cancelled" && isObject(one.params)
            ? requests.get(one.params.requestId as RequestId)
            : undefined
        if (cancelled) cancelled.abort(new YardError("cancelled", "the client cancelled the request"))
        else session.receive(one, { event: send, end: send })
      }
    }
  }

  output.on("error", () => input.destroy())
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  // A stream that is destroyed has a "close" but no "end", which is all that readline waits for.
  input.once("close", () => lines.close())
  lines.on("line", line => {
    if (line.trim() !== "") receive(line)
  })
  await new Promise<void>(resolve => lines.once("close", resolve))
  for (const waiting of requests.values()) waiting.abort(new YardError("cancelled", "the client left"))
  session.end()
}
