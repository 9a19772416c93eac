/** What the Tab key offers: servers and tools as they are called in TypeScript, and what was declared. */
import { assignNames } from "../../../catalog/naming.ts"
import type { YardClient } from "../client.ts"

export const COMMANDS = [".help", ".types", ".search", ".exit"]

/** The tools of each server, under their names in TypeScript. */
export type Offered = Map<string, string[]>

export async function offeredBy(client: Pick<YardClient, "servers" | "tools">): Promise<Offered> {
  const [servers, tools] = await Promise.all([client.servers(), client.tools()])
  const names = assignNames(servers.map(({ name }) => name))
  return new Map(
    servers.map(({ name }, position) => [
      names[position] as string,
      assignNames(tools.filter(({ server }) => server === name).map(tool => tool.name)),
    ]),
  )
}

/** The ways to go on, and the part of the line that they take the place of. */
export function complete(line: string, offered: Offered, declared: string[]): [found: string[], part: string] {
  const [, server, tool] = /(?:^|[^\w$.])tools\.([\w$]*)(?:\.([\w$]*))?$/.exec(line) ?? []
  if (server !== undefined && tool !== undefined) return [startingWith(tool, offered.get(server) ?? []), tool]
  if (server !== undefined) return [startingWith(server, [...offered.keys()]), server]
  if (line.startsWith(".")) return [startingWith(line, COMMANDS), line]
  const part = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)$/.exec(line)?.[1]
  return part === undefined ? [[], ""] : [startingWith(part, ["await", "console", "tools", ...declared]), part]
}

const startingWith = (start: string, words: string[]): string[] => words.filter(word => word.startsWith(start))
