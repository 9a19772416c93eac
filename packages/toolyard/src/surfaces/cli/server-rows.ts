/** Servers as the rows of a table. */

import type { ApiServer } from "../../model/api.ts"
import type { ServerState } from "../../model/source.ts"
import type { Paint } from "./paint.ts"
import { type Cell, count, oneLine } from "./text.ts"

export function serverRows(servers: ApiServer[], paint: Paint): Cell[][] {
  return servers.map(server => [
    { text: server.name, paint: paint.bold },
    { text: server.state, paint: statePaint(server.state, paint) },
    { text: server.type, paint: paint.dim },
    { text: count(server.tools, "tool") },
    { text: oneLine(server.reason ?? server.description ?? ""), paint: paint.dim },
  ])
}

export function statePaint(state: ServerState, paint: Paint): (text: string) => string {
  if (state === "up") return paint.green
  if (state === "connecting") return paint.yellow
  return state === "disabled" ? paint.dim : paint.red
}

/** What a list of tools leaves out, and why; for a person. */
export function warningsOf(servers: ApiServer[]): string[] {
  return servers.flatMap(({ name, state, reason }) => {
    if (state === "up") return reason === undefined ? [] : [`${name}: ${oneLine(reason)}`]
    if (state === "connecting") return [`${name} is still connecting`]
    return [`${name} ${state === "needs-login" ? "wants a login" : `is ${state}`}: ${oneLine(reason ?? "")}`]
  })
}
