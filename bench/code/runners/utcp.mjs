// `@utcp/code-mode` as its README says, with its own MCP client (`@utcp/mcp`).
import { CodeModeUtcpClient } from "@utcp/code-mode"
import "@utcp/mcp"
import { TOOL_SERVER } from "../paths.ts"

export async function openSubject(folder) {
  const client = await CodeModeUtcpClient.create(folder)
  const tools = { transport: "stdio", command: process.execPath, args: [TOOL_SERVER] }
  await client.registerManual({ name: "bench", call_template_type: "mcp", config: { mcpServers: { tools } } })
  const runner = {
    async run(code) {
      const { result, logs } = await client.callToolChain(code)
      if (result === null) throw new Error(logs.join("\n"))
      return result
    },
    close() {},
  }
  return {
    dialect: { call: (tool, args) => `bench.tools_${tool}(${args})`, value: (_tool, answer) => answer },
    openRunners: async count => Array.from({ length: count }, () => runner),
  }
}
