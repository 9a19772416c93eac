/** Runs one program to its end in a process group of its own, and nothing of it is left when that is known. */
import { type ChildProcess, spawn } from "node:child_process"
import { YardError } from "../../model/errors.ts"
import { endProcessGroup } from "../upstream/process-group.ts"
import type { Watchdog } from "../upstream/watchdog.ts"

export const MAX_OUTPUT_BYTES = 100 * 1024 * 1024
/** How much of the end of what it said is kept for an error. */
export const KEEP_BYTES = 64 * 1024
/** How long output is waited for that a process left behind may still hold open. */
const DRAIN_MS = 200

export interface Program {
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string
  stdin: string | undefined
}

export interface Ended {
  stdout: Buffer
  /** Its end. */
  stderr: Buffer
  code: number | null
  signal: NodeJS.Signals | null
  /** It was ended because it wrote too much. */
  tooMuch: boolean
}

export interface Running {
  ended: Promise<Ended>
  /** Ends it and all that it started; resolves when they are gone. */
  end(): Promise<void>
}

export async function startProgram(
  program: Program,
  watchdog: Watchdog,
  onStderr: (chunk: Buffer) => void,
): Promise<Running> {
  const child = await spawnChild(program)
  const group = child.pid as number
  watchdog.add(group)
  let ending: Promise<void> | undefined
  const end = (): Promise<void> => {
    ending ??= endProcessGroup(child, group).finally(() => watchdog.remove(group))
    return ending
  }
  const stdout: Buffer[] = []
  let size = 0
  let tooMuch = false
  let stderr: Buffer = Buffer.alloc(0)
  child.stdout?.on("data", (chunk: Buffer) => {
    if (tooMuch) return
    size += chunk.length
    stdout.push(chunk)
    if (size <= MAX_OUTPUT_BYTES) return
    tooMuch = true
    void end()
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-KEEP_BYTES)
    onStderr(chunk)
  })
  // A program need not read what it is given.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {})
  child.stdin?.end(program.stdin)

  const ended = new Promise<Ended>(resolve => {
    let timer: NodeJS.Timeout | undefined
    child.on("exit", () => {
      timer = setTimeout(() => setImmediate(() => void end()), DRAIN_MS)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      void end().then(() => resolve({ stdout: Buffer.concat(stdout), stderr, code, signal, tooMuch }))
    })
  })
  return { ended, end }
}

function spawnChild({ command, args, env, cwd, stdin }: Program): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      reject(
        error.code === "E2BIG"
          ? new YardError("invalid_arguments", "the arguments are too long for a command line", {
              hint: "Pass less, or have the value written to the program by `stdin` in toolyard.json.",
            })
          : new YardError("server_down", `the command ${command} could not be started: ${error.message}`, {
              cause: error,
            }),
      )
    }
    try {
      const child = spawn(command, args, {
        env,
        cwd,
        stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        shell: false,
        windowsHide: true,
      })
      child.once("error", failed)
      child.once("spawn", () => {
        child.off("error", failed)
        child.on("error", () => {})
        resolve(child)
      })
    } catch (error) {
      failed(error as NodeJS.ErrnoException)
    }
  })
}
