/** The hub as a client's own child: `toolyard stdio`, a line a message. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { BIN, tempFolder } from "../fixtures/hub.ts"
import type { Json, Message } from "./mcp-stage.ts"
import { request } from "./mcp-wire.ts"

export interface StdioHub {
  readonly pid: number
  send(message: Json | string): void
  /** The next answer that it writes; what it says without being asked (a list changed, say) is passed over. */
  next(): Promise<Message>
  initialize(version?: string, capabilities?: Json): Promise<Message>
  /** Ends its input, as a client does that leaves; gives the exit code. */
  close(): Promise<number | null>
}

export function openStdioHub(config: object, args: string[] = []): StdioHub {
  const folder = tempFolder()
  writeFileSync(join(folder, "toolyard.json"), JSON.stringify(config))
  const child = spawn(process.execPath, [BIN, "stdio", "--config", join(folder, "toolyard.json"), ...args], {
    cwd: folder,
    stdio: ["pipe", "pipe", "ignore"],
  })
  const exited = once(child, "exit")
  const heard: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  createInterface({ input: child.stdout }).on("line", line => {
    const message = JSON.parse(line) as Message
    if (message.method !== undefined) return
    const next = waiting.shift()
    if (next) next(message)
    else heard.push(message)
  })
  child.stdin.on("error", () => {})
  const hub: StdioHub = {
    pid: child.pid as number,
    send: message => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    next: () =>
      new Promise(resolve => {
        const first = heard.shift()
        if (first) resolve(first)
        else waiting.push(resolve)
      }),
    async initialize(version = "2025-11-25", capabilities = {}) {
      const params = { protocolVersion: version, capabilities, clientInfo: { name: "test", version: "1" } }
      hub.send(request("initialize", params, "init"))
      const answer = await hub.next()
      hub.send({ jsonrpc: "2.0", method: "notifications/initialized" })
      return answer
    },
    async close() {
      child.stdin.end()
      const [code] = await exited
      return code as number | null
    },
  }
  return hub
}
