import { setTimeout as later } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { allGone, isAlive } from "../../../../tests/fixtures/processes.ts"
import { type OpenSandbox, openTestSandbox } from "../../../../tests/fixtures/sandbox.ts"
import { until } from "../../../../tests/fixtures/until.ts"

const open: OpenSandbox[] = []
const sandboxOf = (options?: Parameters<typeof openTestSandbox>[0]): OpenSandbox => {
  const sandbox = openTestSandbox(options)
  open.push(sandbox)
  return sandbox
}
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.end()
})

describe("a sandbox", () => {
  it("runs scripts that were started before any process is ready", async () => {
    const sandbox = sandboxOf()
    const values = await Promise.all([1, 2, 3].map(n => sandbox.valueOf("return input * 2", { input: n })))
    expect(values).toEqual([2, 4, 6])
  })

  it("names what the yard offers, also after it changed", async () => {
    const sandbox = sandboxOf()
    sandbox.setNames('{"one":["a","b"],"__proto__":["c"]}')
    const look =
      "return [Object.keys(tools), Object.keys(tools.one), Object.keys(tools.constructor), Object.keys(tools.__proto__)]"
    expect(await sandbox.valueOf(look)).toEqual([["one", "__proto__"], ["a", "b"], [], ["c"]])
    sandbox.setNames('{"two":[]}')
    expect(await sandbox.valueOf("return Object.keys(tools)")).toEqual(["two"])
  })

  it("runs two hundred at once, each with calls of its own", async () => {
    const sandbox = sandboxOf({ size: 2 })
    const body = "const a = await tools.s.t(input); const b = await tools.s.t(a); return [input, a, b]"
    const answer = ({ payload }: { payload: string }): string => String(JSON.parse(payload)[2] + 1000)
    const all = Array.from({ length: 200 }, (_, n) => sandbox.valueOf(body, { input: n, answer }))
    expect(await Promise.all(all)).toEqual(all.map((_, n) => [n, n + 1000, n + 2000]))
  })

  it("drops what comes for a run that has ended", async () => {
    const sandbox = sandboxOf()
    const { run, end } = sandbox.run("return 1")
    await end
    run.answer(1, "1")
    run.fail(2, '{"message":"late"}')
    run.stop()
    expect(await run.snapshot()).toBeUndefined()
    expect(await sandbox.valueOf("return 2")).toBe(2)
  })
})

describe("each limit has its own end", () => {
  it("of computing, over all the steps of a run", async () => {
    const sandbox = sandboxOf()
    const { end } = sandbox.run("for (;;);", { limits: { cpuMs: 100 } })
    expect(await end).toMatchObject({ how: "stopped", reason: "limit_cpu" })
    const spin = "for (;;) { const until = Date.now() + 30; while (Date.now() < until); await tools.a.b() }"
    const steps = sandbox.run(spin, { limits: { cpuMs: 100 }, answer: () => "1" })
    expect(await steps.end).toMatchObject({ how: "stopped", reason: "limit_cpu" })
    expect(steps.calls.length).toBeGreaterThan(0)
  })

  it("of memory", async () => {
    const { end } = sandboxOf().run("const all = []; for (;;) all.push(new Uint8Array(1e6))")
    expect(await end).toMatchObject({ how: "error", json: expect.stringContaining('"out of memory"') })
  })

  it("of calls, of calls under way, and of one call's arguments", async () => {
    const sandbox = sandboxOf()
    const refusals = "const codes = {}; const note = e => { codes[e.code] = (codes[e.code] ?? 0) + 1 };"
    const many = `${refusals} for (let i = 0; i < 10; i++) await tools.a.b().catch(note); return codes`
    expect(await sandbox.valueOf(many, { limits: { maxCalls: 4 }, answer: () => "1" })).toEqual({ limit_calls: 6 })
    const atOnce = `${refusals} await Promise.all(Array.from({ length: 10 }, () => tools.a.b().catch(note))); return codes`
    expect(await sandbox.valueOf(atOnce, { limits: { maxCallsInFlight: 4 }, answer: () => "1" })).toEqual({
      limit_calls_in_flight: 6,
    })
    const large = `${refusals} await tools.a.b('x'.repeat(2000)).catch(note); return codes`
    expect(await sandbox.valueOf(large, { limits: { maxResultBytes: 1000 } })).toEqual({ limit_result: 1 })
  })

  it("of the log", async () => {
    const { end, logs } = sandboxOf().run("for (;;) console.log('x'.repeat(99))", { limits: { maxLogBytes: 1000 } })
    expect(await end).toMatchObject({ how: "stopped", reason: "limit_logs" })
    expect(logs.length).toBe(10)
  })

  it("of the value and of the error", async () => {
    const sandbox = sandboxOf()
    for (const body of ["return 'x'.repeat(2000)", "throw new Error('x'.repeat(2000))"])
      expect(await sandbox.run(body, { limits: { maxResultBytes: 1000 } }).end).toMatchObject({
        how: "stopped",
        reason: "limit_result",
      })
  })

  it("of time, kept by whoever stops it: waiting, computing, or not yet begun", async () => {
    const sandbox = sandboxOf()
    const unbegun = sandbox.run("return 1")
    unbegun.run.stop()
    expect(await unbegun.end).toMatchObject({ how: "stopped", reason: "" })
    const waiting = sandbox.run("await tools.a.b()")
    await waiting.called(1)
    waiting.run.stop()
    expect(await waiting.end).toMatchObject({ how: "stopped", reason: "" })
    const computing = sandbox.run("tools.a.b(); for (;;);")
    await computing.called(1)
    computing.run.stop()
    expect(await computing.end).toMatchObject({ how: "stopped", reason: "" })
  })
})

