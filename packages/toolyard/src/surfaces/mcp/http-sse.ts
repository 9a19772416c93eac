/** The older HTTP+SSE transport: one stream down, POSTs up. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { toRpcError, YardError } from "../../model/errors.ts"
import { isObject } from "../../model/json.ts"
import type { Address } from "./address.ts"
import { errorText } from "./exchange.ts"
import type { HttpCaller } from "./http.ts"
import { LegacySession, type SessionDeps } from "./legacy-session.ts"
import { checkShape, echoId, isBatch } from "./message-shape.ts"
import { readBody } from "./read-body.ts"
import type { Sessions } from "./sessions.ts"
import { keepAlive, SSE_HEADERS } from "./sse.ts"

export function openSseStream(
  request: IncomingMessage,
  response: ServerResponse,
  address: Address,
  caller: HttpCaller,
  deps: SessionDeps & { sessions: Sessions },
): void {
  const session = new LegacySession(address, caller, deps)
  deps.sessions.add(session)
  response.writeHead(200, [...SSE_HEADERS])
  session.openStream(response)
  response.once("close", () => deps.sessions.end(session))
  const url = new URL(request.url ?? "", "http://localhost")
  url.searchParams.set("sessionId", session.id)
  response.write(`event: endpoint\ndata: ${url.pathname}${url.search}\n\n`)
  keepAlive(response)
}

export async function receiveSsePost(
  request: IncomingMessage,
  response: ServerResponse,
  address: Address,
  sessions: Sessions,
): Promise<void> {
  const url = new URL(request.url ?? "", "http://localhost")
  const session = sessions.get(url.searchParams.get("sessionId") ?? "")
  const push = session?.push
  if (!session || !push || session.address.key !== address.key)
    throw new YardError("session_not_found", "Session not found")
  const text = await new Promise<string>((resolve, reject) => {
    readBody(request, (problem, body) => (problem ? reject(problem) : resolve(body)))
  })
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new YardError("parse_error", "Parse error: the body is not valid JSON")
  }
  for (const message of isBatch(body, session) ? body : [body]) {
    const problem = checkShape(message)
    if (problem) push(errorText(echoId(message), toRpcError(problem)))
    else if (isObject(message)) session.receive(message, { event: push, end: push })
  }
  response.writeHead(202).end("Accepted")
}
