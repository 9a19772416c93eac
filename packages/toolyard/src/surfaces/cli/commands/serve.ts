/** `toolyard serve`: the hub until somebody ends it. */
import { YardError } from "../../../model/errors.ts"
import { PATIENCE_MS, whereOf } from "../client.ts"
import type { Context, LogLevel, RunningHub, ServeRequest } from "../deps.ts"
import { hubOfFolder } from "../find-hub.ts"
import { untilAborted, within } from "../interrupt.ts"
import { serverRows } from "../server-rows.ts"
import { columns, count } from "../text.ts"

export interface ServeOptions {
  port: number
  host: string
  auth: boolean
  token?: string
  config?: string
  logLevel: LogLevel
  watch: boolean
  json?: boolean
}

/** What only other commands ask for. */
type Special = Pick<ServeRequest, "content" | "keep" | "folder" | "readOnly" | "prepare">

export async function serve(context: Context, options: ServeOptions & Special): Promise<number> {
  const { deps, io, signal } = context
  const { port, host, auth, watch, logLevel, content, keep, folder, readOnly, prepare } = options
  const token = options.token ?? (io.env.TOOLYARD_TOKEN || undefined)
  const where = whereOf(context, options)
  await refuseSecond(context, where, port)
  const special = {
    ...(content !== undefined && { content }),
    ...(keep !== undefined && { keep }),
    ...(folder !== undefined && { folder }),
    ...(readOnly !== undefined && { readOnly }),
    ...(prepare && { prepare }),
  }
  const request = { ...where, port, host, auth, watch, logLevel, ...(token !== undefined && { token }), ...special }
  const hub = await deps.serve(request, context.onStray)
  try {
    if (options.json || !io.outIsTerminal) io.out(JSON.stringify(readyLine(hub)))
    else await welcome(hub, context)
    await untilAborted(signal)
  } finally {
    await hub.close()
  }
  return 0
}

/** Found out before anything is started: servers that ran twice for a moment could disturb each other. */
async function refuseSecond(context: Context, where: ReturnType<typeof whereOf>, port: number): Promise<void> {
  const { root } = await context.deps.findFiles(where)
  const { hub } = await hubOfFolder(root, where, context)
  if (!hub || Number(new URL(hub.url).port) !== port) return
  const pid = hub.pid === undefined ? "" : ` (process ${hub.pid})`
  throw new YardError("port_in_use", `a hub for this yard already runs at ${hub.url}${pid}`, {
    hint: "Every command uses it as it is. End it first, or start another with `--port 0`.",
  })
}

const mcpUrl = ({ url, token }: RunningHub): string =>
  `${url}/mcp${token === undefined ? "" : `?token=${encodeURIComponent(token)}`}`

function readyLine(hub: RunningHub): Record<string, unknown> {
  const { url, token, yard } = hub
  return {
    url,
    mcp: mcpUrl(hub),
    ...(token !== undefined && { token }),
    pid: process.pid,
    servers: yard.config.servers.map(({ name }) => name),
  }
}

async function welcome(hub: RunningHub, { io, signal, deps }: Context): Promise<void> {
  const { bold, cyan, dim } = io.paint
  const mcp = mcpUrl(hub)
  const header = hub.token === undefined ? "" : ` --header "Authorization: Bearer ${hub.token}"`
  io.out(`\n${bold("Toolyard is ready")} at ${cyan(mcp)}\n`)
  io.out("Connect a client:")
  io.out(`  ${JSON.stringify({ mcpServers: { toolyard: { type: "http", url: mcp } } })}`)
  io.out(`  claude mcp add --transport http toolyard ${hub.url}/mcp${header}\n`)
  const { catalog, connected } = hub.yard
  if (catalog.servers().length === 0) {
    io.out("There are no servers yet. Add one, and it is there at once:")
    io.out("  toolyard add files -- npx -y @modelcontextprotocol/server-filesystem .\n")
  } else {
    await within(connected, PATIENCE_MS, signal).catch(() => false)
    if (signal.aborted) return
    const show = await deps.showServer()
    const servers = catalog.servers().map(show.server)
    const tools = servers.reduce((sum, server) => sum + server.tools, 0)
    io.out(`${count(servers.length, "server")}, ${count(tools, "tool")}:`)
    for (const line of columns(serverRows(servers, io.paint), io.width === undefined ? undefined : io.width - 2))
      io.out(`  ${line}`)
    io.out("")
  }
  io.out(dim("Ctrl-C ends it."))
}