describe("runs do not disturb each other", () => {
  it("an endless loop, a memory bomb and fifty others: the fifty finish while the loop still runs", async () => {
    const sandbox = sandboxOf()
    const loop = sandbox.run("tools.a.b(); for (;;);", { limits: { cpuMs: 100_000 } })
    await loop.called(1)
    const bomb = sandbox.run("const all = []; for (;;) all.push('x'.repeat(1e5) + all.length)")
    const body = "let n = 0; for (let i = 0; i < 5; i++) n += await tools.a.b(i); return n"
    const fifty = await Promise.all(Array.from({ length: 50 }, () => sandbox.valueOf(body, { answer: () => "2" })))
    expect(fifty).toEqual(Array(50).fill(10))
    expect(loop.hasEnded()).toBe(false)
    expect(await bomb.end).toMatchObject({ how: "error", json: expect.stringContaining("out of memory") })
    loop.run.stop()
    expect(await loop.end).toMatchObject({ how: "stopped", reason: "" })
  })

  it("those behind a script that can't even be interrupted go elsewhere, and it ends with its limit", async () => {
    const sandbox = sandboxOf()
    await sandbox.valueOf("return 1")
    const stuck = sandbox.run("return new Array(2 ** 32 - 1).join('')", { limits: { cpuMs: 4000 } })
    const behind = Array.from({ length: 5 }, () => sandbox.valueOf("return 2"))
    expect(await Promise.all(behind)).toEqual([2, 2, 2, 2, 2])
    expect(stuck.hasEnded()).toBe(false)
    expect(await stuck.end).toMatchObject({ how: "stopped", reason: "limit_cpu" })
  })

  it("a script that can't be interrupted is stopped by force, and is not begun again", async () => {
    const sandbox = sandboxOf()
    const stuck = sandbox.run("return new Array(2 ** 32 - 1).join('')")
    await until(() => sandbox.pids.length > 0, "a process")
    await sandbox.valueOf("return 1")
    stuck.run.stop()
    expect(await stuck.end).toMatchObject({ how: "stopped", reason: "" })
    expect(await sandbox.valueOf("return 2")).toBe(2)
  })

  it("one that is told to stop under the loop of another ends, and the other goes on", async () => {
    const sandbox = sandboxOf({ size: 1 })
    const lower = sandbox.run("tools.a.b(); for (;;);", { limits: { cpuMs: 100_000 } })
    await lower.called(1)
    const upper = sandbox.run("await tools.a.b(); for (let n = 0; n < input;) n = Date.now(); return 1", {
      input: Date.now() + 4000,
      answer: () => "1",
      limits: { cpuMs: 100_000 },
    })
    await upper.called(1)
    lower.run.stop()
    expect(await lower.end).toMatchObject({ how: "stopped", reason: "" })
    expect(await upper.end).toMatchObject({ how: "value", json: "1" })
  })
})

