/** The sandbox process seen from outside: what a script would find if it broke out of its virtual machine. */
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { findBwrap } from "../../packages/toolyard/src/sandbox/spawn.ts"
import { allGone } from "../fixtures/processes.ts"
import { type OpenSandbox, openTestSandbox } from "../fixtures/sandbox.ts"
import { startHost } from "../fixtures/sandbox-host.ts"

const isLinux = process.platform === "linux"
const hasBwrap = findBwrap() !== false
const SECRET = "toolyard-sandbox-secret"

/** The process in which scripts run: the innermost. */
const innermost = (sandbox: OpenSandbox): number => sandbox.processes().at(-1) as number
const proc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "latin1")

// Neither this system's /proc nor bwrap is there elsewhere.
describe.skipIf(!isLinux).each([
  { how: "with bwrap", confine: true },
  { how: "without bwrap", confine: false },
])("T11 the sandbox process $how", ({ confine }) => {
  const missing = confine && !hasBwrap
  let sandbox: OpenSandbox
  let folder: string

  beforeAll(async () => {
    process.env.TOOLYARD_TEST_SECRET = SECRET
    folder = await mkdtemp(join(tmpdir(), "secret-"))
    await writeFile(join(folder, "token"), SECRET)
    sandbox = openTestSandbox({ confine })
    await sandbox.valueOf("return 1")
  })
  afterAll(async () => {
    delete process.env.TOOLYARD_TEST_SECRET
    await sandbox.end()
    await rm(folder, { recursive: true })
  })

  it.skipIf(missing)("has no environment, and nothing of ours on its command line", () => {
    const pid = innermost(sandbox)
    const names = proc(pid, "environ")
      .split("\0")
      .filter(Boolean)
      .map(entry => entry.split("=")[0])
    expect(names.filter(name => name !== "PWD")).toEqual([])
    expect(proc(pid, "cmdline")).not.toContain(SECRET)
  })

  it.skipIf(missing)("holds no file or socket but its own pipes and what Node needs", () => {
    const pid = innermost(sandbox)
    const links = [0, 1, 2].map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))
    expect(links[2]).toBe("/dev/null")
    expect(proc(pid, "net/tcp").split("\n").length).toBeGreaterThan(0)
    expect(links.slice(0, 2).every(link => /^(socket|pipe):/.test(link))).toBe(true)
  })

  it.skipIf(missing)("may use Node's file system for its own code only", () => {
    const args = proc(innermost(sandbox), "cmdline").split("\0")
    expect(args).toContain("--permission")
    expect(args.filter(arg => arg.startsWith("--allow-") && !arg.startsWith("--allow-fs-read="))).toEqual([])
    const readable = args.filter(arg => arg.startsWith("--allow-fs-read=")).map(arg => arg.split("=")[1])
    expect(readable.filter(path => !/quickjs-wasi|toolyard/.test(path ?? ""))).toEqual([])
  })

  it.skipIf(!confine || missing)("sees no network but a loopback of its own", () => {
    const pid = innermost(sandbox)
    expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync("/proc/self/ns/net"))
    const devices = proc(pid, "net/dev")
      .split("\n")
      .slice(2)
      .filter(Boolean)
      .map(line => line.split(":")[0]?.trim())
    expect(devices.filter(device => device !== "lo")).toEqual([])
  })

  it.skipIf(!confine || missing)("sees no process but its own, no home, no project, no secret", () => {
    const pid = innermost(sandbox)
    for (const space of ["pid", "mnt", "ipc", "uts", "user"])
      expect(readlinkSync(`/proc/${pid}/ns/${space}`), space).not.toBe(readlinkSync(`/proc/self/ns/${space}`))
    const root = `/proc/${pid}/root`
    expect(existsSync(join(root, folder, "token"))).toBe(false)
    for (const path of [
      "/etc/passwd",
      "/etc/shadow",
      "/var",
      "/home",
      "/run",
      join(homedir(), ".ssh"),
      join(process.cwd(), ".git"),
    ])
      expect(existsSync(join(root, path)), path).toBe(false)
  })

  it.skipIf(!confine || missing)("can write to nothing that is on a disk", () => {
    const pid = innermost(sandbox)
    const mounts = proc(pid, "mountinfo").split("\n").filter(Boolean)
    const writable = mounts
      .map(line => line.split(" "))
      .filter(parts => (parts[5] ?? "").split(",").includes("rw"))
      .map(parts => ({ at: parts[4], kind: parts[parts.indexOf("-") + 1] }))
    expect(writable.filter(({ kind }) => !["tmpfs", "devtmpfs", "devpts", "proc"].includes(kind ?? ""))).toEqual([])
  })
})

describe("T11 a script that can't even be interrupted", () => {
  const open: OpenSandbox[] = []
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.end()
  })

  /** Functions of the engine that compute for hours and never look up. */
  const natives = {
    "Array.join over holes": "new Array(2 ** 32 - 1).join('')",
    "Array.reverse of an array-like": "[].reverse.call({ length: 2 ** 53 - 1 })",
    "String.indexOf of a long text": "('a'.repeat(1e7) + 'b').indexOf('a'.repeat(5e6) + 'c')",
    "a long chain of prototypes":
      "let o = {}; for (let i = 0; i < 2e5; i++) o = Object.create(o); for (let i = 0; i < 1e5; i++) o.x",
    "PBKDF2 with every round there is":
      "await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 4294967295 }, await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']), 512)",
  }

  it.each(Object.entries(natives))("%s: ends with its limit, and others are answered meanwhile", async (_, code) => {
    const sandbox = openTestSandbox({ size: 2 })
    open.push(sandbox)
    await sandbox.valueOf("return 1")
    const stuck = sandbox.run(code, { limits: { cpuMs: 1000 } })
    expect(await Promise.all([1, 2, 3].map(n => sandbox.valueOf("return input", { input: n })))).toEqual([1, 2, 3])
    expect(stuck.hasEnded()).toBe(false)
    expect(await stuck.end).toMatchObject({ how: "stopped", reason: "limit_cpu" })
  })

  it.skipIf(!hasBwrap)("ends with the hub, when the hub is killed", async () => {
    const { child, processes } = await startHost("new Array(2 ** 32 - 1).join('')", true)
    child.kill("SIGKILL")
    await allGone(processes)
  })
})
