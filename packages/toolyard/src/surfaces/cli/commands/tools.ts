/** `toolyard tools [SERVER]` */
import type { ApiServer, ApiTool } from "../../../model/api.ts"
import { withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { warn } from "../io.ts"
import { warningsOf } from "../server-rows.ts"
import { columns, harmless, indent, oneLine } from "../text.ts"

export interface ToolsOptions {
  schema?: boolean
  config?: string
  json?: boolean
}

export async function tools(context: Context, options: ToolsOptions, server: string | undefined): Promise<undefined> {
  const { io } = context
  const about = server === undefined ? {} : { about: { server } }
  const { found, warnings } = await withClient(context, { ...options, ...about }, async client => {
    await client.settle(server)
    const found = await client.tools(server)
    const servers = (await client.servers()).filter(({ name }) => (server ?? name) === name)
    return { found, warnings: warningsOf(servers.filter(worthSaying(server))) }
  })
  if (options.json) {
    io.out(JSON.stringify({ tools: found, ...(warnings.length > 0 && { warnings }) }))
    return
  }
  if (options.schema) for (const tool of found) io.out(withSchema(tool, context))
  else {
    const rows = found.map(({ id, description = "" }) => [
      { text: id, paint: io.paint.bold },
      { text: oneLine(description), paint: io.paint.dim },
    ])
    for (const line of columns(rows, io.width)) io.out(line)
  }
  for (const warning of warnings) warn(io, warning)
  if (found.length === 0 && warnings.length === 0)
    io.err(server === undefined ? NO_TOOLS : `${server} offers no tools.`)
}

const NO_TOOLS = "There are no tools yet. `toolyard add NAME -- COMMAND` adds a server."

/** A server that was switched off on purpose is no news, unless it was asked for. */
function worthSaying(server: string | undefined): (candidate: ApiServer) => boolean {
  return ({ state, name }) => state !== "disabled" || name === server
}

function withSchema({ id, description, definition }: ApiTool, { io }: Context): string {
  const schema = JSON.stringify(definition.inputSchema ?? {}, null, 2)
  const parts = [io.paint.bold(id), ...(description ? [indent(harmless(description).trim())] : []), indent(schema)]
  return `${parts.join("\n")}\n`
}
