/** Children and temporary folders that are gone afterwards, however the run ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

const GRACE_MS = 5000

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS)
  await exited
  clearTimeout(timer)
}

export function openProcesses() {
  const children = new Set()
  const folders = new Set()
  let closed = false

  function start(args, cwd) {
    // Work that is under way when the run is broken off must not start anything that nobody would end.
    if (closed) throw new Error("The run was broken off.")
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    children.add(child)
    const output = []
    child.stderr.setEncoding("utf8").on("data", chunk => output.push(chunk))
    child.once("exit", () => children.delete(child))
    return { child, output }
  }

  return {
    folder() {
      const path = mkdtempSync(join(tmpdir(), "toolyard-conformance-"))
      folders.add(path)
      return path
    },

    /** Starts a server and waits for the line of JSON with its `url`. */
    async serve(args, cwd) {
      const { child, output } = start(args, cwd)
      const line = new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).on("line", text => {
          try {
            const ready = JSON.parse(text)
            if (typeof ready?.url === "string") resolve(ready.url)
          } catch {
            output.push(`${text}\n`)
          }
        })
        child.once("error", reject)
        child.once("exit", code => reject(new Error(`${args.join(" ")} ended with ${code}:\n${output.join("")}`)))
      })
      const url = await line
      return { url, log: () => output.join(""), stop: () => stop(child) }
    },

    /** Runs a program to its end. */
    async run(args, cwd) {
      const { child, output } = start(args, cwd)
      child.stdout.setEncoding("utf8").on("data", chunk => output.push(chunk))
      const [code] = await once(child, "close")
      return { code, output: output.join("") }
    },

    async close() {
      closed = true
      await Promise.all([...children].map(stop))
      for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
