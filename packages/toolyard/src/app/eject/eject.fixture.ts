/** For tests: a project to eject from, and what comes out, started and asked as a client would. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import type { JsonObject } from "../../model/json.ts"
import { type Ejected, ejectServer } from "./eject.ts"

const MODULES = resolve(import.meta.dirname, "../../../../../node_modules")

export type Yard = ReturnType<typeof openYard>

export function openYard(mcpServers: Record<string, unknown>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "eject-")))
  const root = join(base, "project")
  const write = (name: string, content: unknown): string => {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
    return file
  }
  const config = write("toolyard.json", { mcpServers })
  return {
    root,
    write,
    /** Makes a package of ours one of the project's. */
    link(name: string): void {
      mkdirSync(join(root, "node_modules"), { recursive: true })
      symlinkSync(join(MODULES, name), join(root, "node_modules", name))
    },
    async eject(server: string, options: { env?: NodeJS.ProcessEnv; force?: boolean; folder?: string } = {}) {
      const { env = {}, force = false, folder = join(base, `out-${server}`) } = options
      const { signal } = new AbortController()
      const ejected = await ejectServer({ cwd: root, file: config, env, server, folder, force, signal })
      return openEjected(ejected)
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}

export function openEjected(ejected: Ejected) {
  const { folder } = ejected
  // A folder of links, as an installation would have it: others may be added.
  const modules = join(folder, "node_modules")
  mkdirSync(modules, { recursive: true })
  for (const name of ["@modelcontextprotocol", "@types", "zod"]) symlinkSync(join(MODULES, name), join(modules, name))
  const read = (path: string): string => readFileSync(join(folder, path), "utf8")
  return {
    ...ejected,
    read,
    tools: JSON.parse(read("tools.json")) as JsonObject[],
    use: (root: string, name: string): void => symlinkSync(join(root, "node_modules", name), join(modules, name)),
    /** Every file of it as one text. */
    everything: (): string => ejected.files.map(path => `${path}\n${read(path)}`).join("\n"),
    /** What `npm test` does. */
    test() {
      const env = { PATH: process.env.PATH }
      const args = ["--test", "--test-reporter=tap", "test/*.test.ts"]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env })
      const count = (what: string): number => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1])
      return { status, pass: count("pass"), fail: count("fail"), output: `${stdout}\n${stderr}` }
    },
    /** What `npm run check` says. */
    check(): string {
      const tsc = join(MODULES, "typescript/bin/tsc")
      return spawnSync(process.execPath, [tsc, "--noEmit"], { cwd: folder, encoding: "utf8" }).stdout
    },
    start: (env: Record<string, string> = {}) => startServer(folder, env),
    startHttp: () => startHttp(folder),
  }
}

/** Speaks the older era, raw, so that nothing is changed on the way. */
function startServer(folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ["src/server.ts"], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  })
  const waiting = new Map<number, (answer: JsonObject) => void>()
  const notices: JsonObject[] = []
  createInterface({ input: child.stdout }).on("line", line => {
    const message = JSON.parse(line) as JsonObject
    const settle = waiting.get(message.id as number)
    if (settle) settle(message)
    else notices.push(message)
  })
  let last = 0
  const send = (message: JsonObject): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const ask = (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const id = ++last
    return new Promise(settle => {
      waiting.set(id, settle)
      send({ id, method, params })
    })
  }
  const clientInfo = { name: "test", version: "1" }
  const ready = ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
  return {
    ready,
    notices,
    async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
      await ready
      const { result, error } = await ask(method, params)
      return (result ?? { error }) as JsonObject
    },
    async call(name: string, args: JsonObject = {}): Promise<JsonObject> {
      await ready
      const { result, error } = await ask("tools/call", { name, arguments: args, _meta: { progressToken: "p" } })
      return (result ?? { error }) as JsonObject
    },
    async [Symbol.asyncDispose]() {
      const gone = new Promise(resolve => child.once("exit", resolve))
      child.stdin.end()
      await gone
    },
  }
}

/** Its address is what it says on stderr. */
async function startHttp(folder: string) {
  const child = spawn(process.execPath, ["src/server.ts", "--http", "0"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  })
  const url = await new Promise<string>(resolve => createInterface({ input: child.stderr }).once("line", resolve))
  return {
    post(body: JsonObject, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
      const accept = "application/json, text/event-stream"
      return new Promise((resolve, reject) => {
        const all = { "content-type": "application/json", accept, ...headers }
        const sent = request(url, { method: "POST", headers: all }, response => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk
          })
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
        })
        sent.on("error", reject).end(JSON.stringify(body))
      })
    },
    async [Symbol.asyncDispose]() {
      const gone = new Promise(resolve => child.once("exit", resolve))
      child.kill()
      await gone
    },
  }
}
