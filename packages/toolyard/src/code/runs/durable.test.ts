import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { until } from "../../../../../tests/fixtures/until.ts"
import type { RunReport, RunRequest, RunSummary } from "../../model/run.ts"
import { effectsOf, openRunCase, type RunCase, type RunCaseOptions } from "./run-case.ts"

const CHILD = join(import.meta.dirname, "run-case.child.ts")
/** Most start several processes, which takes its time on a busy machine. */
const SLOW = { timeout: 90_000 }

let folder: string
const cases: RunCase[] = []
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-runs-"))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  for (const opened of cases.splice(0)) await opened.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options?: RunCaseOptions): Promise<RunCase> {
  const opened = await openRunCase(folder, options)
  cases.push(opened)
  return opened
}

/** A start after another process has ended, however it did. */
async function restart(): Promise<RunCase> {
  const opened = await open()
  await opened.code.revive()
  return opened
}

/** Another process that executes this. */
function startChild(request?: RunRequest) {
  const args = [CHILD, folder, ...(request ? [JSON.stringify(request)] : [])]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const gone = once(child, "exit")
  return {
    async said<T = RunReport>(): Promise<T> {
      const { value } = await lines.next()
      return JSON.parse(String(value)) as T
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL")
      await gone
    },
    async stop(): Promise<void> {
      child.stdin.end()
      await gone
    },
  }
}

const finished = (opened: RunCase, runId: string): Promise<RunReport> =>
  opened.code.resume(runId, opened.call(), { waitMs: 20_000 })
const decide = (opened: RunCase, runId: string): Promise<RunReport> =>
  opened.code.resume(runId, opened.call(), { decision: "approve", waitMs: 20_000 })
const onlyRun = async (opened: RunCase): Promise<RunSummary> => {
  const runs = await opened.code.runs()
  expect(runs).toHaveLength(1)
  return runs[0]!
}
const effects = (): string[] => effectsOf(folder)
const called = (...lines: string[]): Promise<void> =>
  until(
    () => lines.every(line => effects().includes(line)),
    () => `${lines} in ${effects()}`,
  )

const ASKING = `
  console.log("one")
  const sent = await tools.s.send({ name: "a" })
  console.log("two")
  let answer = 41
  const removed = await tools.s.remove({ name: "x" })
  console.log("three")
  return [sent.did, ++answer, removed.did]`
const ANSWER = { status: "completed", value: ["send a", 42, "remove x"], logs: ["one", "two", "three"] }

const BUSY = `
  const all = await Promise.allSettled([
    tools.s.send({ name: "p", hangs: 1 }), tools.s.put({ name: "q", hangs: 1 }), tools.s.look({ name: "r", hangs: 1 }),
  ])
  return all.map(one => one.status === "fulfilled" ? one.value.did : one.reason.code)`

