/** `server.tool` or `server__tool` as somebody wrote it: which server it is about, and what is wrong when there is none. */

import type { ApiServer } from "../../model/api.ts"
import { YardError } from "../../model/errors.ts"
import { nearest } from "../../model/nearest.ts"
import type { YardClient } from "./client.ts"

/** Longer ids are cut, so that the server's name need not stand in them whole. */
const SURELY_WHOLE = 40

const plain = (server: string): string => server.replace(/[^A-Za-z0-9_-]/g, "_")

/** The servers that the name can be about. */
export function serversOf(written: string, names: string[]): string[] {
  return names.filter(name => written.startsWith(`${name}.`) || written.startsWith(`${plain(name)}__`))
}

/** The servers to start for it; undefined when only all of them together can tell. */
export function serversToStart(written: string, names: string[]): Set<string> | undefined {
  const fitting = serversOf(written, names)
  if (fitting.length > 0) return new Set(fitting)
  const prefix = prefixOf(written)
  if (prefix !== undefined && prefix.length <= SURELY_WHOLE) throw unknownServer(prefix, names)
  return undefined
}

export function unknownServer(name: string, names: string[]): YardError {
  const near = nearest(name, names)
  return new YardError("unknown_server", `there is no server "${name}"${near ? `; did you mean "${near}"?` : ""}`)
}

/** Why a tool that was asked for is not there. */
export async function whyUnknown(written: string, client: YardClient): Promise<YardError> {
  const servers = await client.servers()
  const names = servers.map(({ name }) => name)
  const [fitting] = serversOf(written, names)
  const server = servers.find(({ name }) => name === fitting)
  if (server) return unknownAt(server, written, client)
  const prefix = prefixOf(written)
  if (prefix !== undefined && prefix.length <= SURELY_WHOLE) return unknownServer(prefix, names)
  const tools = await client.tools()
  const whole =
    tools.find(({ name }) => name === written) ?? tools.find(({ name }) => name === nearest(written, [name]))
  return unknownTool(written, whole && `${whole.server}.${whole.name}`)
}

async function unknownAt(server: ApiServer, written: string, client: YardClient): Promise<YardError> {
  const { name, state, reason } = server
  if (state !== "up" && server.tools === 0) {
    if (state === "disabled") return new YardError("server_disabled", `${name} is disabled: ${reason}`)
    if (state === "needs-login")
      return new YardError("needs_login", `${name} wants a login: ${reason}`, {
        hint: `Put its token under \`headers\` of ${name} in toolyard.json.`,
      })
    return new YardError(
      "server_down",
      state === "down" ? `${name} is down: ${reason}` : `${name} is still connecting`,
      {
        hint: `\`toolyard doctor ${name}\` tells more.`,
      },
    )
  }
  const tools = await client.tools(name)
  const rest = written.slice(written.startsWith(`${name}.`) ? name.length + 1 : plain(name).length + 2)
  const near = nearest(
    rest,
    tools.map(tool => tool.name),
  )
  return unknownTool(written, near && `${name}.${near}`, `See \`toolyard tools ${name}\` for the names.`)
}

function unknownTool(written: string, near: string | undefined, hint?: string): YardError {
  const message = `there is no tool "${written}"${near ? `; did you mean "${near}"?` : ""}`
  return new YardError("unknown_tool", message, hint === undefined ? {} : { hint })
}

function prefixOf(written: string): string | undefined {
  const end = written.search(/\.|__/)
  return end > 0 ? written.slice(0, end) : undefined
}
