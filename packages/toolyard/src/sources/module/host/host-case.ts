/** For tests: a real host process of files that are written for it, and a hub's end of its pipes. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import type { JsonObject } from "../../../model/json.ts"

const MAIN = resolve(import.meta.dirname, "main.ts")
const PACKAGES = resolve(import.meta.dirname, "../../../../../../node_modules")

export interface HostCase extends AsyncDisposable {
  readonly folder: string
  /** The whole answer to a request. */
  request(method: string, params?: JsonObject): Promise<JsonObject>
  /** The result of a `tools/call`; `meta` may hold a progress token. */
  call(name: string, args?: JsonObject, meta?: JsonObject): Promise<JsonObject>
  /** The same, not waited for: the id is what can be cancelled. */
  begin(name: string, args?: JsonObject, meta?: JsonObject): { id: number; answer: Promise<JsonObject> }
  send(message: JsonObject): void
  write(text: string): void
  /** Closes the host's input, as a hub that ends does. */
  end(): void
  /** The next message of that method from the host, which may have come already; "" for an answer to nothing. */
  next(method: string): Promise<JsonObject>
  /** How many of that method have come that nobody took. */
  waiting(method: string): number
  stderr(): string
  readonly exited: Promise<number | null>
}

export function writeFiles(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-host-")))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Starts a host in a folder of those files; the first is the module unless `args` say otherwise. */
export function startHost(files: Record<string, string>, args?: string[]): HostCase {
  const folder = writeFiles(files)
  symlinkSync(PACKAGES, join(folder, "node_modules"))
  return openHost(folder, args ?? [Object.keys(files)[0] as string])
}

export function openHost(folder: string, args: string[]): HostCase {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: "pipe" })
  let stderr = ""
  child.stderr.on("data", chunk => {
    stderr += chunk
  })
  child.stdin.on("error", () => {})
  const answers = new Map<unknown, (message: JsonObject) => void>()
  const arrived: JsonObject[] = []
  const wanted: { method: string; resolve: (message: JsonObject) => void }[] = []
  createInterface({ input: child.stdout }).on("line", line => {
    const message = JSON.parse(line) as JsonObject
    const answered = message.method === undefined ? answers.get(message.id) : undefined
    if (answered) {
      answered(message)
      return
    }
    const index = wanted.findIndex(({ method }) => method === (message.method ?? ""))
    if (index === -1) arrived.push(message)
    else wanted.splice(index, 1)[0]?.resolve(message)
  })
  let lastId = 0
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const ask = (method: string, params: JsonObject): { id: number; answer: Promise<JsonObject> } => {
    const id = ++lastId
    const answer = new Promise<JsonObject>(resolve => answers.set(id, resolve))
    send({ id, method, params })
    return { id, answer }
  }
  const exited = new Promise<number | null>(resolve => child.on("close", code => resolve(code)))

  return {
    folder,
    send,
    write: text => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    exited,
    stderr: () => stderr,
    request: (method, params = {}) => ask(method, params).answer,
    begin: (name, args = {}, meta = {}) => ask("tools/call", { name, arguments: args, _meta: meta }),
    async call(name, args = {}, meta = {}) {
      const { result, error } = await ask("tools/call", { name, arguments: args, _meta: meta }).answer
      if (!result) throw new Error(JSON.stringify(error))
      return result as JsonObject
    },
    next(method) {
      const index = arrived.findIndex(message => (message.method ?? "") === method)
      const found = index === -1 ? undefined : arrived.splice(index, 1)[0]
      return found ? Promise.resolve(found) : new Promise(resolve => wanted.push({ method, resolve }))
    },
    waiting: method => arrived.filter(message => message.method === method).length,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function textOf(result: JsonObject): string {
  return (result.content as JsonObject[]).map(({ text }) => text).join("")
}
