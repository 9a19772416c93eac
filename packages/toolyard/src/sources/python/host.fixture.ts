/** The real Python host with a file of the test's own, spoken to over its pipes. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { isObject, type JsonObject } from "../../model/json.ts"
import { pythonCommand } from "./launch.ts"

/** The Python to test with: any version that the host serves. */
const PYTHON = process.env.TOOLYARD_TEST_PYTHON ?? pythonCommand("").command

export const hasPython =
  spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { stdio: "ignore" }).status === 0

export interface Message extends JsonObject {
  id?: number | string | null
  method?: string
  params?: JsonObject
  result?: JsonObject
  error?: { code: number; message: string; data?: unknown }
}

export interface Tool extends JsonObject {
  name: string
  inputSchema: JsonObject
}

export interface TestHost {
  readonly folder: string
  readonly child: ChildProcessWithoutNullStreams
  /** Everything that came without having been asked for. */
  readonly heard: Message[]
  stderr(): string
  send(message: unknown): void
  raw(line: string | Buffer): void
  request(method: string, params?: JsonObject): Promise<Message>
  /** The id of a `tools/call` whose answer is awaited with `answer`. */
  start(name: string, args?: JsonObject, meta?: JsonObject): number
  answer(id: number | string | null): Promise<Message>
  call(name: string, args?: JsonObject, meta?: JsonObject): Promise<JsonObject>
  tools(): Promise<Map<string, Tool>>
  /** Resolves with the next message that came by itself and that the test wants, also one that is there already. */
  hear(wanted: (message: Message) => boolean): Promise<Message>
  exit(): Promise<number | null>
  close(): Promise<void>
}

export function openHost(files: Record<string, string | Buffer>, main = Object.keys(files)[0] as string): TestHost {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-python-")))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const { command, args } = pythonCommand(join(folder, main), PYTHON)
  const child = spawn(command, args, { cwd: folder, stdio: "pipe" })
  const exited = once(child, "close").then(([code]) => code as number | null)
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk
  })
  child.stdin.on("error", () => {})
  const answers = new Map<unknown, Message>()
  const waiting = new Map<unknown, (message: Message) => void>()
  const heard: Message[] = []
  const listeners = new Set<(message: Message) => void>()
  createInterface({ input: child.stdout }).on("line", line => {
    const message = JSON.parse(line) as Message
    if (message.method === undefined) {
      const resolve = waiting.get(message.id)
      if (resolve) resolve(message)
      else answers.set(message.id, message)
      return
    }
    heard.push(message)
    for (const listener of listeners) listener(message)
  })
  let next = 1
  const raw = (line: string | Buffer): void =>
    void child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]))
  const host: TestHost = {
    folder,
    child,
    heard,
    stderr: () => errors,
    raw,
    send: message => raw(JSON.stringify(message)),
    request(method, params) {
      const id = next++
      host.send({ jsonrpc: "2.0", id, method, params })
      return host.answer(id)
    },
    start(name, args = {}, meta) {
      const id = next++
      host.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: meta } })
      return id
    },
    answer(id) {
      const there = answers.get(id)
      answers.delete(id)
      if (there) return Promise.resolve(there)
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve)
        void exited.then(code => reject(new Error(`the host ended with ${code}: ${errors}`)))
      })
    },
    async call(name, args, meta) {
      const { result, error } = await host.answer(host.start(name, args, meta))
      if (!result) throw new Error(JSON.stringify(error))
      return result
    },
    async tools() {
      const { result } = await host.request("tools/list")
      return new Map((result as { tools: Tool[] }).tools.map(tool => [tool.name, tool]))
    },
    hear(wanted) {
      const there = heard.find(wanted)
      if (there) return Promise.resolve(there)
      return new Promise(resolve => {
        const listener = (message: Message): void => {
          if (!wanted(message)) return
          listeners.delete(listener)
          resolve(message)
        }
        listeners.add(listener)
      })
    },
    exit: () => exited,
    async close() {
      child.kill("SIGKILL")
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return host
}

export function textOf(result: JsonObject): string {
  const content = Array.isArray(result.content) ? result.content : []
  return content.map(block => (isObject(block) && typeof block.text === "string" ? block.text : "")).join("")
}
