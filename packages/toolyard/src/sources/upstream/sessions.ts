/** `isolation: "session"`: each client session has a connection of its own, opened at its first call. */
import { randomUUID } from "node:crypto"
import type { Call } from "../../model/call.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Connection, ConnectionEvents } from "./connection.ts"
import { relayable } from "./modern.ts"

/** What a session's own server says by itself, for that session alone. */
type Heard = (session: string, method: string, params: JsonObject | undefined) => void

type Open = (
  capabilities: JsonObject,
  events: ConnectionEvents,
  onCreated: (connection: Connection) => void,
) => Promise<Connection>

export class SessionConnections {
  readonly #open: Open
  readonly #heard: Heard
  readonly #log: (line: string) => void
  readonly #connections = new Map<string, Promise<Connection>>()

  constructor(open: Open, heard: Heard, log: (line: string) => void) {
    this.#open = open
    this.#heard = heard
    this.#log = log
  }

  /** A stateless caller has no session to keep a child for: it gets one for this call alone. */
  async use<T>(call: Call, work: (connection: Connection) => Promise<T>): Promise<T> {
    const { session } = call.caller
    const key = session ?? randomUUID()
    let connection = this.#connections.get(key)
    if (!connection) {
      connection = this.#openFor(key, call)
      this.#connections.set(key, connection)
      connection.catch(() => this.#connections.delete(key))
    }
    try {
      return await work(await connection)
    } finally {
      if (session === undefined) void this.end(key)
    }
  }

  tell(session: string, method: string, params: JsonObject | undefined): void {
    void this.#connections.get(session)?.then(
      connection => connection.notify(method, params),
      () => {},
    )
  }

  async end(session: string): Promise<void> {
    const connection = this.#connections.get(session)
    this.#connections.delete(session)
    await connection?.then(open => open.close()).catch(() => {})
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map(session => this.end(session)))
  }

  async #openFor(key: string, call: Call): Promise<Connection> {
    // What the server asks while it starts (its roots, say) is asked of the client that it is started for.
    let arrived = (): void => {}
    const events: ConnectionEvents = {
      listChanged: list => this.#heard(key, `notifications/${list}/list_changed`, undefined),
      updated: (_uri, params) => this.#heard(key, "notifications/resources/updated", params),
      notification: (method, params) => this.#heard(key, method, params),
      log: this.#log,
      closed: () => this.#connections.delete(key),
    }
    try {
      return await this.#open(relayable(call.capabilities), events, connection => {
        arrived()
        arrived = connection.expect(call)
      })
    } finally {
      arrived()
    }
  }
}