describe("a run that waits", () => {
  const WAITING = "const a = tools.a.b(); const b = tools.a.c(); return [await a, await b, input, Math.random()]"

  it("is taken up in another sandbox, and hears answers that came before it had a place", async () => {
    const first = sandboxOf()
    const { run, called } = first.run(WAITING, { input: "kept" })
    await called(2)
    const bytes = await run.snapshot()
    await first.end()
    const { run: again, end } = sandboxOf().resume({ bytes: bytes as Uint8Array, inFlight: 2 })
    again.answer(2, '"second"')
    again.fail(1, '{"message":"interrupted"}')
    expect(await end).toMatchObject({ how: "error", json: expect.stringContaining("interrupted") })
    const { run: once, end: whole } = sandboxOf().resume({ bytes: bytes as Uint8Array, inFlight: 2 })
    once.answer(1, '"first"')
    once.answer(2, '"second"')
    expect(await whole).toMatchObject({ how: "value", json: expect.stringMatching(/^\["first","second","kept",0\./) })
  })

  it("is taken up while another computes", async () => {
    const sandbox = sandboxOf()
    const { run, called } = sandbox.run(WAITING)
    await called(2)
    const bytes = (await run.snapshot()) as Uint8Array
    const loop = sandbox.run("tools.a.b(); for (;;);", { limits: { cpuMs: 100_000 } })
    await loop.called(1)
    const again = sandbox.resume({ bytes, inFlight: 2 })
    for (const id of [1, 2]) again.run.answer(id, "1")
    expect(await again.end).toMatchObject({ how: "value" })
    expect(loop.hasEnded()).toBe(false)
  })

  it("can't be taken up from a damaged snapshot, and says so", async () => {
    const sandbox = sandboxOf()
    const { end } = sandbox.resume({ bytes: Buffer.from("not a snapshot"), inFlight: 0 })
    expect(await end).toMatchObject({ how: "stopped", reason: expect.stringMatching(/^trap: the snapshot cannot/) })
    expect(await sandbox.valueOf("return 1")).toBe(1)
  })

  it("has no snapshot while it computes", async () => {
    const { run, called } = sandboxOf().run("tools.a.b(); for (;;);")
    await called(1)
    expect(await run.snapshot()).toBeUndefined()
    run.stop()
  })
})

describe("processes", () => {
  const kill = (sandbox: OpenSandbox): boolean => process.kill(sandbox.processes().at(-1) as number, "SIGKILL")

  it("killed: what had said nothing runs again elsewhere, the rest is told, and another process takes over", async () => {
    const sandbox = sandboxOf()
    const spoken = sandbox.run("await tools.a.b()")
    await spoken.called(1)
    const silent = sandbox.run("while (Date.now() < input); return 5", { input: Date.now() + 1500 })
    await later(0)
    kill(sandbox)
    expect(await spoken.end).toMatchObject({ how: "crashed", message: expect.stringContaining("died") })
    expect(await silent.end).toMatchObject({ how: "value", json: "5" })
    expect(sandbox.pids.length).toBeGreaterThan(1)
    expect(isAlive(sandbox.pids[0] as number)).toBe(false)
  })

  it("are told of when they begin and when they are gone", async () => {
    const [begun, gone]: number[][] = [[], []]
    const sandbox = openTestSandbox({ onSpawn: pid => begun?.push(pid), onExit: pid => gone?.push(pid) })
    expect(await sandbox.valueOf("return 1")).toBe(1)
    expect([begun, gone]).toEqual([[expect.any(Number)], []])
    await sandbox.end()
    expect(gone).toEqual(begun)
  })

  it("killed while idle is replaced, and stays confined", async () => {
    const sandbox = sandboxOf()
    sandbox.warm()
    await sandbox.valueOf("return 1")
    kill(sandbox)
    await allGone(sandbox.pids.slice(0, 1))
    expect(await sandbox.valueOf("return 2")).toBe(2)
    expect(sandbox.logged).toEqual([])
  })

  it("are gone after close, and every run has been told", async () => {
    const sandbox = sandboxOf({ size: 2 })
    const waiting = sandbox.run("await tools.a.b()")
    await waiting.called(1)
    const looping = sandbox.run("for (;;);")
    const unplaced = openTestSandbox()
    const early = unplaced.run("return 1")
    await Promise.all([sandbox.end(), unplaced.end()])
    for (const { end } of [waiting, looping, early, sandbox.run("return 1")])
      expect(await end).toMatchObject({ how: "crashed" })
  })
})
