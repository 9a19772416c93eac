/** Runs the built command line as a user would: real processes, in a folder and a home of their own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The build, or another installation that is to be tested. */
export const BIN = process.env.TOOLYARD_BIN ?? path("../../packages/toolyard/bin/toolyard.mjs")
export const SERVER = path("../fixtures/cli-server.mjs")

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  input?: string
  cwd?: string
}

export interface HubLine {
  url: string
  mcp: string
  token?: string
  pid: number
  servers: string[]
}

/** An entry that starts the test server with these flags. */
export const entry = (...flags: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [SERVER, ...flags],
})

export type Place = ReturnType<typeof openPlace>

/** A folder of its own, and the processes that were started in it; `close` ends all of them. */
export function openPlace() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolyard-cli-")))
  const folder = join(base, "project")
  mkdirSync(folder)
  const children = new Set<ChildProcess>()

  const start = (args: string[], { env = {}, input, cwd = folder }: RunOptions = {}) => {
    const { PATH = "" } = process.env
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd,
      env: { PATH, HOME: base, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    })
    children.add(child)
    child.once("exit", () => children.delete(child))
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text
    })
    child.stdin.on("error", () => {})
    if (input !== undefined) child.stdin.end(input)
    const ended = once(child, "close").then(([code]): Ran => ({ code: code as number | null, ...output }))
    return { child, ended, output }
  }

  return {
    base,
    folder,
    start,
    write(name: string, content: unknown): string {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2))
      return file
    },
    read: (name: string): string => readFileSync(join(folder, name), "utf8"),
    has: (name: string): boolean => existsSync(join(folder, name)),
    configure(mcpServers: Record<string, unknown>, rest: Record<string, unknown> = {}): string {
      return this.write("toolyard.json", { mcpServers, ...rest })
    },
    /** Runs a command to its end. */
    cli: (args: string[], options: RunOptions = {}): Promise<Ran> => start(args, { input: "", ...options }).ended,
    /** Starts a hub on a free port and waits for its line. */
    async serve(args: string[] = [], options: RunOptions = {}) {
      const running = start(["serve", "--port", "0", ...args], options)
      const line = new Promise<string>((resolve, reject) => {
        createInterface({ input: running.child.stdout }).once("line", resolve)
        void running.ended.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}:\n${stderr}`)))
      })
      return { ...running, line: JSON.parse(await line) as HubLine }
    },
    async close(): Promise<void> {
      await Promise.all(
        [...children].map(async child => {
          const exited = once(child, "exit")
          child.kill("SIGKILL")
          await exited
        }),
      )
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Hears what the test servers that were started with its flag have to tell. */
export async function openWitness() {
  const heard: { pid: number; what: string }[] = []
  const closings: Promise<unknown>[] = []
  let look = (): void => {}
  const server = createServer(socket => {
    socket.on("error", () => {})
    closings.push(new Promise(resolve => socket.once("close", resolve)))
    createInterface({ input: socket }).on("line", line => {
      heard.push(JSON.parse(line))
      look()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    flag: `--tell=${(server.address() as AddressInfo).port}`,
    heard,
    /** Waits until one of them tells this, and gives its process. */
    until: (what: string): Promise<number> =>
      new Promise(resolve => {
        look = () => {
          const found = heard.find(one => one.what === what)
          if (found) resolve(found.pid)
        }
        look()
      }),
    /** True once every process that ever spoke is gone, since the kernel closes its socket; false when it takes too long. */
    gone: (): Promise<boolean> =>
      new Promise(resolve => {
        const timer = setTimeout(() => resolve(false), 10_000)
        void Promise.all(closings).then(() => {
          clearTimeout(timer)
          resolve(true)
        })
      }),
    close: () => server.close(),
  }
}
