import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { until } from "../../../../../tests/fixtures/until.ts"
import type { RunReport, RunRequest } from "../../model/run.ts"
import { openKeptRuns } from "./kept-runs.ts"
import { openRunCase, type RunCase, type RunCaseOptions } from "./run-case.ts"

let folder: string
let opened: RunCase

const open = async (options?: RunCaseOptions): Promise<RunCase> => {
  opened = await openRunCase(folder, options)
  return opened
}
const execute = (code: string, request: RunRequest = {}): Promise<RunReport> =>
  opened.code.execute({ code, ...request }, opened.call())
const resume = (runId: string, options?: Parameters<RunCase["code"]["resume"]>[2]): Promise<RunReport> =>
  opened.code.resume(runId, opened.call(), options)
/** Resolves when their places have been taken by others. */
async function killSandbox(): Promise<void> {
  const killed = [...opened.pids]
  for (const pid of killed) process.kill(pid, "SIGKILL")
  await until(() => opened.pids.length >= 2 * killed.length, "new processes")
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-runs-"))
})
afterEach(async () => {
  await opened.close()
  await rm(folder, { recursive: true, force: true })
})

describe("a run that waits for a person", () => {
  const ASKING = `
    const sent = await tools.s.send({ name: "a" })
    let answer = 41
    const removed = await tools.s.remove({ name: "x" })
    return [sent.did, ++answer, removed.did]`

  it("N1 needs no process meanwhile, and goes on where it was", async () => {
    await open()
    const { runId, status, approvals } = await execute(ASKING)
    expect(status).toBe("waiting")
    expect(approvals).toMatchObject([{ tool: "s__remove", args: { name: "x" }, done: [{ tool: "s__send" }] }])
    await killSandbox()
    const report = await resume(runId, { decision: "approve" })
    expect(report).toMatchObject({ status: "completed", value: ["send a", 42, "remove x"] })
    expect(opened.effects()).toEqual(["send a", "remove x"])
  })

  it("is shown as waiting, with what is asked, and as running no longer", async () => {
    await open()
    const { runId } = await execute(ASKING)
    expect(await opened.code.runs()).toMatchObject([{ runId, status: "waiting", calls: 2 }])
    expect(await opened.code.run(runId)).toMatchObject({
      status: "waiting",
      approvals: [{ tool: "s__remove" }],
      calls: [{ status: "ok" }, { status: "waiting" }],
    })
    await resume(runId, { decision: "deny" })
    expect(await opened.code.runs()).toMatchObject([{ runId, status: "failed", error: { code: "approval_denied" } }])
  })

  it("does its other work meanwhile, and none of it again when it is woken", async () => {
    await open()
    const { runId } = await execute(`
      const others = async () => {
        const did = []
        for (const name of ["1", "2", "3"]) did.push((await tools.s.send({ name })).did)
        return did
      }
      return await Promise.all([tools.s.remove({ name: "x" }), others()])`)
    await until(() => opened.effects().length === 3, "the other work")
    // Asleep as soon as nothing but the question is left.
    await until(async () => (await opened.state.blobs.list()).length === 1, "the snapshot")
    const report = await resume(runId, { decision: "approve" })
    expect(report).toMatchObject({
      status: "completed",
      value: [{ did: "remove x" }, ["send 1", "send 2", "send 3"]],
    })
    expect(opened.effects()).toEqual(["send 1", "send 2", "send 3", "remove x"])
    expect(await opened.state.blobs.list()).toEqual([])
  })

  it("asks several questions at once, and one decision for the run answers them all", async () => {
    await open()
    const { runId } = await execute(
      `return (await Promise.all(["x", "y"].map(name => tools.s.remove({ name })))).map(({ did }) => did)`,
    )
    await until(async () => (await opened.code.approvals()).length === 2, "both questions")
    expect(await resume(runId, { decision: "approve" })).toMatchObject({ value: ["remove x", "remove y"] })
  })

  it("is cancelled without having made the call, and the question is gone", async () => {
    await open()
    const { runId } = await execute(ASKING)
    const report = await resume(runId, { cancel: true })
    expect(report).toMatchObject({
      status: "cancelled",
      calls: [
        { status: "ok" },
        { status: "error", error: { code: "cancelled", message: expect.stringContaining("it was not made") } },
      ],
    })
    expect(await opened.code.approvals()).toEqual([])
    expect(opened.effects()).toEqual(["send a"])
  })

  it("has all of its time left for itself, however long the person takes", async () => {
    await open()
    await execute("return 1")
    const { runId, status } = await execute(ASKING, { timeoutMs: 2_000 })
    expect(status).toBe("waiting")
    await delay(2_000)
    expect(await resume(runId, { decision: "approve" })).toMatchObject({ status: "completed" })
  })

  it("keeps its limits over its sleep", async () => {
    await open({ limits: { maxCalls: 3, maxLogBytes: 10 } })
    const calls = await execute(`
      await tools.s.send({ name: "a" })
      await tools.s.remove({ name: "x" })
      await tools.s.send({ name: "b" })
      await tools.s.send({ name: "c" })`)
    expect(await resume(calls.runId, { decision: "approve" })).toMatchObject({ error: { code: "limit_calls" } })
    const logs = await execute(`console.log("12345"); await tools.s.remove({ name: "x" }); console.log("12345")`)
    expect(await resume(logs.runId, { decision: "approve" })).toMatchObject({ error: { code: "limit_logs" } })
  })
})

