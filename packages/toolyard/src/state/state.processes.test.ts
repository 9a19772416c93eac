import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openState } from "./open.ts"

const CHILD = join(import.meta.dirname, "state.child.ts")
// A private view of the mounts: a tiny disk of our own that goes away with the process.
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0

/** Each starts several Node processes, which takes its time on a busy machine. */
const SLOW = { timeout: 30_000 }

let root: string
let dir: string
let problems: string[]
const open = () => openState(dir, problem => problems.push(problem))

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolyard-state-"))
  dir = root
  problems = []
})
afterEach(() => rm(root, { recursive: true, force: true }))

function start(...args: string[]): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
}

async function rest(lines: AsyncIterator<string>): Promise<Record<string, unknown>[]> {
  const said: Record<string, unknown>[] = []
  for (let line = await lines.next(); !line.done; line = await lines.next()) said.push(JSON.parse(line.value))
  return said
}

async function linesOf(command: string, args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await promisify(execFile)(command, args)
  return stdout
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
}

/** `$1` is a folder on a disk of 2 MB, `$2` is Node and `$3` the child. */
function onTinyDisk(script: string): Promise<Record<string, unknown>[]> {
  const mounted = `mount -t tmpfs -o size=2m tmpfs "$1" && { ${script}; }`
  return linesOf("unshare", ["-rm", "sh", "-c", mounted, "sh", dir, process.execPath, CHILD])
}

describe("the state between processes", SLOW, () => {
  it("loses no increment when two processes update one counter at once", async () => {
    const both = [start("addUp", dir, "400"), start("addUp", dir, "400")]
    for (const { lines } of both) expect((await lines.next()).value).toBe("ready")
    for (const { child } of both) child.stdin!.end("go")
    for (const { lines } of both) expect((await lines.next()).value).toBe("done")
    const state = await open()
    expect(await state.store.get("ns", "count")).toBe(800)
    await state.close()
  })

  it("lets several processes begin, or replace a damaged file, at the same time", async () => {
    for (const damaged of [false, true, false, true]) {
      dir = join(dir, "deeper")
      await mkdir(dir)
      if (damaged) await writeFile(join(dir, "state.db"), "not a database".repeat(500))
      const children = [1, 2, 3, 4].map(() => start("openTogether", dir))
      for (const { lines } of children) expect((await lines.next()).value).toBe("ready")
      for (const { child } of children) child.stdin!.end("go")
      const said: Record<string, unknown>[][] = []
      for (const { lines } of children) said.push(await rest(lines))
      const reports = said.flat().filter(({ problem }) => problem)
      expect(reports.length).toBe(damaged ? 1 : 0)
      expect(said.flat().filter(({ kind }) => kind === "sqlite").length).toBe(4)
      const state = await open()
      expect((await state.store.entries("ns", { prefix: "by " })).length).toBe(4)
      await state.close()
    }
  })

  it("has every acknowledged write after kill -9, and opens without complaint", async () => {
    for (const rounds of [1, 25, 60]) {
      const { child, lines } = start("writeOn", dir)
      const acknowledged: { n: number; cid: string }[] = []
      while (acknowledged.length < rounds) acknowledged.push(JSON.parse((await lines.next()).value))
      child.kill("SIGKILL")
      // What was printed before the kill counts as well.
      for (let line = await lines.next(); !line.done; line = await lines.next())
        acknowledged.push(JSON.parse(line.value))
      expect(child.signalCode ?? (await once(child, "exit"))[1]).toBe("SIGKILL")

      const state = await open()
      const rows = await state.store.tail("stream", { limit: Number.POSITIVE_INFINITY })
      const kept = new Set(rows.map(({ data }) => data.n))
      for (const { n, cid } of acknowledged) {
        expect(await state.store.get("ns", `key ${n}`)).toEqual({ n })
        expect(kept.has(n) && kept.has(n + 0.5)).toBe(true)
        expect((await state.blobs.get(cid))?.size).toBe(`blob ${n} `.length + n * 10)
      }
      // A batch is there whole or not at all.
      expect(rows.length % 2).toBe(0)
      expect(problems).toEqual([])
      await state.close()
    }
  })

  it("says `storage` when the disk is full, keeps the earlier data, and goes on when there is room", async ({
    skip,
  }) => {
    skip(!canMount, "needs the right to mount a small disk")
    const said = await onTinyDisk(`exec "$2" "$3" fillUp "$1/yard"`)
    const full = expect.objectContaining({ code: "storage", message: expect.stringMatching(/full|ENOSPC/) })
    expect(said).toEqual([
      { kind: "sqlite" },
      { blobs: full },
      { store: full },
      { stream: full },
      { early: "here", blob: 5 },
      { again: "sqlite" },
      { late: "there" },
    ])
  })

  it("falls back to memory, and says so, when the disk is full from the start", async ({ skip }) => {
    skip(!canMount, "needs the right to mount a small disk")
    const said = await onTinyDisk(`head -c 3m /dev/zero > "$1/filler" 2>/dev/null; exec "$2" "$3" openOnce "$1/yard"`)
    expect(said).toEqual([{ problem: expect.stringContaining("in memory") }, { kind: "memory" }])
  })

  it("falls back to memory, and says so, where it may not write", async () => {
    await (await open()).close()
    await chmod(dir, 0o555)
    for (const file of ["state.db", "state.lock"]) await chmod(join(dir, file), 0o444)
    const existing = await linesOf(process.execPath, [CHILD, "openAsNobody", dir])
    expect(existing).toEqual([{ problem: expect.stringContaining("in memory") }, { kind: "memory", a: 1 }])
    await chmod(dir, 0o755)
    await rm(join(dir, "state.db"))
    await chmod(dir, 0o555)
    const fresh = await linesOf(process.execPath, [CHILD, "openAsNobody", dir])
    expect(fresh).toEqual([{ problem: expect.stringContaining("in memory") }, { kind: "memory", a: 1 }])
    await chmod(dir, 0o755)
  })
})
