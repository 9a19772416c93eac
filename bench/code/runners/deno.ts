/** A fresh `deno run` for each run, without any permission; its calls go over its pipes to an SDK client. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Runner } from "../contestant.ts"
import { DENO } from "../paths.ts"
import type { Subject } from "../sample.ts"
import { type CallTool, openSdkClient, PLAIN_DIALECT } from "./tools.ts"

const FLAGS = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]

/** What stands around a script: a call is a line out, its answer a line in. */
const wrap = (code: string): string => `
const waiting = new Map()
let lastId = 0
const send = message => Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(message) + "\\n"))
const callTool = (tool, args) => new Promise((resolve, reject) => {
  waiting.set(++lastId, { resolve, reject })
  send({ id: lastId, tool, args })
})
const tools = { bench: { echo: args => callTool("echo", args), rows: args => callTool("rows", args) } }
async function read() {
  let rest = ""
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\\n")
    rest = lines.pop()
    for (const line of lines) {
      const { id, value } = JSON.parse(line)
      waiting.get(id).resolve(value)
      waiting.delete(id)
    }
  }
}
read()
try {
  send({ value: await (async () => {
${code}
})() })
} catch (error) {
  send({ error: String(error) })
}
Deno.exit()
`

export async function openSubject(folder: string): Promise<Subject> {
  const callTool = await openSdkClient()
  // Written once, so that deno's own caches help it.
  const files = new Map<string, string>()
  const fileOf = (code: string): string => {
    let file = files.get(code)
    if (file === undefined) {
      file = join(folder, `script-${files.size}.js`)
      writeFileSync(file, wrap(code))
      files.set(code, file)
    }
    return file
  }
  const runner: Runner = { run: code => runFile(fileOf(code), folder, callTool), close: () => {} }
  return { dialect: PLAIN_DIALECT, openRunners: async count => Array.from({ length: count }, () => runner) }
}

interface Message {
  id?: number
  tool: string
  args: unknown
  value?: unknown
  error?: string
}

function runFile(file: string, folder: string, callTool: CallTool): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const env = { HOME: folder, DENO_DIR: join(folder, "deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }
    const child = spawn(DENO, [...FLAGS, file], { env, stdio: ["pipe", "pipe", "inherit"] })
    child.stdin.on("error", () => {})
    child.on("error", reject)
    child.on("close", code => reject(new Error(`deno ended with ${code}`)))
    createInterface({ input: child.stdout }).on("line", line => {
      const { id, tool, args, value, error } = JSON.parse(line) as Message
      if (error !== undefined) reject(new Error(error))
      else if (id === undefined) resolve(value)
      else callTool(tool, args).then(value => child.stdin.write(`${JSON.stringify({ id, value })}\n`), reject)
    })
  })
}