describe("a run whose sandbox process is killed", () => {
  it("fails with what it had done, and the next one works", async () => {
    await open()
    const running = execute(`
      await tools.s.send({ name: "a" })
      await tools.s.send({ name: "b", hangs: 1 })`)
    await until(() => opened.effects().includes("send b"), "the second call")
    await killSandbox()
    expect(await running).toMatchObject({
      status: "failed",
      error: { code: "sandbox_crashed" },
      calls: [
        { tool: "s__send", status: "ok" },
        { tool: "s__send", status: "error", error: { code: "cancelled" } },
      ],
    })
    expect(await execute("return 1")).toMatchObject({ status: "completed", value: 1 })
  })
})

describe("runs that are kept", () => {
  it("are listed, newest first, page by page", async () => {
    await open()
    const ids: string[] = []
    for (const n of [1, 2, 3]) ids.push((await execute(`return ${n}`)).runId)
    const [third, second, first] = await opened.code.runs()
    expect([first, second, third].map(run => run?.runId)).toEqual(ids)
    expect(third).toMatchObject({ title: "return 3", status: "completed", endedAt: expect.any(String) })
    expect((await opened.code.runs({ limit: 1, before: ids[1] as string })).map(run => run.runId)).toEqual([ids[0]])
  })

  it("are read with their code, input, calls, logs, value and usage", async () => {
    await open()
    const code = `console.warn("careful"); const { did } = await tools.s.send({ name: input.who }); return { did }`
    const { runId } = await execute(code, { input: { who: "me" }, check: false })
    expect(await opened.code.run(runId)).toMatchObject({
      status: "completed",
      code,
      input: { who: "me" },
      value: { did: "send me" },
      logs: [{ level: "warn", text: "careful" }],
      calls: [{ id: 1, tool: "s__send", status: "ok", args: { name: "me" }, result: { did: "send me" } }],
      usage: { calls: 1 },
    })
  })

  it("N3 keep large arguments, answers and values whole", async () => {
    await open()
    const large = "y".repeat(100_000)
    const { runId } = await execute(`return (await tools.s.look({ name: input, chars: 200000 })).filling`, {
      input: large,
      check: false,
    })
    const { calls, value } = await opened.code.run(runId)
    expect(calls[0]).toMatchObject({ args: { name: large }, result: { did: `look ${large}` } })
    expect(value).toBe("x".repeat(200_000))
  })

  it("are forgotten from the oldest on, with all that only they had, but never one that has not ended", async () => {
    await open()
    const waiting = await execute(`await tools.s.remove({ name: "x" }); return "went on"`)
    const large = `return (await tools.s.look({ name: "l", chars: 100000 })).filling`
    const [old, kept] = [await execute(large), await execute(large)]
    const before = (await opened.state.blobs.list()).length
    const runs = openKeptRuns(opened.state.store, opened.state.blobs)
    await runs.prune(1)
    expect((await opened.code.runs()).map(run => run.runId)).toEqual([kept.runId, waiting.runId])
    await expect(opened.code.run(old.runId)).rejects.toMatchObject({ code: "unknown_run" })
    // The other run has the same.
    expect(await opened.code.run(kept.runId)).toMatchObject({ value: "x".repeat(100_000) })
    expect((await opened.state.blobs.list()).length).toBe(before)
    await runs.prune(0)
    expect((await opened.state.blobs.list()).length).toBeLessThan(before)
    expect(await resume(waiting.runId, { decision: "approve" })).toMatchObject({ value: "went on" })
  })

  it("are shown even when what they kept is gone", async () => {
    await open()
    const { runId } = await execute(`return (await tools.s.look({ name: "l", chars: 100000 })).filling`)
    await rm(join(folder, "state", "blobs"), { recursive: true })
    const details = await opened.code.run(runId)
    expect(details).toMatchObject({ status: "completed", calls: [{ tool: "s__look", status: "ok" }] })
    expect(details.value).toBeUndefined()
  })
})

