/** Serves recorded catalogs as MCP servers over HTTP, one path each, in one process: a hundred servers are no load. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { JsonObject } from "../../packages/toolyard/src/model/json.ts"
import { plausibleResult, type Tool } from "./plausible.ts"

export interface CatalogServers {
  /** Makes a server of these tools, and gives its address. */
  add(tools: Tool[]): string
  close(): void
}

interface Message {
  id?: string | number
  method: string
  params: { protocolVersion: string; name: string }
}

export async function openCatalogServers(): Promise<CatalogServers> {
  const catalogs = new Map<string, Tool[]>()
  const server = createServer((request, response) => {
    const tools = catalogs.get(request.url ?? "")
    if (request.method !== "POST" || !tools) return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    request.on("data", chunk => chunks.push(chunk))
    request.on("end", () => {
      const message = JSON.parse(`${Buffer.concat(chunks)}`) as Message
      if (message.id === undefined) return void response.writeHead(202).end()
      const reply = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message, tools) })
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
      response.end(reply)
    })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    add(tools) {
      const path = `/${catalogs.size}`
      catalogs.set(path, tools)
      return `http://127.0.0.1:${port}${path}`
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer({ method, params }: Message, tools: Tool[]): JsonObject {
  if (method === "initialize") {
    const serverInfo = { name: "catalog", version: "1.0.0" }
    return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } }
  }
  if (method === "ping") return { result: {} }
  if (method === "tools/list") return { result: { tools } }
  const tool = method === "tools/call" ? tools.find(({ name }) => name === params.name) : undefined
  return tool ? { result: plausibleResult(tool) } : { error: { code: -32601, message: "Method not found" } }
}
