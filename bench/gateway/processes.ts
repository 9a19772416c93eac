/** Starts every contestant in a process group of its own, and leaves nothing behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { type AddressInfo, createServer } from "node:net"
import { treeOf } from "./proc.ts"

export interface Processes {
  /** Starts `node ARGS` and reads its output to the end; the last lines explain a failure. */
  start(args: string[], options: StartOptions): Started
  /** Ends all of them, politely first. */
  close(): Promise<void>
  /** Ends all of them at once; for the exit handler, where nothing can be awaited. */
  kill(): void
}

export interface StartOptions {
  cwd: string
  env?: Record<string, string>
  /** Takes stdout for itself. */
  ownStdout?: boolean
}

export interface Started {
  child: ChildProcess
  pid: number
  /** The first line of stdout that is a JSON object with `url`. */
  url(): Promise<URL>
  /** Rejects with the last lines of output when the process ends. */
  died: Promise<never>
}

const PATIENCE_MS = 3000

export function openProcesses(): Processes {
  const running = new Set<Started>()

  const start: Processes["start"] = (args, options) => {
    const child = spawn(process.execPath, args, {
      cwd: options.cwd,
      env: { ...process.env, NODE_ENV: "production", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    const tail: string[] = []
    const lines = new Set<(line: string) => void>()
    const read = (stream: NodeJS.ReadableStream): void => {
      let rest = ""
      stream.setEncoding("utf8")
      stream.on("data", (chunk: string) => {
        const parts = (rest + chunk).split("\n")
        rest = parts.pop() ?? ""
        for (const line of parts) {
          if (tail.push(line) > 20) tail.shift()
          for (const listener of lines) listener(line)
        }
      })
    }
    if (!options.ownStdout) read(child.stdout)
    read(child.stderr)
    child.stdin.on("error", () => {})

    const died = new Promise<never>((_, reject) => {
      child.on("error", reject)
      child.on("exit", (code, signal) => reject(new Error(`It ended (${signal ?? code}):\n${tail.join("\n")}`)))
    })
    died.catch(() => {})
    const url = (): Promise<URL> => {
      const printed = new Promise<URL>(resolve => lines.add(line => void toUrl(line, resolve)))
      return Promise.race([printed, died])
    }
    const started: Started = { child, pid: child.pid ?? -1, url, died }
    running.add(started)
    return started
  }

  const kill = (): void => {
    for (const { pid } of running) {
      const others = treeOf(pid)
      signal(-pid, "SIGKILL")
      for (const other of others) signal(other, "SIGKILL")
    }
    running.clear()
  }

  const close = async (): Promise<void> => {
    // Looked up now: a child that outlives its parent can't be found from it any more.
    const all = [...running].flatMap(({ pid }) => treeOf(pid))
    const ended = [...running].map(({ child, pid }) => {
      if (child.exitCode !== null || child.signalCode !== null) return undefined
      const exit = new Promise(resolve => child.once("exit", resolve))
      child.stdin?.end()
      signal(pid, "SIGTERM")
      return exit
    })
    const patience = new Promise(resolve => setTimeout(resolve, PATIENCE_MS).unref())
    await Promise.race([Promise.all(ended), patience])
    kill()
    for (const pid of all) signal(pid, "SIGKILL")
  }

  return { start, close, kill }
}

function toUrl(line: string, found: (url: URL) => void): void {
  if (!line.startsWith("{")) return
  try {
    const { url } = JSON.parse(line) as { url?: unknown }
    if (typeof url === "string") found(new URL(url))
  } catch {
    // Some other line that only looks like JSON.
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already.
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
