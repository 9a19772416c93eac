/** Toolyard as a user starts it, over HTTP MCP with the type check on. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { COLUMNS } from "../columns.ts"
import type { Contestant } from "../contestant.ts"
import { TOOL_SERVER, TOOLYARD } from "../paths.ts"
import { PLAIN_DIALECT } from "../runners/tools.ts"
import { takeSample } from "../sample.ts"
import { openSession, type ToolResult, untilWorks } from "./http-mcp.ts"

export const toolyardSame = toolyard("toolyard, same script", false)
export const toolyardNew = toolyard("toolyard, new script", true)

function toolyard(name: string, isFresh: boolean): Contestant {
  return {
    name,
    role: "toolyard",
    engine: "quickjs",
    how: `end to end over HTTP MCP, type check on, ${isFresh ? "a script never seen before each time" : "the same script each time"}`,
    absent: () => (existsSync(TOOLYARD) ? undefined : "packages/toolyard/bin/toolyard.mjs is not there yet"),
    async start({ processes, folder }) {
      const config = join(folder, "toolyard.json")
      const bench = { type: "stdio", command: process.execPath, args: [TOOL_SERVER] }
      writeFileSync(config, JSON.stringify({ mcpServers: { bench } }))
      const { url, died } = processes.start(
        [TOOLYARD, "serve", "--port", "0", "--no-auth", "--json", "--config", config],
        // The user's own file would be merged in.
        { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder } },
      )
      const openRunners = await openSession(new URL("/mcp/code", await url()), { toValue })
      const subject = { dialect: PLAIN_DIALECT, openRunners, isFresh }
      await untilWorks(() => takeSample(subject, { column: COLUMNS[1]!.id, ms: 0, least: 1 }), died)
      return { measure: job => takeSample(subject, job) }
    },
  }
}

function toValue({ isError, content, structuredContent }: ToolResult): unknown {
  if (isError || structuredContent?.status !== "completed") throw new Error(content[0]?.text)
  return structuredContent.value
}