describe("a replay", () => {
  const replay = (runId: string): Promise<RunReport> => opened.code.replay(runId, opened.call())

  it("gives what the run gave, from its record, and calls nothing", async () => {
    await open()
    const code = `
      console.log("random", Math.random())
      const failed = await tools.s.nothing({}).catch(error => error.code)
      return [(await tools.s.send({ name: "a" })).did, failed, Math.random()]`
    const first = await execute(code, { check: false })
    expect(first.status).toBe("completed")
    const again = await replay(first.runId)
    expect(again).toMatchObject({ status: "completed", value: first.value, logs: first.logs })
    expect(again.calls.map(call => [call.tool, call.status])).toEqual(first.calls.map(call => [call.tool, call.status]))
    expect(opened.effects()).toEqual(["send a"])
    // It has a record of its own, which can be read and replayed as well.
    expect((await opened.code.run(again.runId)).calls).toMatchObject([
      { tool: "s.nothing" },
      { result: { did: "send a" } },
    ])
    expect(await replay(again.runId)).toMatchObject({ status: "completed", value: first.value })
  })

  it("gives answers in the order in which they came", async () => {
    await open()
    const race = await execute(`
      const late = new Promise<string>(resolve => setTimeout(() => resolve("late"), 50))
      const soon = tools.s.look({ name: "a" }).then(({ did }) => did)
      return [await Promise.race([late, soon]), await late]`)
    expect(race.value).toEqual(["look a", "late"])
    expect(await replay(race.runId)).toMatchObject({ value: race.value })
  })

  it("ends where the record ends", async () => {
    await open()
    const { runId } = await execute(`await tools.s.send({ name: "a" }); await tools.s.remove({ name: "x" })`)
    expect(await replay(runId)).toMatchObject({
      status: "failed",
      error: { code: "interrupted", message: expect.stringContaining("the record ends here") },
      calls: [{ tool: "s__send" }],
    })
    expect(opened.effects()).toEqual(["send a"])
  })

  it("says so when the script takes another path", async () => {
    await open()
    const { runId } = await execute(`return (await tools.s.look({ name: \`at \${Date.now()}\` })).did`)
    await delay(2)
    expect(await replay(runId)).toMatchObject({
      status: "failed",
      error: { code: "interrupted", message: expect.stringContaining("another path") },
    })
    expect(opened.effects()).toHaveLength(1)
  })
})
