// How soon the hub is there and what it weighs: `npm run bench start`. Each figure stands beside the bound it must keep.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const BIN = join(ROOT, "packages/toolyard/bin/toolyard.mjs")
const SERVER = join(ROOT, "tests/fixtures/raw-server.mjs")
const ROUNDS = process.argv.includes("--quick") ? 5 : 15
const folder = mkdtempSync(join(tmpdir(), "toolyard-bench-"))
const running = new Set()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130))

const entry = (...flags) => ({ command: process.execPath, args: [SERVER, ...flags] })
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

function configure(name, mcpServers) {
  const file = join(mkdtempSync(join(folder, `${name}-`)), "toolyard.json")
  writeFileSync(file, JSON.stringify({ mcpServers }))
  return file
}

/** From the start of the process to its first line. */
async function start(args) {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  running.add(child)
  child.once("exit", () => running.delete(child))
  const line = await new Promise(resolve => child.stdout.once("data", data => resolve(String(data))))
  const ms = performance.now() - began
  return { child, ms, line }
}

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await new Promise(resolve => child.once("exit", resolve))
}

async function startHub(config) {
  const hub = await start([BIN, "serve", "--port", "0", "--no-auth", "--config", config])
  return { ...hub, url: JSON.parse(hub.line).url }
}

async function whenAllUp({ url }, count) {
  for (;;) {
    const { servers } = await (await fetch(`${url}/api/servers`)).json()
    if (servers.filter(({ state }) => state === "up").length >= count) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

const listTools = ({ url }, path) =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/list",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  })

function residentMb({ child }) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024
  } catch {
    return Number.NaN
  }
}

const results = []
const note = (what, value, unit, bound) =>
  results.push({
    what,
    value: `${value.toFixed(0)} ${unit}`,
    bound: bound === undefined ? "" : `${value <= bound ? "ok" : "OVER"}, bound ${bound} ${unit}`,
  })

async function timesOf(make, rounds = ROUNDS) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const started = await make()
    times.push(started.ms)
    await stop(started)
  }
  return median(times)
}

note("bare node", await timesOf(() => start(["-e", "console.log(1)"])), "ms")
await stop(await start([BIN, "--version"]))
note("toolyard --version", await timesOf(() => start([BIN, "--version"])), "ms", 150)

// Servers that take three seconds to answer at all: a warm start lists their tools all the same.
const slow = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`slow${n}`, entry("--slow-start", "1500")]))
const tenSlow = configure("slow", slow)
const cold = await startHub(tenSlow)
const began = performance.now()
await whenAllUp(cold, 10)
note("ten servers of 1,500 ms each, all up after", performance.now() - began + cold.ms, "ms", 3500)
await stop(cold)
const listed = []
for (let round = 0; round < ROUNDS; round++) {
  const from = performance.now()
  const hub = await startHub(tenSlow)
  const { result } = await (await listTools(hub, "/mcp/all")).json()
  listed.push(performance.now() - from)
  if (result.tools.length < 10) throw new Error("The warm start did not list the cached tools")
  await stop(hub)
}
note("warm start, listening and cached tools listed", median(listed), "ms", 300)

const idle = await startHub(configure("idle", { one: entry(), two: entry(), three: entry() }))
await whenAllUp(idle, 3)
await new Promise(resolve => setTimeout(resolve, 3000))
note("memory at rest, three servers", residentMb(idle), "MB", 100)
await stop(idle)

const many = await startHub(configure("many", { many: entry("--tools", "10000") }))
await whenAllUp(many, 1)
const lists = []
for (let round = 0; round < ROUNDS; round++) {
  const from = performance.now()
  await (await listTools(many, round % 2 === 0 ? "/mcp/many" : "/mcp/all")).arrayBuffer()
  lists.push(performance.now() - from)
}
note("10,000 tools listed, the first time", lists[0], "ms", 100)
note("10,000 tools listed", median(lists), "ms", 100)
note("memory with 10,000 tools", residentMb(many), "MB", 250)
await stop(many)

const width = Math.max(...results.map(({ what }) => what.length))
for (const { what, value, bound } of results) console.log(`${what.padEnd(width)}  ${value.padStart(9)}  ${bound}`)
process.exitCode = results.some(({ bound }) => bound.startsWith("OVER")) ? 1 : 0
