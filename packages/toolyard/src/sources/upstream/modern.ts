/** What a client of a 2026-07-28 server sends along with every request. */

import type { Call } from "../../model/call.ts"
import type { JsonObject } from "../../model/json.ts"
import { CLIENT_INFO, META, MODERN_VERSION } from "../../model/mcp.ts"

/** The hub forwards what the caller's own client can do: questions for anything else would find nobody to answer. */
export function envelope(call?: Call): JsonObject {
  return {
    ...call?.meta,
    [META.protocolVersion]: MODERN_VERSION,
    [META.clientInfo]: CLIENT_INFO,
    [META.clientCapabilities]: relayable(call?.capabilities ?? {}),
    ...(call?.logLevel && { [META.logLevel]: call.logLevel }),
  }
}

/** Of a client's capabilities, those that the hub can pass on for it. */
export function relayable({ elicitation, sampling, roots }: JsonObject): JsonObject {
  return {
    ...(elicitation !== undefined && { elicitation }),
    ...(sampling !== undefined && { sampling }),
    ...(roots !== undefined && { roots }),
  }
}
