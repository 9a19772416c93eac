/** `executor` as a user starts it, over its own MCP. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findFreePort } from "../../gateway/processes.ts"
import type { Dialect } from "../columns.ts"
import type { Contestant, StartContext } from "../contestant.ts"
import { TOOL_SERVER } from "../paths.ts"
import { takeSample } from "../sample.ts"
import { openSession, type ToolResult, untilWorks } from "./http-mcp.ts"

const TOKEN = "bench"
const DIALECT: Dialect = {
  call: (tool, args) => `tools.bench.org.main.${tool}(${args})`,
  value(tool, answer) {
    const text = `${answer}.data.content[0].text`
    return tool === "rows" ? `JSON.parse(${text})` : text
  },
}

/** It starts a stdio server anew for each call. */
export const executorStdio: Contestant = {
  ...executor("executor, stdio", "one of its stdio integrations", async () => ({
    transport: "stdio",
    command: process.execPath,
    args: [TOOL_SERVER],
  })),
  isSlow: true,
}

/** A remote server spares it that, so this is the one that the goals look at. */
export const executorHttp = executor("executor", "a remote integration", async ({ processes, folder }) => {
  const { url } = processes.start([TOOL_SERVER, "--http"], { cwd: folder })
  return { transport: "remote", endpoint: `${await url()}`, remoteTransport: "streamable-http" }
})

function executor(name: string, tools: string, openTools: (context: StartContext) => Promise<object>): Contestant {
  return {
    name,
    role: "peer",
    engine: "quickjs",
    how: `end to end over its HTTP MCP, the tools as ${tools}`,
    async start(context) {
      const { processes, folder } = context
      const port = await findFreePort()
      const args = ["web", "--port", `${port}`, "--auth-token", TOKEN, "--scope", folder]
      const { died } = processes.start([binOf("executor"), ...args], {
        cwd: folder,
        env: { HOME: folder, EXECUTOR_DATA_DIR: join(folder, "data"), EXECUTOR_SCOPE_DIR: folder, DO_NOT_TRACK: "1" },
      })
      const base = `http://127.0.0.1:${port}`
      await untilWorks(() => ask(base, "/api/integrations"), died)
      await ask(base, "/api/mcp/servers", { ...(await openTools(context)), name: "bench", slug: "bench" })
      const connection = { owner: "org", integration: "bench", name: "main", template: "none", value: "" }
      await ask(base, "/api/connections", connection)
      const headers = { Authorization: `Bearer ${TOKEN}` }
      const openRunners = await openSession(new URL("/mcp", base), { headers, toValue })
      return { measure: job => takeSample({ dialect: DIALECT, openRunners }, job) }
    },
  }
}

function toValue({ isError, content, structuredContent }: ToolResult): unknown {
  if (isError || structuredContent?.status !== "completed") throw new Error(content[0]?.text)
  return structuredContent.result
}

async function ask(base: string, path: string, body?: object): Promise<void> {
  const response = await fetch(base + path, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

function binOf(peer: string): string {
  const file = fileURLToPath(new URL(`../../node_modules/${peer}/package.json`, import.meta.url))
  const { bin } = createRequire(import.meta.url)(file) as { bin: Record<string, string> }
  return join(dirname(file), bin[peer] ?? "")
}
