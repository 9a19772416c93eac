/** The real hub on a yard of recorded catalogs, asked as an agent's client asks it. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { JsonObject } from "../../packages/toolyard/src/model/json.ts"
import type { Processes } from "../gateway/processes.ts"

const BIN = fileURLToPath(new URL("../../packages/toolyard/bin/toolyard.mjs", import.meta.url))
const VERSION = "2026-07-28"
const PATIENCE_MS = 60_000

export interface Definition extends JsonObject {
  name: string
  description?: string
  inputSchema?: unknown
}

export interface Answer {
  /** What the model reads. */
  text: string
  isError: boolean
}

export interface Hub {
  /** The tools at an address, or undefined where the hub has no such address. */
  list(path: string): Promise<Definition[] | undefined>
  call(path: string, name: string, args: unknown): Promise<Answer>
  stop(): Promise<void>
}

export async function startHub(processes: Processes, folder: string, servers: Map<string, string>): Promise<Hub> {
  const own = mkdtempSync(join(folder, "hub-"))
  const config = join(own, "toolyard.json")
  const mcpServers = Object.fromEntries([...servers].map(([name, url]) => [name, { type: "http", url }]))
  writeFileSync(config, JSON.stringify({ surface: "auto", mcpServers }))
  const { child, url, died } = processes.start(
    [BIN, "serve", "--port", "0", "--no-auth", "--json", "--config", config],
    // The user's own file would be merged in.
    { cwd: own, env: { HOME: own, XDG_CONFIG_HOME: own } },
  )
  const base = await url()
  await Promise.race([untilAllUp(base, servers.size), died])
  return {
    async list(path) {
      const reply = await ask(base, path, "tools/list", {})
      return reply && (reply.tools as Definition[])
    },
    async call(path, name, args) {
      const reply = await ask(base, path, "tools/call", { name, arguments: args })
      const content = (reply?.content ?? []) as { text?: string }[]
      return { text: content.map(({ text }) => text ?? "").join("\n"), isError: reply?.isError === true }
    },
    async stop() {
      const ended = died.catch(() => {})
      child.kill("SIGTERM")
      await ended
    },
  }
}

async function untilAllUp(base: URL, count: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const reply = (await (await fetch(new URL("/api/servers", base))).json()) as { servers: { state: string }[] }
    const up = reply.servers.filter(({ state }) => state === "up").length
    if (up === count) return
    if (Date.now() > deadline) throw new Error(`Only ${up} of ${count} servers came up`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function ask(base: URL, path: string, method: string, params: JsonObject): Promise<JsonObject | undefined> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const response = await fetch(new URL(path, base), {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": VERSION,
      "Mcp-Method": method,
      ...(typeof params.name === "string" && { "Mcp-Name": params.name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  })
  const text = await response.text()
  if (response.status === 404) return undefined
  const json = text.startsWith("{") ? text : text.split("\ndata: ").at(-1)!.trim()
  const { result, error } = JSON.parse(json) as { result?: JsonObject; error?: { message: string } }
  if (error) throw new Error(`${method} at ${path}: ${error.message}`)
  return result
}
