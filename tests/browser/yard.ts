/** The yard that the pages are looked at with: servers from npm, one of our own, one that fails, one that is off. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { type Hub, rawServer, startHub, tempFolder } from "../fixtures/hub.ts"

const require = createRequire(import.meta.url)

const npmServer = (name: string, ...args: string[]): object => {
  const folder = dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`))
  return { command: process.execPath, args: [join(folder, "dist/index.js"), ...args] }
}

export const PAGES = [
  "/mcp",
  "/mcp/all",
  "/mcp/code",
  "/mcp/everything",
  "/mcp/meta/everything",
  "/mcp/meta/files",
  "/mcp/meta/files?tool=edit_file",
  "/mcp/meta/memory",
  "/mcp/raw",
  "/mcp/meta/raw",
  "/mcp/meta/broken",
  "/mcp/off",
  "/mcp/meta/off",
]

export async function startYard(): Promise<Hub> {
  const hub = await startHub({
    mcpServers: {
      everything: { ...npmServer("server-everything"), description: "Every feature of the protocol once." },
      files: npmServer("server-filesystem", tempFolder()),
      memory: npmServer("server-memory"),
      raw: rawServer(),
      broken: rawServer("--exit-at-once"),
      off: { ...rawServer(), enabled: false, description: "Not today." },
    },
    policy: {
      rules: [
        { match: "files__move_file", do: "deny" },
        { match: "files__write_file", do: "ask" },
      ],
    },
  })
  await hub.waitUp("everything", "files", "memory", "raw")
  return hub
}
