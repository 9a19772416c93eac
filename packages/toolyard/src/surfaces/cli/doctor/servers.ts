/** What `doctor` finds about each server: as the running hub sees it, or by connecting to it. */
import type { ApiServerDetails } from "../../../model/api.ts"
import type { YardClient } from "../client.ts"
import type { Context, Where } from "../deps.ts"
import type { Hub } from "../find-hub.ts"
import { unlessAborted } from "../interrupt.ts"
import { openLocalClient } from "../local-client.ts"
import { createRemoteClient } from "../remote-client.ts"
import type { Finding } from "./findings.ts"

export interface ServerFinding extends Omit<ApiServerDetails, "logs" | "instructions"> {
  status: Finding["status"]
  /** How long connecting took; unknown where a hub had connected before. */
  connectMs?: number
  /** The last lines it wrote, when it is not well or was asked about. */
  logs?: string[]
  fix?: string
}

const LINES = 8

/** A hub that runs is asked and not doubled: some servers can't run twice, and its view is what clients get. */
export async function inspectServers(
  context: Context,
  where: Where,
  hub: Hub | undefined,
  about: string | undefined,
): Promise<ServerFinding[]> {
  const times = new Map<string, number>()
  let client: YardClient
  if (hub) client = createRemoteClient(hub, context)
  else {
    const started = performance.now()
    const local = await openLocalClient(context, where, about === undefined ? {} : { server: about })
    local.yard.catalog.on("health", (name, { state }) => {
      if (state === "up" && !times.has(name)) times.set(name, Math.round(performance.now() - started))
    })
    client = local
  }
  const inspect = async (): Promise<ServerFinding[]> => {
    await client.settle(about)
    const servers = (await client.servers()).filter(({ name }) => (about ?? name) === name)
    return Promise.all(
      servers.map(async ({ name }) => toFinding(await client.server(name), times.get(name), about === name)),
    )
  }
  try {
    return await unlessAborted(inspect(), context.signal)
  } finally {
    await client.close()
  }
}

function toFinding(
  { logs, instructions: _, ...server }: ApiServerDetails,
  connectMs: number | undefined,
  isAskedAbout: boolean,
): ServerFinding {
  const { name, state } = server
  const known = { ...server, ...(connectMs !== undefined && { connectMs }) }
  // What a description got wrong, and what became of a prompt, is of interest even where all is well.
  const told = isAskedAbout && logs.length > 0 ? { logs: logs.slice(-LINES) } : {}
  if (state === "up") return { status: server.reason === undefined ? "ok" : "warning", ...known, ...told }
  // Why a server is disabled stands with the configuration's problems, unless it was done on purpose.
  if (state === "disabled") return { status: "ok", ...known }
  const fix =
    state === "needs-login"
      ? `Put its token under \`headers\` of ${name} in toolyard.json.`
      : "Run its command by hand to see what it says, or correct its entry in toolyard.json."
  const reason = server.reason ?? "it has not connected in time"
  return { status: "problem", ...known, reason, ...(logs.length > 0 && { logs: logs.slice(-LINES) }), fix }
}
