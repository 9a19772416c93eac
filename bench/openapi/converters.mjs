/**
 * Every converter as a function from a file to tools: `{ name, description, inputSchema, … }` as a client would list
 * them, with `method` and `path` where the converter tells them.
 */
import { readFile } from "node:fs/promises"

export const CONVERTERS = {
  async toolyard(file) {
    const { readDescription } = await import("../../packages/toolyard/src/sources/openapi/read/description.ts")
    const { toOperations } = await import("../../packages/toolyard/src/sources/openapi/convert/operations.ts")
    return async () => {
      const { tools } = toOperations(readDescription(await readFile(file, "utf8"), file))
      return tools.map(({ definition, operation }) => ({ definition, method: operation.method, id: operation.id }))
    }
  },
  async "@ivotoby/openapi-mcp-server"(file) {
    const { OpenAPISpecLoader } = await import("@ivotoby/openapi-mcp-server")
    return async () => {
      const loader = new OpenAPISpecLoader()
      const tools = loader.parseOpenAPISpec(await loader.loadOpenAPISpec(file, "file"))
      return [...tools.values()].map(({ name, description, inputSchema, httpMethod, originalPath }) => ({
        definition: { name, description, inputSchema },
        method: httpMethod,
        path: originalPath,
      }))
    }
  },
  async "openapi-mcp-generator"(file) {
    const { getToolsFromOpenApi } = await import("openapi-mcp-generator")
    return async () => {
      const tools = await getToolsFromOpenApi(file, { dereference: true })
      return tools.map(({ name, description, inputSchema, method, pathTemplate }) => ({
        definition: { name, description, inputSchema },
        method: method?.toUpperCase(),
        path: pathTemplate,
      }))
    }
  },
  async "mcp-openapi"(file) {
    const { generateTools, parseSpec } = await import("mcp-openapi")
    return async () => {
      const tools = generateTools(await parseSpec(file))
      return tools.map(({ name, description, inputSchema, endpointRef }) => ({
        definition: { name, description, inputSchema },
        method: endpointRef?.method,
        path: endpointRef?.path,
      }))
    }
  },
  async fastmcp(file) {
    const { fromOpenAPI } = await import("fastmcp/openapi")
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
    const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js")
    return async () => {
      // Nothing is ever called: only what it lists is looked at.
      const refuse = async () => new Response("{}")
      const server = await fromOpenAPI({ spec: file, fetch: refuse, maxTools: 100_000 })
      const client = new Client({ name: "bench", version: "1" })
      const [here, there] = InMemoryTransport.createLinkedPair()
      await Promise.all([server.connect(there), client.connect(here)])
      const tools = []
      let cursor
      do {
        const page = await client.listTools({ cursor })
        tools.push(...page.tools)
        cursor = page.nextCursor
      } while (cursor)
      return tools.map(definition => ({ definition }))
    }
  },
}
