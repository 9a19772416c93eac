// How soon functions of one's own are there, and what a call of one costs: `npm run bench own`. A server that somebody
// wrote by hand with the official SDK stands beside them, behind the same hub.
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const BIN = join(ROOT, "packages/toolyard/bin/toolyard.mjs")
const HOST = join(ROOT, "packages/toolyard/dist/module-host.js")
const QUICK = process.argv.includes("--quick")
const LOADS = QUICK ? 3 : 10
const CALLS = QUICK ? 200 : 2000
const folder = mkdtempSync(join(tmpdir(), "toolyard-bench-"))
const running = new Set()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130))

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const ms = value => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
const write = (file, text) => {
  writeFileSync(join(folder, file), text)
  return join(folder, file)
}
const start = (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], cwd: folder, ...options })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}
const end = child =>
  new Promise(resolve => {
    child.once("exit", resolve)
    child.kill("SIGTERM")
  })

/** A module such as people write: interfaces, unions, defaults, comments; a hundred functions. */
function hundredFunctions() {
  const parts = Array.from(
    { length: 100 },
    (_, i) => `
/** The input of number ${i}. */
export interface Input${i} {
  /** Its name. @minLength 1 */
  name: string
  kind: "small" | "large" | { width: number; height: number }
  tags?: string[]
  inner?: { count: number; ratio?: number | null; more: Record<string, Date> }
}
/**
 * Does number ${i}.
 * @param input - What to do.
 * @param dry - Whether only to look.
 */
export async function function${i}(input: Input${i}, dry = false): Promise<{ done: boolean; items: Input${i}[] }> {
  return { done: !dry, items: [input] }
}`,
  )
  return parts.join("\n")
}

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
const initialize = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
})

/** From the start of the process to its list of tools. */
async function load(file, cache) {
  const began = performance.now()
  const child = start(process.execPath, [HOST, file, ...(cache ? ["--cache", cache] : [])])
  child.stdin.write(initialize + request(2, "tools/list"))
  const tools = await new Promise(resolve => {
    createInterface({ input: child.stdout }).on("line", line => {
      const { id, result } = JSON.parse(line)
      if (id === 2) resolve(result.tools)
    })
  })
  const took = performance.now() - began
  await end(child)
  if (tools.length !== 100) throw new Error(`${tools.length} tools`)
  return took
}

async function loads() {
  const file = write("hundred.ts", hundredFunctions())
  const cache = join(folder, "cache")
  await load(file, cache)
  const cold = []
  const warm = []
  const bare = []
  for (let i = 0; i < LOADS; i++) {
    cold.push(await load(file))
    warm.push(await load(file, cache))
    const began = performance.now()
    spawnSync(process.execPath, ["-e", "0"])
    bare.push(performance.now() - began)
  }
  console.log(`a module of 100 functions, from start to list (median of ${LOADS})`)
  console.log(`  cold, types read:    ${ms(median(cold))}   (bound: 1000 ms)`)
  console.log(`  warm, from cache:    ${ms(median(warm))}   (bound: 150 ms)`)
  console.log(`  Node doing nothing:  ${ms(median(bare))}`)
}

const SDK_SERVER = `
import { McpServer } from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as z from "zod"
const server = new McpServer({ name: "sdk", version: "1" })
server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({ content: [{ type: "text", text }] }))
await server.connect(new StdioServerTransport())
`

async function calls() {
  // Where the workspace's own packages are found, not those of other benches.
  const sdk = join(ROOT, "node_modules/.cache/bench-sdk-server.mjs")
  mkdirSync(dirname(sdk), { recursive: true })
  writeFileSync(sdk, SDK_SERVER)
  process.on("exit", () => rmSync(sdk, { force: true }))
  write("echo.ts", "export const echo = (text: string): string => text\n")
  write("echo.py", "def echo(text: str) -> str:\n    return text\n")
  const hasPython = spawnSync("python3", ["--version"]).status === 0
  const config = write(
    "toolyard.json",
    JSON.stringify({
      mcpServers: {
        sdk: { command: process.execPath, args: [sdk] },
        module: { type: "module", file: "./echo.ts" },
        ...(hasPython && { python: { type: "python", file: "./echo.py" } }),
      },
    }),
  )
  const hub = start(process.execPath, [BIN, "serve", "--port", "0", "--no-auth", "--config", config])
  const { url } = JSON.parse(String(await new Promise(resolve => hub.stdout.once("data", resolve))))
  const names = ["sdk", "module", ...(hasPython ? ["python"] : [])]
  for (;;) {
    const { servers } = await (await fetch(`${url}/api/servers`)).json()
    if (servers.every(({ state }) => state === "up")) break
    const broken = servers.find(({ state, attempts }) => state === "down" && attempts > 2)
    if (broken) throw new Error(`${broken.name} is down: ${broken.reason}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const call = async server => {
    const began = performance.now()
    const response = await fetch(`${url}/mcp/${server}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "echo",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "echo",
          arguments: { text: "hello" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    })
    if (!(await response.text()).includes("hello")) throw new Error(`${server} did not answer`)
    return performance.now() - began
  }
  const times = Object.fromEntries(names.map(name => [name, []]))
  for (let i = 0; i < CALLS + 100; i++)
    for (const name of names) {
      const took = await call(name)
      if (i >= 100) times[name].push(took)
    }
  await end(hub)
  const base = median(times.sdk)
  console.log(`\none call through the hub over HTTP, one at a time (median of ${CALLS})`)
  console.log(`  hand-written with the SDK: ${ms(base)}`)
  for (const name of names.slice(1)) {
    const own = median(times[name])
    const bound = name === "module" ? "1 ms" : "2 ms"
    console.log(
      `  ${`${name}:`.padEnd(26)} ${ms(own)}   (${(own / base).toFixed(2)} times; bound: ${bound} over the hub's own overhead)`,
    )
  }
}

await loads()
await calls()
