/**
 * A name for the client behind a stateless request: its TCP connection. The 2026-07-28 protocol has no sessions, yet a
 * server's question must reach the client it is meant for and no other; one connection is one client's, unless somebody
 * stands in between and says so.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Caller } from "../../model/caller.ts"

const FORWARDING = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]

export class Connections {
  readonly #callers = new WeakMap<Socket, Caller>()
  readonly #onEnd: (session: string) => void

  constructor(onEnd: (session: string) => void) {
    this.#onEnd = onEnd
  }

  name({ socket, headers }: IncomingMessage, caller: Omit<Caller, "session">): Caller {
    const known = this.#callers.get(socket)
    if (known && known.readOnly === caller.readOnly) return known
    if (FORWARDING.some(header => headers[header] !== undefined)) return caller
    const session = known?.session ?? randomUUID()
    const named = { ...caller, session }
    this.#callers.set(socket, named)
    if (!known) socket.once("close", () => this.#onEnd(session))
    return named
  }
}
