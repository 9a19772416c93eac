import { execFile, spawnSync } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { RunReport } from "../../model/run.ts"
import { effectsOf, openRunCase } from "./run-case.ts"

const CHILD = join(import.meta.dirname, "run-case.child.ts")
// A private view of the mounts: a tiny disk of our own that goes away with the process.
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-runs-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** What a process whose state is on a disk of 2 MB reports of this. */
async function onTinyDisk(code: string): Promise<RunReport> {
  await mkdir(join(folder, "state"))
  const script = 'mount -t tmpfs -o size=2m tmpfs "$1/state" && exec "$2" "$3" "$1" "$4"'
  const request = JSON.stringify({ code, check: false })
  const args = ["-rm", "sh", "-c", script, "sh", folder, process.execPath, CHILD, request]
  const done = promisify(execFile)("unshare", args)
  done.child.stdout?.once("data", () => done.child.stdin?.end())
  return JSON.parse((await done).stdout) as RunReport
}

describe("a run whose record cannot be written", () => {
  it.skipIf(!canMount)("on a full disk fails, and makes no call that is not in it", async () => {
    const report = await onTinyDisk(`
      const bytes = "x".repeat(50000)
      for (let n = 0; n < 200; n++) await tools.s.send({ name: n + bytes })`)
    expect(report).toMatchObject({ status: "failed", error: { code: "storage" } })
    const ok = report.calls.filter(({ status }) => status === "ok")
    expect(ok.length).toBeGreaterThan(3)
    expect(effectsOf(folder)).toHaveLength(ok.length)
  })

  it("for one call fails without having made it, and the next run works", async () => {
    const opened = await openRunCase(folder)
    try {
      const raw = new DatabaseSync(join(folder, "state", "state.db"))
      raw.exec(`CREATE TRIGGER full BEFORE INSERT ON log WHEN new.data LIKE '{"t":"call","id":2%'
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
      raw.close()
      const code = `await tools.s.send({ name: "a" }); await tools.s.send({ name: "b" })`
      expect(await opened.code.execute({ code }, opened.call())).toMatchObject({
        status: "failed",
        error: { code: "storage" },
        calls: [{ status: "ok" }, { status: "error" }],
      })
      expect(opened.effects()).toEqual(["send a"])
      expect(await opened.code.execute({ code: "return 2" }, opened.call())).toMatchObject({ value: 2 })
    } finally {
      await opened.close()
    }
  })

  it("does not begin when not even that can be kept", async () => {
    const opened = await openRunCase(folder)
    await opened.state.store.close()
    const code = `await tools.s.send({ name: "a" })`
    await expect(opened.code.execute({ code }, opened.call())).rejects.toMatchObject({ code: "storage" })
    expect(opened.effects()).toEqual([])
    await opened.code.close()
  })
})
