/** `toolyard types [SERVER[.TOOL]]` */
import { assignNames } from "../../../catalog/naming.ts"
import { withClient, type YardClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { warn } from "../io.ts"
import { warningsOf } from "../server-rows.ts"
import { harmless } from "../text.ts"
import { unknownServer } from "../tool-name.ts"

export interface TypesOptions {
  config?: string
  json?: boolean
}

export async function types(context: Context, options: TypesOptions, written: string | undefined): Promise<undefined> {
  const { io } = context
  const pick = (names: string[]): Set<string> | undefined =>
    written === undefined ? undefined : new Set([parseAbout(written, names).server])
  const { text, warnings } = await withClient(context, { ...options, about: { pick } }, async client => {
    const { about, warnings } = await settleFor(client, written)
    return { text: await client.code.types(about), warnings }
  })
  if (options.json) io.out(JSON.stringify({ types: text, ...(warnings.length > 0 && { warnings }) }))
  else {
    io.out((io.outIsTerminal ? harmless(text) : text).trimEnd())
    for (const warning of warnings) warn(io, warning)
  }
}

export interface TypesAbout {
  server: string
  tool?: string
}

/** Waits for the servers it is about, and says which of them are missing. */
export async function settleFor(client: YardClient, written: string | undefined) {
  const names = (await client.servers()).map(({ name }) => name)
  const about = written === undefined ? {} : parseAbout(written, names)
  const { server } = about as Partial<TypesAbout>
  await client.settle(server)
  const servers = (await client.servers()).filter(
    ({ name, state }) => (server ?? name) === name && (state !== "disabled" || name === server),
  )
  return { about, warnings: warningsOf(servers) }
}

/** `SERVER` or `SERVER.TOOL`; the server by its own name or by the one it has in TypeScript. */
export function parseAbout(written: string, names: string[]): TypesAbout {
  const inTypeScript = assignNames(names)
  const known = [...names, ...inTypeScript]
  // The longest, since a name may hold dots itself.
  const found = known
    .filter(name => written === name || written.startsWith(`${name}.`))
    .toSorted((a, b) => b.length - a.length)[0]
  if (found === undefined) throw unknownServer(written.split(".")[0] as string, names)
  const server = names[known.indexOf(found) % names.length] as string
  return written === found ? { server } : { server, tool: written.slice(found.length + 1) }
}
