/** The same for programs: curl, and the TypeScript and Python SDKs. Each snippet runs as it stands, but for the token. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import { META, MODERN_VERSION } from "../../../model/mcp.ts"
import type { ClientSnippet } from "./clients.ts"
import type { Place } from "./place.ts"
import { toReadableJson, toUrlPart } from "./text.ts"

export function programSnippets(place: Place): ClientSnippet[] {
  const { example } = place
  const snippets: ClientSnippet[] = [
    { client: "curl", where: "List the tools, as MCP", text: curlList(place) },
    { client: "TypeScript SDK", where: "npm install @modelcontextprotocol/client", text: typescript(place) },
    { client: "Python SDK", where: "pip install mcp", text: python(place) },
  ]
  if (example?.id !== undefined)
    snippets.splice(1, 0, { client: "curl (one tool)", where: "Call a tool without MCP", text: curlCall(place) })
  return snippets
}

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function curl(url: string, headers: string[], body: JsonObject): string {
  const lines = [`curl ${shellWord(url)}`, ...headers.map(header => `-H ${shellWord(header)}`)]
  return [...lines, `-d ${shellWord(toReadableJson(body))}`].join(" \\\n  ")
}

const tokenHeader = ({ needsToken }: Place): string[] => (needsToken ? ["Authorization: Bearer TOKEN"] : [])

function curlList(place: Place): string {
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} }
  const headers = [
    ...tokenHeader(place),
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `MCP-Protocol-Version: ${MODERN_VERSION}`,
    "Mcp-Method: tools/list",
  ]
  return curl(place.url, headers, { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } })
}

function curlCall(place: Place): string {
  const { id = "", args = {} } = place.example ?? {}
  const headers = [...tokenHeader(place), "Content-Type: application/json"]
  return curl(`${place.origin}/tools/${toUrlPart(id)}`, headers, args)
}

function typescript({ url, needsToken, example }: Place): string {
  const headers = "{ requestInit: { headers: { Authorization: `Bearer ${process.env.TOOLYARD_TOKEN}` } } }"
  const lines = [
    'import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"',
    "",
    `const url = new URL(${JSON.stringify(url)})`,
    needsToken
      ? `const transport = new StreamableHTTPClientTransport(url, ${headers})`
      : "const transport = new StreamableHTTPClientTransport(url)",
    'const client = new Client({ name: "my-app", version: "1.0.0" })',
    "await client.connect(transport)",
    "",
    "const { tools } = await client.listTools()",
    "console.log(tools.map(tool => tool.name))",
  ]
  if (example) {
    const { tool, args } = example
    lines.push(
      `console.log(await client.callTool({ name: ${JSON.stringify(tool)}, arguments: ${toReadableJson(args)} }))`,
    )
  }
  return [...lines, "await client.close()"].join("\n")
}

function python({ url, needsToken, example }: Place): string {
  const lines = [
    "import asyncio",
    ...(needsToken ? ["import os"] : []),
    "from mcp import ClientSession",
    "from mcp.client.streamable_http import streamablehttp_client",
    "",
    `url = ${JSON.stringify(url)}`,
    needsToken ? `headers = {"Authorization": f"Bearer {os.environ['TOOLYARD_TOKEN']}"}` : "headers = {}",
    "",
    "async def main():",
    "    async with streamablehttp_client(url, headers=headers) as (read, write, _):",
    "        async with ClientSession(read, write) as session:",
    "            await session.initialize()",
    "            print([tool.name for tool in (await session.list_tools()).tools])",
  ]
  if (example) {
    const { tool, args } = example
    lines.push(`            print(await session.call_tool(${JSON.stringify(tool)}, ${toPython(args)}))`)
  }
  return [...lines, "", "asyncio.run(main())"].join("\n")
}

function toPython(value: unknown): string {
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item)}`)
    return `{${pairs.join(", ")}}`
  }
  return JSON.stringify(value)
}
