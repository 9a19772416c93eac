// The MCP SDK's own streamable HTTP server with the same two tools and no gateway: what a client of an SDK server
// pays anyway. Defaults throughout, one session.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node"
import { Server } from "@modelcontextprotocol/server"

const mcp = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } })
mcp.setRequestHandler("tools/call", ({ params }) => {
  const text = params.name === "big" ? "x".repeat(params.arguments.bytes) : params.arguments.text
  return { content: [{ type: "text", text }] }
})
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() })
await mcp.connect(transport)

const server = createServer((request, response) => void transport.handleRequest(request, response))
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
process.stdin.on("end", () => process.exit(0)).resume()
