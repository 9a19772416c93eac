/** Toolyard as a user starts it, asked by clients of both eras. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Contestant } from "./contestant.ts"
import { httpLanes, legacyRequests, modernRequests } from "./http.ts"
import { ECHO_SERVER, TOOLYARD } from "./paths.ts"

export const toolyardLegacy = toolyard("toolyard legacy", legacyRequests)
export const toolyardModern = toolyard("toolyard modern", modernRequests)

function toolyard(name: string, openRequests: typeof legacyRequests): Contestant {
  return {
    name,
    role: "toolyard",
    absent: () => (existsSync(TOOLYARD) ? undefined : "packages/toolyard/bin/toolyard.mjs is not there yet"),
    async start({ processes, folder }) {
      const config = join(folder, "toolyard.json")
      const echo = { type: "stdio", command: process.execPath, args: [ECHO_SERVER] }
      writeFileSync(config, JSON.stringify({ mcpServers: { echo } }))
      const { pid, url, died } = processes.start(
        [TOOLYARD, "serve", "--port", "0", "--no-auth", "--config", config],
        // The user's own file would be merged in.
        { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder } },
      )
      const address = new URL("/mcp/echo", await url())
      return { pid, openLanes: httpLanes(address, await openRequests(address, died)) }
    },
  }
}
