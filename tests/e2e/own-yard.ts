/** A hub in a project folder with files of the user's own. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Hub, type HubOptions, startHub, tempFolder } from "../fixtures/hub.ts"
import { connect, type Era } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

export interface OwnYard {
  hub: Hub
  folder: string
  /** Writes a file of the project, whole, as an editor does. */
  write(file: string, text: string, mode?: number): void
  /** Calls a tool over MCP and gives the raw result. */
  call(server: string, tool: string, args?: Json, era?: Era): Promise<Json>
  tools(server: string): Promise<Json[]>
}

export async function openOwnYard(
  files: Record<string, string>,
  config: object = {},
  options: HubOptions = {},
): Promise<OwnYard> {
  const folder = options.folder ?? tempFolder()
  const write = (file: string, text: string, mode = 0o644): void => {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
  }
  for (const [file, text] of Object.entries(files)) write(file, text, text.startsWith("#!") ? 0o755 : 0o644)
  const hub = await startHub(config, { ...options, folder })
  return {
    hub,
    folder,
    write,
    async call(server, tool, args = {}, era = "legacy") {
      const client = await connect(`${hub.url}/mcp/${server}`, era)
      return (await client.callTool({ name: tool, arguments: args })) as Json
    },
    async tools(server) {
      const client = await connect(`${hub.url}/mcp/${server}`, "legacy")
      return (await client.listTools()).tools as unknown as Json[]
    },
  }
}
