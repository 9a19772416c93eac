/** The tool server, for those that have no client of their own. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { Dialect } from "../columns.ts"
import { TOOL_SERVER } from "../paths.ts"

/** Gives the value of a result as code-mode libraries do: JSON where the text is JSON, else the text. */
export type CallTool = (tool: string, args: unknown) => Promise<unknown>

/** `tools.bench.echo({ … })` gives the value itself. */
export const PLAIN_DIALECT: Dialect = {
  call: (tool, args) => `tools.bench.${tool}(${args})`,
  value: (_tool, answer) => answer,
}

export async function openSdkClient(): Promise<CallTool> {
  const client = new Client({ name: "bench", version: "1.0.0" })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [TOOL_SERVER] }))
  return async (name, args) => {
    const { content } = await client.callTool({ name, arguments: args as Record<string, unknown> })
    return toValue((content as { text: string }[])[0]!.text)
  }
}

/** The pipes and nothing else: what a call to this server costs at least. */
export async function openBareClient(): Promise<CallTool> {
  const child = spawn(process.execPath, [TOOL_SERVER], { stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<number, (text: string) => void>()
  createInterface({ input: child.stdout }).on("line", line => {
    const { id, result } = JSON.parse(line) as { id: number; result: { content: { text: string }[] } }
    waiting.get(id)?.(result.content[0]!.text)
    waiting.delete(id)
  })
  let lastId = 0
  return async (name, args) => {
    lastId += 1
    const answered = new Promise<string>(resolve => waiting.set(lastId, resolve))
    const params = { name, arguments: args }
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "tools/call", params })}\n`)
    return toValue(await answered)
  }
}

function toValue(text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
