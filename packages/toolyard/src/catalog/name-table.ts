/** What servers and tools are called in TypeScript, and the way back from there. */
import { nearest } from "../model/nearest.ts"
import type { CatalogTool, Member } from "./member.ts"
import { assignNames } from "./naming.ts"

export interface NamedTool {
  tool: CatalogTool
  tsName: string
}

export interface NamedServer {
  member: Member
  tsName: string
  tools: NamedTool[]
}

export interface NameTable {
  readonly servers: readonly NamedServer[]
  /** By the TypeScript name, or by the one that it was made from. */
  server(name: string): NamedServer | undefined
  tool(server: NamedServer, name: string): NamedTool | undefined
  of(tool: CatalogTool): { server: NamedServer; tsName: string } | undefined
  /** The name that was probably meant. */
  nearServer(name: string): string | undefined
  nearTool(server: NamedServer, name: string): string | undefined
}

export function createNameTable(members: readonly Member[]): NameTable {
  const serverNames = assignNames(members.map(({ name }) => name))
  const servers = members.map((member, position): NamedServer => {
    const toolNames = assignNames(member.tools.map(({ name }) => name))
    const tools = member.tools.map((tool, index) => ({ tool, tsName: toolNames[index] as string }))
    return { member, tsName: serverNames[position] as string, tools }
  })
  const byServer = new Map<string, NamedServer>(servers.map(server => [server.member.name, server]))
  for (const server of servers) byServer.set(server.tsName, server)
  const byTool = new Map<NamedServer, Map<string, NamedTool>>()
  const byId = new Map<CatalogTool, { server: NamedServer; tsName: string }>()
  for (const server of servers) for (const { tool, tsName } of server.tools) byId.set(tool, { server, tsName })

  /** Made for a server when it is first asked for. */
  const toolsOf = (server: NamedServer): Map<string, NamedTool> => {
    let known = byTool.get(server)
    if (!known) {
      known = new Map(server.tools.map(named => [named.tool.name, named]))
      for (const named of server.tools) known.set(named.tsName, named)
      byTool.set(server, known)
    }
    return known
  }

  return {
    servers,
    server: name => byServer.get(name),
    tool: (server, name) => toolsOf(server).get(name),
    of: tool => byId.get(tool),
    nearServer: name =>
      nearest(
        name,
        servers.map(({ tsName }) => tsName),
      ),
    nearTool: (server, name) =>
      nearest(
        name,
        server.tools.map(({ tsName }) => tsName),
      ),
  }
}
