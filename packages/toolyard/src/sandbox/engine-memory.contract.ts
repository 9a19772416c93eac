/** What a virtual machine remembers: all of it in a snapshot, none of it after a reset. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { type EngineUnderTest, type RunOptions, runIn, type Told } from "./engine.contract.ts"
import type { Engine } from "./engine.ts"

const WAITING = `
  const local = { n: 40, map: new Map([['k', [1, 2]]]) }
  let ticks = 0
  globalThis.kept = 'kept'
  const timer = new Promise(done => setTimeout(() => { ticks++; done() }, 50))
  const [a, b] = await Promise.all([tools.a.one(), tools.a.two({ deep: true })])
  await timer
  const c = await tools.a.three([a, b])
  return { a, b, c, n: local.n + 2, map: local.map, ticks, kept, random: Math.random(), url: new URL('http://x/y').href }`

/** What `WAITING` gives when 1 is the timer, 2 and 3 its calls, and 4 the last. */
const FINISHED = { a: "A", b: "B", c: "C", n: 42, map: { k: [1, 2] }, ticks: 1, kept: "kept", url: "http://x/y" }

/** Runs in another process: restores, answers, prints how it ended. */
const ELSEWHERE = `
  const ends = []
  const host = { call: () => undefined, names: () => '[]', log() {}, interrupt: () => false, end: (how, json) => ends.push({ how, json }) }
  const vm = await engine.restore(readFileSync(process.argv[1]), () => host)
  for (const [id, value] of [[3, '"B"'], [1, ''], [2, '"A"'], [4, '"C"']]) vm.answer(id, true, value)
  process.stdout.write(JSON.stringify(ends))`

