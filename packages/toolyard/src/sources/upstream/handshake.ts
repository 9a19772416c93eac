/** Finds out which protocol era an upstream speaks, and introduces the hub in it. */
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { CLIENT_INFO, type Era, type Implementation, LEGACY_VERSIONS, META, MODERN_VERSION } from "../../model/mcp.ts"
import type { Connection } from "./connection.ts"
import { envelope } from "./modern.ts"

/** What the hub tells a legacy upstream it can do: all that some client behind it may be able to. */
export const HUB_CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } }

export async function shakeHands(
  connection: Connection,
  pipelined: boolean,
  known: Era | undefined,
  capabilities: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const discover = (): Promise<JsonObject> => connection.request("server/discover", { _meta: envelope() }, signal)
  const initialize = (): Promise<JsonObject> =>
    connection.request(
      "initialize",
      { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: CLIENT_INFO },
      signal,
    )

  if (known === "legacy") {
    becomeLegacy(connection, await initialize())
  } else if (known === "modern") {
    const found = await discover()
    if (!speaksModern(found))
      throw new YardError("upstream_bad_reply", "the server no longer speaks protocol 2026-07-28")
    becomeModern(connection, found)
  } else if (pipelined) {
    await tryBothAtOnce(connection, discover(), initialize())
  } else {
    const found = await discover().catch(orNotModern)
    if (found && speaksModern(found)) becomeModern(connection, found)
    else becomeLegacy(connection, await initialize())
  }
}

/**
 * Over a pipe both openings are sent at once, so that no time-out has to be waited for: a modern server answers the
 * first and refuses the second, a legacy server the other way round (or stays silent on the first).
 */
async function tryBothAtOnce(
  connection: Connection,
  discover: Promise<JsonObject>,
  initialize: Promise<JsonObject>,
): Promise<void> {
  const modern = discover.then(found => (speaksModern(found) ? found : undefined), orNotModern)
  const legacy = initialize.then(
    result => ({ result }),
    (error: unknown) => ({ error }),
  )
  const first = await Promise.race([
    modern.then(found => found ?? legacy.then(() => undefined)),
    legacy.then(outcome => ("result" in outcome ? undefined : modern)),
  ])
  if (first) {
    becomeModern(connection, first)
    return
  }
  const outcome = await legacy
  if ("error" in outcome) throw outcome.error
  becomeLegacy(connection, outcome.result)
}

/** An answer that only says "I don't know that" means legacy; a server that is down or wants a login is neither. */
function orNotModern(error: unknown): undefined {
  if (error instanceof YardError) {
    const status = isObject(error.data) ? error.data.status : undefined
    if (error.code === "upstream_error" || error.code === "upstream_bad_reply" || error.code === "session_not_found")
      return
    if (error.code === "server_down" && typeof status === "number" && status >= 400 && status < 500) return
  }
  throw error
}

function speaksModern(found: JsonObject): boolean {
  return Array.isArray(found.supportedVersions) && found.supportedVersions.includes(MODERN_VERSION)
}

function becomeModern(connection: Connection, found: JsonObject): void {
  connection.era = "modern"
  connection.established(MODERN_VERSION)
  describe(connection, found, isObject(found._meta) ? found._meta[META.serverInfo] : undefined)
}

function becomeLegacy(connection: Connection, result: JsonObject): void {
  const { protocolVersion } = result
  if (typeof protocolVersion !== "string") {
    throw new YardError("upstream_bad_reply", "the server's answer to `initialize` names no protocol version")
  }
  connection.era = "legacy"
  connection.established(protocolVersion)
  describe(connection, result, result.serverInfo)
  connection.notify("notifications/initialized")
}

function describe(connection: Connection, { capabilities, instructions }: JsonObject, info: unknown): void {
  connection.capabilities = isObject(capabilities) ? capabilities : {}
  if (typeof instructions === "string") connection.instructions = instructions
  if (isObject(info) && typeof info.name === "string") connection.info = info as Implementation
}
