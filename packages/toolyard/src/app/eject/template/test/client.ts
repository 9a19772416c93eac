/** Starts the server as a client would, and speaks MCP with it over stdin and stdout. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

type Json = Record<string, unknown>

export interface Client {
  /** Gives the result, or throws what the server answered as an error. */
  request(method: string, params?: Json): Promise<Json>
  close(): void
}

export async function connect(env: Record<string, string> = {}): Promise<Client> {
  const file = fileURLToPath(new URL("../src/server.ts", import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const waiting = new Map<number, (answer: Json) => void>()
  let last = 0
  createInterface({ input: child.stdout }).on("line", line => {
    const answer = JSON.parse(line) as Json
    waiting.get(answer.id as number)?.(answer)
  })
  child.on("exit", code => {
    for (const settle of waiting.values()) settle({ error: { message: `the server ended with exit code ${code}` } })
  })
  const write = (message: Json): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request: Client["request"] = async (method, params = {}) => {
    const id = ++last
    const answer = await new Promise<Json>(resolve => {
      waiting.set(id, resolve)
      write({ id, method, params })
    })
    waiting.delete(id)
    if (answer.error) throw new Error((answer.error as { message: string }).message)
    return answer.result as Json
  }
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  })
  write({ method: "notifications/initialized" })
  return { request, close: () => void child.stdin.end() }
}

export function textOf({ content }: Json): string {
  return (content as { text?: string }[]).map(({ text }) => text ?? "").join("\n")
}
