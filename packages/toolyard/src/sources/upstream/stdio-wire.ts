/** A child process that speaks one JSON-RPC message a line, in a process group of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import type { StdioEntry } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { childEnv } from "./child-env.ts"
import { lineSplitter } from "./line-splitter.ts"
import type { OutputTail } from "./output-tail.ts"
import { endProcessGroup } from "./process-group.ts"
import type { Watchdog } from "./watchdog.ts"
import { type Outgoing, parseMessage, type Wire, type WireEvents } from "./wire.ts"

/** A line longer than this is not kept; the call it answers fails with a typed error. */
const MAX_LINE_BYTES = 128 * 1024 * 1024

/** How long the last output of a process that has ended is waited for. */
const DRAIN_MS = 200

/** How much may wait for a server that does not read its input. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

export async function openStdioWire(
  entry: StdioEntry,
  events: WireEvents,
  output: OutputTail,
  watchdog: Watchdog,
): Promise<Wire> {
  await watchdog.turn()
  const child = await spawnChild(entry)
  const group = child.pid as number
  watchdog.add(group)
  let ending: Promise<void> | undefined
  let closed = false

  const close = (): Promise<void> => {
    ending ??= endProcessGroup(child, group).finally(() => watchdog.remove(group))
    return ending
  }
  const gone = (reason: string): void => {
    if (closed) return
    closed = true
    // What the leader left behind in its group goes with it.
    void close()
    events.closed(new YardError("upstream_crashed", `the process of the server ${reason}`))
  }

  const split = lineSplitter(
    MAX_LINE_BYTES,
    line => {
      let message: ReturnType<typeof parseMessage>
      try {
        message = parseMessage(line)
      } catch {
        if (line.trim() !== "") output.push(Buffer.from(`[not JSON on stdout] ${line.slice(0, 2000)}\n`))
        return
      }
      events.message(message)
    },
    (head, tail, bytes) => {
      output.push(Buffer.from(`[a line of ${bytes} bytes on stdout was not kept]\n`))
      const id = idOfOversized(head, tail)
      if (id !== undefined) {
        events.failed(
          id,
          new YardError(
            "upstream_bad_reply",
            `the server answered with one line of ${bytes} bytes; the limit is ${MAX_LINE_BYTES}`,
          ),
        )
      }
    },
  )
  child.stdout?.on("data", split)
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk))
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {})
  // What the server wrote last may still be in its pipes when its end is known: an answer, or the reason on stderr.
  // It is waited for, but not for long: a process that it left behind may hold them open.
  let reason = "closed its output"
  const goneSoon = (): void => void setTimeout(() => setImmediate(() => gone(reason)), DRAIN_MS)
  child.on("exit", (code, signal) => {
    reason = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
    goneSoon()
  })
  child.on("close", () => gone(reason))
  // A server that closes its output can never answer again, even if it lives on.
  child.stdout?.on("end", goneSoon)

  let queued = ""
  const flush = (): void => {
    if (queued === "") return
    const lines = queued
    queued = ""
    child.stdin?.write(lines)
  }

  return {
    exchanges: false,
    pid: group,
    send(message: Outgoing) {
      const line = `${JSON.stringify(message)}\n`
      if (closed) return
      if (queued.length + (child.stdin?.writableLength ?? 0) > MAX_UNREAD_BYTES) {
        throw new YardError("overloaded", "the server does not read what it is sent")
      }
      // All that is sent in one turn of the event loop goes out in one write.
      if (queued === "") setImmediate(flush)
      queued += line
    },
    flush,
    close() {
      closed = true
      return close()
    },
  }
}

function spawnChild(entry: StdioEntry): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const missing = error.code === "ENOENT"
      reject(
        new YardError(
          "server_down",
          missing
            ? `the command ${entry.command} was not found`
            : `the command ${entry.command} could not be started: ${error.message}`,
          {
            ...(missing && { hint: "Check `command` and `cwd` in toolyard.json, or install the program." }),
            cause: error,
          },
        ),
      )
    }
    let child: ChildProcess
    try {
      child = spawn(entry.command, entry.args, {
        env: childEnv(entry.env),
        cwd: entry.cwd,
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        // `.cmd` launchers (npx, uvx) can only be started through the shell there.
        shell: process.platform === "win32",
        windowsHide: true,
      })
    } catch (error) {
      failed(error as NodeJS.ErrnoException)
      return
    }
    child.once("error", failed)
    child.once("spawn", () => {
      child.off("error", failed)
      child.on("error", () => {})
      resolve(child)
    })
  })
}

/** The id of an answer too long to keep: it stands near one end of the line. */
function idOfOversized(head: string, tail: string): number | undefined {
  const match = /^\s*\{"jsonrpc":\s*"2\.0",\s*"id":\s*(\d+)/.exec(head) ?? /"id":\s*(\d+)\s*\}\s*$/.exec(tail)
  return match ? Number(match[1]) : undefined
}
