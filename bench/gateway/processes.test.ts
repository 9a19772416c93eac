import { tmpdir } from "node:os"
import { describe, expect, it } from "vitest"
import { cpuMsOf, gatewayPids, rssMbOf, treeOf } from "./proc.ts"
import { openProcesses } from "./processes.ts"

// Starts a child in a group of its own that ignores SIGTERM, says where it is, and stays.
const PARENT = `
const { spawn } = require("node:child_process")
const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 1e6)", ...process.argv.slice(1)], { stdio: ["ignore", "pipe", "inherit"], detached: true })
child.stdout.once("data", () => console.log(JSON.stringify({ url: "http://127.0.0.1:" + (child.pid % 65536) + "/" + child.pid })))
setInterval(() => {}, 1e6)`

const isAlive = (pid: number): boolean => treeOf(pid).length > 0

describe.skipIf(process.platform !== "linux")("the bench's processes", () => {
  it("are gone after close, with the children they left behind", async () => {
    const processes = openProcesses()
    const { pid, url } = processes.start(["-e", PARENT], { cwd: tmpdir() })
    const childPid = Number((await url()).pathname.slice(1))
    expect(treeOf(pid)).toEqual([pid, childPid])
    await processes.close()
    await expect.poll(() => isAlive(pid) || isAlive(childPid)).toBe(false)
  })

  it("are counted without the echo server behind them", async () => {
    const processes = openProcesses()
    const { pid, url } = processes.start(["-e", PARENT, "echo-server.mjs"], { cwd: tmpdir() })
    const childPid = Number((await url()).pathname.slice(1))
    expect(treeOf(pid)).toContain(childPid)
    expect(gatewayPids(pid)).toEqual([pid])
    expect(rssMbOf([pid])).toBeGreaterThan(10)
    expect(cpuMsOf([pid])).toBeGreaterThan(0)
    await processes.close()
  })

  it("say why when they die before they are up", async () => {
    const processes = openProcesses()
    const { url } = processes.start(["-e", "console.error('no such port'); process.exit(3)"], { cwd: tmpdir() })
    await expect(url()).rejects.toThrow(/ended \(3\)[\s\S]*no such port/)
    await processes.close()
  })
})
