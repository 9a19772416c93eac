/**
 * The catalog in few words: what an agent reads before it has searched for anything. Every server is named; how much
 * is said of its tools depends on the room there is, shared fairly between the servers.
 */
import type { Catalog } from "../catalog/catalog.ts"
import type { NamedServer, NamedTool } from "../catalog/name-table.ts"
import { signature, terse } from "../catalog/typegen/signature.ts"
import type { Caller } from "../model/caller.ts"
import { estimateTokens } from "../model/tokens.ts"

export const CATALOG_TOKENS = 2_000
/** A description is cut to this when there are many servers. */
const ABOUT_CHARACTERS = 80

interface Part {
  server: NamedServer
  tools: NamedTool[]
}

export function describeYard(catalog: Catalog, caller: Caller, budget = CATALOG_TOKENS): string {
  const parts: Part[] = catalog.names.servers
    .filter(({ member }) => member.source)
    .map(server => ({ server, tools: server.tools.filter(({ tool }) => catalog.isCallable(tool, caller)) }))
  if (parts.length === 0) return "There are no servers yet."
  for (const [line, title] of FORMS) {
    const text = whole(parts, budget, line)
    if (text !== undefined) return `${title}\n${text}`
  }
  return `Catalog (PARTIAL: use search for the rest):\n${shared(parts, budget)}`
}

type Line = (server: NamedServer, tool: NamedTool) => string

const withTypes: Line = ({ member, tsName }, { tool, tsName: name }) =>
  signature({ name: tool.name, tsName: name, definition: tool.definition }, { server: member.name, tsName })
const namesOnly: Line = ({ tsName }, { tool, tsName: name }) =>
  `tools.${tsName}.${terse({ name: tool.name, tsName: name, definition: tool.definition })}`

const FORMS: [Line, string][] = [
  [withTypes, "Catalog (COMPLETE):"],
  [namesOnly, "Catalog (COMPLETE list; search gives the types):"],
]

/** All tools in one form, or nothing if that is too much. */
function whole(parts: Part[], budget: number, line: Line): string | undefined {
  const lines: string[] = []
  let left = budget
  for (const { server, tools } of parts) {
    for (const text of [headOf(server, tools.length), ...tools.map(tool => line(server, tool))]) {
      left -= estimateTokens(text) + 1
      if (left < 0) return undefined
      lines.push(text)
    }
  }
  return lines.join("\n")
}

function headOf({ member, tsName }: NamedServer, count: number): string {
  const about = member.config.description ?? ""
  return `# ${tsName} (${count} tool${count === 1 ? "" : "s"}${whyNone(member, count)})${about ? `: ${oneLine(about)}` : ""}`
}

/** Why a server has no tools, where it is not up. */
function whyNone(member: NamedServer["member"], count: number): string {
  const { state } = member.health()
  return state === "up" || count > 0 ? "" : `, ${state}`
}

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > ABOUT_CHARACTERS ? `${line.slice(0, ABOUT_CHARACTERS - 1)}…` : line
}

/** As many tools of each server as its share allows; what one does not need goes to the others. */
function shared(parts: Part[], budget: number): string {
  const heads = parts.map(
    ({ server: { tsName, member }, tools }) => `tools.${tsName} (${tools.length}${whyNone(member, tools.length)})`,
  )
  let left = budget - heads.reduce((sum, head) => sum + estimateTokens(head) + 1, 0)
  const shown: string[][] = parts.map(() => [])
  let open = parts.map((_, index) => index)
  // One tool of each server in turn: small servers are complete before large ones get more.
  while (open.length > 0 && left > 0) {
    const next: number[] = []
    for (const index of open) {
      const { tools } = parts[index] as Part
      const names = shown[index] as string[]
      const tool = tools[names.length]
      if (!tool) continue
      const text = terse({ name: tool.tool.name, tsName: tool.tsName, definition: tool.tool.definition })
      left -= estimateTokens(text) + 1
      if (left < 0) break
      names.push(text)
      next.push(index)
    }
    open = next
  }
  return parts
    .map(({ tools }, index) => {
      const names = shown[index] as string[]
      if (names.length === 0) return heads[index]
      return `${heads[index]}: ${names.join(", ")}${names.length < tools.length ? ", …" : ""}`
    })
    .join("\n")
}