describe("N1 a run whose process is killed", SLOW, () => {
  it("while it waits for a person goes on in another, where it was", async () => {
    const first = startChild({ code: ASKING })
    const { runId, status } = await first.said()
    expect(status).toBe("waiting")
    await first.kill()
    const second = startChild()
    await second.said()
    await second.kill()
    const opened = await restart()
    expect(await onlyRun(opened)).toMatchObject({ runId, status: "waiting" })
    expect(await decide(opened, runId)).toMatchObject(ANSWER)
    expect(effects()).toEqual(["send a", "remove x"])
  })

  it("finds the decision that was made while no process was there", async () => {
    const first = startChild({ code: ASKING })
    const { runId } = await first.said()
    await first.kill()
    const opened = await open()
    await opened.code.decide(runId, "approve", { by: "somebody" })
    await opened.code.revive()
    expect(await finished(opened, runId)).toMatchObject(ANSWER)
  })

  it.each(["at once", "when its machine was kept"])(
    "in the background, %s, is told of the calls that may have been made; the harmless ones are made again",
    async when => {
      const first = startChild({ code: BUSY, background: true })
      const { runId } = await first.said()
      await called("send p", "put q", "look r")
      if (when !== "at once") await until(() => snapshots().length > 0, "a snapshot")
      await first.kill()
      const opened = await restart()
      expect(await finished(opened, runId)).toMatchObject({
        status: "completed",
        value: ["interrupted", "put q", "look r"],
        calls: [{ status: "error", error: { code: "interrupted" } }, { status: "ok" }, { status: "ok" }],
      })
      expect(effects().filter(line => line === "send p")).toHaveLength(1)
      expect((await opened.code.run(runId)).calls).toMatchObject([{ error: { code: "interrupted" } }, {}, {}])
    },
  )

  it("in the foreground has failed, with the calls that it made", async () => {
    const first = startChild({ code: BUSY })
    await called("send p", "put q", "look r")
    await first.kill()
    const opened = await restart()
    const { runId, status, error } = await onlyRun(opened)
    expect({ status, code: error?.code }).toEqual({ status: "failed", code: "interrupted" })
    expect((await opened.code.run(runId)).calls).toMatchObject([
      { tool: "s__send", args: { name: "p" }, status: "error", error: { code: "interrupted" } },
      { tool: "s__put", status: "error" },
      { tool: "s__look", status: "error" },
    ])
    expect(effects()).toHaveLength(3)
  })

  it("goes on with a timer that was set before", async () => {
    const first = startChild({
      code: `await tools.s.send({ name: "a" }); await new Promise(done => setTimeout(done, 1000)); return "slept"`,
      background: true,
    })
    const { runId } = await first.said()
    const opened = await open()
    await until(async () => (await opened.code.run(runId)).calls[0]?.status === "ok", "the call")
    await first.kill()
    await opened.code.revive()
    expect(await finished(opened, runId)).toMatchObject({ status: "completed", value: "slept" })
    expect(effects()).toEqual(["send a"])
  })

  it("is checked before it acts, if it had not been", async () => {
    const first = startChild({ code: `await tools.s.send({ nam: "a" })`, background: true })
    const { runId } = await first.said()
    await first.kill()
    expect(await finished(await restart(), runId)).toMatchObject({ status: "failed", error: { code: "type_error" } })
    expect(effects()).toEqual([])
  })
})

const snapshots = (): string[] => {
  const blobs = join(folder, "state", "blobs")
  if (!existsSync(blobs)) return []
  return readdirSync(blobs, { recursive: true, encoding: "utf8" }).filter(name => /^..\/[a-z0-9]+$/.test(name))
}

describe("N1 a run whose snapshot cannot be used", SLOW, () => {
  const damages: Record<string, (runId: string) => Promise<void>> = {
    missing: () => rm(join(folder, "state", "blobs"), { recursive: true }),
    damaged: async () => {
      for (const name of snapshots()) await writeFile(join(folder, "state", "blobs", name), "something else")
    },
    "of another engine": async runId => {
      const opened = await openRunCase(folder)
      const [newest] = await opened.state.store.tail(`run ${runId}`, { limit: 1, filter: { t: "snapshot" } })
      await opened.state.store.append(`run ${runId}`, [{ ...newest?.data, engine: "another" }])
      await opened.close()
    },
  }
  it.each(Object.keys(damages))("because it is %s comes as far again by its record", async how => {
    const first = startChild({ code: ASKING })
    const { runId } = await first.said()
    await first.kill()
    expect(snapshots()).toHaveLength(1)
    await damages[how]?.(runId)
    const opened = await restart()
    expect(await decide(opened, runId)).toMatchObject(ANSWER)
    expect(effects()).toEqual(["send a", "remove x"])
    expect((await opened.code.run(runId)).logs.map(({ text }) => text)).toEqual(["one", "two", "three"])
  })

  it("gets its answers in the order in which they came", async () => {
    const first = startChild({
      code: `
        const late = new Promise<string>(resolve => setTimeout(() => resolve("late"), 50))
        const soon = tools.s.look({ name: "a" }).then(({ did }) => did)
        const winner = await Promise.race([late, soon])
        await late
        await tools.s.remove({ name: winner })
        return winner`,
    })
    const { runId } = await first.said()
    await first.kill()
    await rm(join(folder, "state", "blobs"), { recursive: true })
    expect(await decide(await restart(), runId)).toMatchObject({ status: "completed", value: "look a" })
    expect(effects()).toEqual(["look a", "remove look a"])
  })

  it("fails when its script takes another path, and does nothing more", async () => {
    const first = startChild({
      code: `await tools.s.send({ name: \`at \${Date.now()}\` }); await tools.s.remove({ name: "x" })`,
    })
    const { runId } = await first.said()
    await first.kill()
    await rm(join(folder, "state", "blobs"), { recursive: true })
    const opened = await restart()
    expect(await finished(opened, runId)).toMatchObject({
      status: "failed",
      error: { code: "interrupted", message: expect.stringContaining("another path") },
    })
    expect(effects()).toHaveLength(1)
    expect(await opened.code.approvals()).toEqual([])
  })
})

