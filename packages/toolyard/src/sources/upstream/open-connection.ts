/** Spawns or reaches an upstream and brings the connection to where it can be used. */
import type { HttpEntry, ServerConfig, StdioEntry } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Era } from "../../model/mcp.ts"
import { Connection, type ConnectionEvents, type Hosting } from "./connection.ts"
import { shakeHands } from "./handshake.ts"
import { openHttpWire } from "./http-wire.ts"
import type { OutputTail } from "./output-tail.ts"
import { openStdioWire } from "./stdio-wire.ts"
import type { Watchdog } from "./watchdog.ts"

/** Long enough for `npx` to download a package. */
const CONNECT_TIMEOUT_MS = 60_000

export interface OpenOptions {
  config: ServerConfig
  watchdog: Watchdog
  output: OutputTail
  events: ConnectionEvents
  capabilities: JsonObject
  /** The era of the last time, where it is known. */
  era: Era | undefined
  hosting: Hosting | undefined
  signal: AbortSignal
}

export async function openConnection(
  options: OpenOptions,
  onCreated?: (connection: Connection) => void,
): Promise<Connection> {
  const { config, era, signal } = options
  try {
    return await open(options, era, onCreated)
  } catch (error) {
    if (signal.aborted || !(error instanceof YardError)) throw error
    // Some servers end themselves when the first thing they hear is not `initialize`: those are legacy.
    if (config.entry.type === "stdio" && era === undefined && error.code === "upstream_crashed")
      return open(options, "legacy", onCreated)
    // The era remembered from last time no longer holds.
    if (era !== undefined && (error.code === "upstream_error" || error.code === "upstream_bad_reply"))
      return open(options, undefined, onCreated)
    throw error
  }
}

async function open(
  options: OpenOptions,
  era: Era | undefined,
  onCreated?: (connection: Connection) => void,
): Promise<Connection> {
  const { config, watchdog, output, events, capabilities, hosting } = options
  const connection = new Connection(events, hosting)
  onCreated?.(connection)
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    deadline.abort(
      new YardError("timeout", `the server did not finish its handshake within ${CONNECT_TIMEOUT_MS / 1000} s`),
    )
  }, CONNECT_TIMEOUT_MS)
  const signal = AbortSignal.any([options.signal, deadline.signal])
  try {
    const { entry } = config
    const wire =
      entry.type === "stdio"
        ? await openStdioWire(entry as StdioEntry, connection.wireEvents, output, watchdog)
        : await openHttpWire(entry as HttpEntry, connection.wireEvents)
    connection.attach(wire)
    await shakeHands(connection, entry.type === "stdio", entry.type === "sse" ? "legacy" : era, capabilities, signal)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
