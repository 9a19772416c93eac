/** The npm peers, each started and called in the fastest way it supports for a stdio server. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toPost } from "../http-lane.ts"
import { findFreePort } from "../processes.ts"
import type { Contestant } from "./contestant.ts"
import { httpLanes, legacyRequests, type ToRequest, untilEchoes } from "./http.ts"
import { binOf, ECHO_SERVER } from "./paths.ts"

/** Over its REST route, which is quicker than its `/mcp` (that one answers over a separate SSE stream). */
export const mcpHub: Contestant = {
  name: "mcp-hub",
  role: "peer",
  async start({ processes, folder }) {
    const config = join(folder, "mcp-hub.json")
    const echo = { command: process.execPath, args: [ECHO_SERVER] }
    writeFileSync(config, JSON.stringify({ mcpServers: { echo } }))
    keepMarketplaceOffline(folder)
    const port = await findFreePort()
    const { pid, died } = processes.start([binOf("mcp-hub"), "--port", `${port}`, "--config", config], {
      cwd: folder,
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    })
    const url = new URL(`http://127.0.0.1:${port}/api/servers/tools`)
    const toRequest: ToRequest = (_id, tool) =>
      toPost(url, {}, JSON.stringify({ server_name: "echo", tool: tool.name, arguments: tool.arguments }))
    await untilEchoes(url, toRequest, died)
    return { pid, openLanes: httpLanes(url, toRequest) }
  },
}

/** mcp-hub fetches a catalogue from the internet when it starts, unless it has a fresh one. */
function keepMarketplaceOffline(folder: string): void {
  const cache = join(folder, "mcp-hub", "cache")
  mkdirSync(cache, { recursive: true })
  const registry = { version: "1", generatedAt: 0, totalServers: 1, servers: [{ id: "none", name: "none" }] }
  const content = { registry, lastFetchedAt: Date.now(), serverDocumentation: {} }
  writeFileSync(join(cache, "registry.json"), JSON.stringify(content))
}

/** Stateful: without it, it starts a process for every call. */
export const supergateway: Contestant = {
  name: "supergateway",
  role: "peer",
  async start({ processes, folder }) {
    const port = await findFreePort()
    const stdio = `"${process.execPath}" "${ECHO_SERVER}"`
    const args = ["--stdio", stdio, "--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]
    const { pid, died } = processes.start([binOf("supergateway"), ...args, "--port", `${port}`], { cwd: folder })
    const url = new URL(`http://127.0.0.1:${port}/mcp`)
    return { pid, openLanes: httpLanes(url, await legacyRequests(url, died)) }
  },
}

export const mcpProxy: Contestant = {
  name: "mcp-proxy",
  role: "peer",
  async start({ processes, folder }) {
    const port = await findFreePort()
    const args = ["--server", "stream", "--host", "127.0.0.1", "--port", `${port}`, "--no-eventStore"]
    const command = ["--", process.execPath, ECHO_SERVER]
    const { pid, died } = processes.start([binOf("mcp-proxy"), ...args, ...command], { cwd: folder })
    const url = new URL(`http://127.0.0.1:${port}/mcp`)
    return { pid, openLanes: httpLanes(url, await legacyRequests(url, died)) }
  },
}