describe("N1 a run whose hub is stopped in good order", SLOW, () => {
  it("goes on where it was when it waited or nobody waited for it", async () => {
    const first = await open()
    const waiting = await first.code.execute({ code: ASKING }, first.call())
    const busy = await first.code.execute({ code: BUSY, background: true }, first.call())
    await called("send p", "put q", "look r")
    await first.close()
    const opened = await restart()
    expect(await decide(opened, waiting.runId)).toMatchObject(ANSWER)
    expect(await finished(opened, busy.runId)).toMatchObject({ value: ["interrupted", "put q", "look r"] })
    expect(opened.warnings).toEqual([])
  })

  it("fails when somebody waits for it, who is told so", async () => {
    const first = await open()
    const running = first.code.execute({ code: BUSY }, first.call())
    await called("send p", "put q", "look r")
    await first.close()
    expect(await running).toMatchObject({ status: "failed", error: { code: "interrupted" } })
    expect(await onlyRun(await restart())).toMatchObject({ status: "failed", error: { code: "interrupted" } })
  })

  it("lets those go who wait for one in the background", async () => {
    const first = await open()
    const { runId } = await first.code.execute({ code: BUSY, background: true }, first.call())
    const waiting = first.code.resume(runId, first.call(), { waitMs: 60_000 })
    await called("send p", "put q", "look r")
    await first.close()
    expect(await waiting).toMatchObject({ runId, status: "running" })
  })
})

describe("N1 a run of which several hubs know", SLOW, () => {
  it("is left to the one that holds it", async () => {
    const first = await open()
    const { runId } = await first.code.execute({ code: ASKING }, first.call())
    const other = await restart()
    await expect(finished(other, runId)).rejects.toMatchObject({ message: expect.stringContaining("another toolyard") })
    expect(await decide(first, runId)).toMatchObject(ANSWER)
    // Now that it has ended, it is there for all.
    expect(await finished(other, runId)).toMatchObject(ANSWER)
  })

  it("is taken up by one of them only when that is gone", async () => {
    const first = startChild({ code: ASKING })
    const { runId } = await first.said()
    await first.kill()
    const hubs = await Promise.all([open(), open(), open()])
    await Promise.all(hubs.map(({ code }) => code.revive()))
    await hubs[0]?.code.decide(runId, "approve", { by: "somebody" })
    await until(async () => (await onlyRun(hubs[0]!)).status === "completed", "its end")
    expect(effects()).toEqual(["send a", "remove x"])
  })

  it("is taken up once, however many ask for it at once", async () => {
    const first = startChild({ code: ASKING })
    const { runId } = await first.said()
    await first.kill()
    const opened = await open()
    await opened.code.decide(runId, "approve", { by: "somebody" })
    const all = [finished(opened, runId), opened.code.revive(), finished(opened, runId)]
    expect((await Promise.all(all))[0]).toMatchObject(ANSWER)
    expect(effects()).toEqual(["send a", "remove x"])
  })
})
