// The floor: an HTTP MCP server of the SDK whose `execute` is a plain function in its own process, and an SDK client to
// the tools. Nothing is isolated, checked, limited or kept.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node"
import { Server } from "@modelcontextprotocol/server"
import { functionSubject } from "../runners/function.ts"
import { openSdkClient } from "../runners/tools.ts"

const [runner] = await functionSubject(await openSdkClient()).openRunners(1)
const mcp = new Server({ name: "no sandbox", version: "1.0.0" }, { capabilities: { tools: {} } })
mcp.setRequestHandler("tools/call", async ({ params }) => {
  const value = await runner.run(params.arguments.code)
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: { value } }
})
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() })
await mcp.connect(transport)

const server = createServer((request, response) => void transport.handleRequest(request, response))
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })))
process.stdin.on("end", () => process.exit(0)).resume()