export function describeMemory(
  engine: Engine,
  run: (body: string, options?: RunOptions) => Promise<Told>,
  { openElsewhere }: EngineUnderTest,
): void {
  const finish = (told: Told): unknown => {
    for (const [id, value] of [
      [2, "A"],
      [1, undefined],
      [3, "B"],
      [4, "C"],
    ] as const)
      told.answer(id, value)
    return told.value()
  }

  describe("a snapshot", () => {
    it("taken while it waits goes on in another machine, and the first goes on too", async () => {
      const first = await run(WAITING)
      const second = await runIn(engine, undefined, { snapshot: first.vm.snapshot() })
      const third = await runIn(engine, undefined, { snapshot: second.vm.snapshot() })
      const values = [first, second, third].map(finish) as Record<string, unknown>[]
      expect(values[0]).toMatchObject(FINISHED)
      expect(values.slice(1)).toEqual([values[0], values[0]])
      expect(second.calls.map(({ id, payload }) => [id, payload])).toEqual([[4, '["a","three",["A","B"]]']])
    })

    it("goes on in another process", async () => {
      const folder = await mkdtemp(join(tmpdir(), "engine-"))
      try {
        const file = join(folder, "snapshot")
        await writeFile(file, (await run(WAITING)).vm.snapshot())
        const code = `import { readFileSync } from "node:fs"; const engine = ${openElsewhere}; ${ELSEWHERE}`
        const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code, file])
        expect(JSON.parse(stdout)).toEqual([{ how: "value", json: expect.any(String) }])
        expect(JSON.parse(JSON.parse(stdout)[0].json)).toMatchObject(FINISHED)
      } finally {
        await rm(folder, { recursive: true })
      }
    })

    it("holds 20 MB", async () => {
      const told = await run(`
        const all = Array.from({ length: 320 }, () => crypto.getRandomValues(new Uint8Array(65536)))
        const seen = () => all.map(part => [0, 1, 32767, 65535].map(at => part[at])).join()
        const before = seen(); await tools.a.b(); return before === seen()`)
      expect(told.failure).toBeUndefined()
      const snapshot = told.vm.snapshot()
      expect(snapshot.length).toBeGreaterThan(10_000_000)
      const restored = await runIn(engine, undefined, { snapshot })
      restored.answer(1, undefined)
      expect(restored.value()).toBe(true)
    })

    it("keeps the limits: a restored script can be interrupted", async () => {
      const { vm } = await run("await tools.a.b(); for (;;);")
      const restored = await runIn(engine, undefined, { snapshot: vm.snapshot() })
      restored.answer(1, undefined)
      expect(restored.failure).toBe("interrupted")
    })

    it("that is damaged fails and breaks nothing", async () => {
      const snapshot = (await run(WAITING)).vm.snapshot()
      const flipped = snapshot.slice()
      for (let at = 100; at < flipped.length; at += 997) flipped[at] = (flipped[at] ?? 0) ^ 0xff
      for (const damaged of [new Uint8Array(0), new Uint8Array(64), snapshot.slice(0, snapshot.length / 2), flipped])
        await expect(runIn(engine, undefined, { snapshot: damaged })).rejects.toThrow()
      expect((await run("return 1")).value()).toBe(1)
    })
  })

  describe("a reset", () => {
    const DIRTY = `
      globalThis.leak = 1; leaked = 2; Object.prototype.polluted = 3; Array.prototype.map = null
      JSON.parse = Math.max = console.log = fetch = setTimeout = undefined; delete globalThis.URL
      Error.stackTraceLimit = 0; Symbol.for('leak'); tools.a.b; ToolError.prototype.evil = 1
      new FinalizationRegistry(() => {}).register({}, 1); Object.freeze(Object.prototype)
      const { tools: imported } = await import('toolyard'); imported.x = 1
      tools.never.answered(); setInterval(() => { globalThis.ticked = true }, 1)
      ;(async () => { await tools.a.b(); globalThis.resumed = true })()
      return Math.random()`
    const LOOK = `
      return {
        leaks: [typeof leak, typeof leaked, typeof ticked, typeof resumed, ({}).polluted, ToolError.prototype.evil].map(String),
        alive: [typeof JSON.parse, typeof Math.max, typeof console.log, typeof fetch, typeof setTimeout, typeof URL, typeof [].map],
        globals: Object.getOwnPropertyNames(globalThis).sort().join(), imported: Object.keys(await import('toolyard')).join(),
        frozen: Object.isFrozen(Object.prototype), random: Math.random(), limit: Error.stackTraceLimit,
      }`

    /** One machine, several scripts, as a process does it. */
    async function reuse(bodies: string[]): Promise<{ ends: string[]; calls: number[]; couldReset: boolean[] }> {
      const result = { ends: [] as string[], calls: [] as number[], couldReset: [] as boolean[] }
      const vm = await engine.create(() => ({
        call: id => void result.calls.push(id),
        names: () => "[]",
        log: () => {},
        end: (how, json) => void result.ends.push(`${how} ${json}`),
        interrupt: () => false,
      }))
      for (const body of bodies) {
        vm.start({ code: `(async input => {${body}})`, input: undefined, seed: 9 })
        result.couldReset.push(vm.reset())
        // Answers to what the script before asked for.
        for (let id = 1; id < 8; id++) vm.answer(id, true, "1")
        result.couldReset.push(vm.reset())
      }
      return result
    }

    it("leaves nothing of a script for the next to see", async () => {
      const fresh = await run(LOOK, { seed: 9 })
      const { ends, couldReset } = await reuse([DIRTY, LOOK, DIRTY, LOOK])
      expect(couldReset).toEqual(Array(8).fill(true))
      const seen = ends.filter(end => end.startsWith("value {")).map(end => JSON.parse(end.slice(6)))
      expect(seen).toEqual([fresh.value(), fresh.value()])
    })

    it("does not repeat what crypto drew", async () => {
      const draw = `
        const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt'])
        return crypto.randomUUID() + [...new Uint8Array(await crypto.subtle.exportKey('raw', key))]`
      const drawn = (await reuse([draw, draw, draw])).ends.filter(end => end.startsWith("value "))
      expect([drawn.length, new Set(drawn).size]).toEqual([3, 3])
    })

    it("counts calls anew", async () => {
      const body = "await Promise.all([tools.a.b(), tools.a.b()])"
      expect((await reuse([body, body, body])).calls).toEqual([1, 2, 1, 2, 1, 2])
    })

    it("is refused by a machine that broke or grew", async () => {
      for (const body of ["throw 1; for", "const all = []; for (;;) all.push(new Uint8Array(1e6))"])
        expect((await reuse([body])).couldReset[0], body).toBe(false)
      const looped = await run("for (;;);")
      expect(looped.vm.reset()).toBe(false)
    })
  })
}
