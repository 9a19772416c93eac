/**
 * What every engine keeps: how a script ends, what it may call, what it sees. An engine's own test runs these against
 * the real thing, in its own process; what concerns values and memory stands in the two files beside this one.
 */
import { describe, expect, it } from "vitest"
import type { Engine, Vm, VmFailure } from "./engine.ts"
import { describeMemory } from "./engine-memory.contract.ts"
import { describeValues } from "./engine-values.contract.ts"

export interface EngineUnderTest {
  open(memoryBytes: number): Promise<Engine>
  /** JavaScript for another process: an expression, which may await, that gives an engine with 64 MB. */
  openElsewhere: string
}

export interface Told {
  vm: Vm
  calls: { id: number; kind: string; payload: string }[]
  logs: { level: string; text: string }[]
  ends: { how: string; json: string }[]
  failure: VmFailure | undefined
  answer(id: number, value: unknown): void
  fail(id: number, error: unknown): void
  /** The value it ended with; fails when it ended in any other way. */
  value(): unknown
  error(): { name?: string; message: string; tool?: unknown[] }
}

export interface RunOptions {
  input?: string
  seed?: number
  names?: Record<string, string[]>
  /** What a call is refused with. */
  refuse?: (kind: string) => string | undefined
  snapshot?: Uint8Array
}

/** A machine that hears the body of an async function, with everything written down that it says. */
export async function runIn(engine: Engine, body: string | undefined, options: RunOptions = {}): Promise<Told> {
  let deadline = Number.POSITIVE_INFINITY
  const [calls, logs, ends]: [Told["calls"], Told["logs"], Told["ends"]] = [[], [], []]
  const host = {
    call(id: number, kind: string, payload: string) {
      const refusal = options.refuse?.(kind)
      if (refusal === undefined) calls.push({ id, kind, payload })
      return refusal
    },
    names: (server: string | undefined) =>
      JSON.stringify(server ? (options.names?.[server] ?? []) : Object.keys(options.names ?? {})),
    log: (level: string, text: string) => void logs.push({ level, text }),
    end: (how: string, json: string) => void ends.push({ how, json }),
    interrupt: () => performance.now() > deadline,
  }
  const vm = await (options.snapshot ? engine.restore(options.snapshot, () => host) : engine.create(() => host))
  const only = (how: string): string => {
    expect({ failure: told.failure, ends }).toEqual({ failure: undefined, ends: [{ how, json: expect.any(String) }] })
    return ends[0]?.json ?? ""
  }
  const step = (work: () => VmFailure | undefined): void => {
    deadline = performance.now() + 2000
    told.failure = work()
  }
  const told: Told = {
    vm,
    calls,
    logs,
    ends,
    failure: undefined,
    answer: (id, value) => step(() => vm.answer(id, true, value === undefined ? "" : JSON.stringify(value))),
    fail: (id, error) => step(() => vm.answer(id, false, JSON.stringify(error))),
    value() {
      const json = only("value")
      return json === "" ? undefined : JSON.parse(json)
    },
    error: () => JSON.parse(only("error")),
  }
  const { input, seed = 7 } = options
  if (body !== undefined) step(() => vm.start({ code: `(async input => {${body}\n})`, input, seed }))
  return told
}

export function describeEngine(name: string, under: EngineUnderTest): void {
  describe(`${name} as an engine`, async () => {
    const engine = await under.open(64 * 1024 * 1024)
    const run = (body: string, options?: RunOptions): Promise<Told> => runIn(engine, body, options)

    describe("how a script ends", () => {
      it("gives the value that it returned", async () => {
        expect((await run("return { a: [1, input.b] }", { input: '{"b":2}' })).value()).toEqual({ a: [1, 2] })
      })

      it("gives nothing for undefined", async () => expect((await run("return")).value()).toBeUndefined())

      it("tells what it threw, and where", async () => {
        const { name, message } = (await run("\n  null.x")).error()
        expect({ name, message }).toEqual({ name: "TypeError", message: expect.stringContaining("null") })
      })

      it("says that it is stuck when nothing is left that could wake it", async () => {
        const { ends, failure } = await run("await new Promise(() => {})")
        expect({ ends, failure }).toEqual({ ends: [{ how: "stuck", json: "" }], failure: undefined })
      })

      it("tells a syntax error", async () => expect((await run("return ]")).error().name).toBe("SyntaxError"))

      it("tells what a timer's function and a microtask threw", async () => {
        const timer = await run("setTimeout(() => { throw new TypeError('late') }, 5); await new Promise(() => {})")
        timer.answer(1, undefined)
        expect(timer.error().message).toBe("late")
        const micro = await run("queueMicrotask(() => { throw new TypeError('soon') }); await tools.a.b()")
        expect(micro.error().message).toContain("soon")
      })

      it("is interrupted in a loop, before and after an await, in a regular expression and in microtasks", async () => {
        const loops = [
          "for (;;);",
          "await 0; for (;;);",
          "/(a+)+$/.test('a'.repeat(60) + 'b')",
          "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
        ]
        for (const loop of loops) expect((await run(loop)).failure, loop).toBe("interrupted")
      })

      it("meets its own limits of memory and depth, not the host's", async () => {
        expect((await run("const all = []; for (;;) all.push(new Uint8Array(1e6))")).error().message).toBe(
          "out of memory",
        )
        expect((await run("const f = () => f() + 1; f()")).error().name).toBe("RangeError")
      })
    })

    describe("what a script calls", () => {
      it("gets its answers in any order", async () => {
        const told = await run("return await Promise.all([tools.a.b({ n: 1 }), tools.a.b({ n: 2 }), tools.c.d()])")
        expect(told.calls.map(({ id, kind, payload }) => [id, kind, payload])).toEqual([
          [1, "tool", '["a","b",{"n":1}]'],
          [2, "tool", '["a","b",{"n":2}]'],
          [3, "tool", '["c","d"]'],
        ])
        for (const id of [3, 1, 2]) told.answer(id, `answer ${id}`)
        expect(told.value()).toEqual(["answer 1", "answer 2", "answer 3"])
      })

      it("makes a hundred at once", async () => {
        const told = await run("return (await Promise.all(Array.from({ length: 100 }, (_, i) => tools.a.b(i)))).length")
        expect(told.calls.length).toBe(100)
        for (const { id } of told.calls.toReversed()) told.answer(id, id)
        expect(told.value()).toBe(100)
      })

      it("hears no answer twice, none that it did not ask for, and none after its end", async () => {
        const told = await run("const a = await tools.a.b(); const b = await tools.a.b(); return [a, b]")
        told.answer(99, "unasked")
        told.answer(1, "first")
        told.answer(1, "again")
        told.answer(2, "second")
        for (const id of [1, 2, 3]) told.answer(id, "late")
        expect(told.value()).toEqual(["first", "second"])
      })

      it("ends only when the calls that it did not await are answered", async () => {
        const told = await run("tools.a.b(); return 1")
        expect(told.ends).toEqual([])
        told.fail(1, { message: "no" })
        expect(told.value()).toBe(1)
      })

      it("can catch a ToolError with all its fields", async () => {
        const told = await run(`
          try { await tools.a.b() } catch (error) {
            const { server, tool, code, message, data, name } = error
            return { server, tool, code, message, data, name, is: error instanceof ToolError && error instanceof Error }
          }`)
        const about = { server: "a", tool: "b", code: "denied", message: "not you", data: { why: [1] } }
        told.fail(1, about)
        expect(told.value()).toEqual({ ...about, name: "ToolError", is: true })
      })

      it("tells a ToolError that it did not catch", async () => {
        const told = await run("await tools.a.b()")
        told.fail(1, { server: "a", tool: "b", code: "denied", message: "not you", data: 5 })
        expect(told.error()).toMatchObject({ message: "not you", tool: ["a", "b", "denied", 5] })
      })

      it("is refused on the spot", async () => {
        const refuse = (): string => '{"code":"limit_calls","message":"enough"}'
        const told = await run("try { await tools.a.b() } catch (e) { return [e.code, e.message] }", { refuse })
        expect(told.value()).toEqual(["limit_calls", "enough"])
        expect((await run("setTimeout(() => {}, 1)", { refuse })).error().message).toBe("enough")
      })

      it("names its servers and tools, and takes any name", async () => {
        const names = { one: ["a", "b"], constructor: ["then"] }
        const told = await run(
          "return [Object.keys(tools), Object.keys(tools.one), 'two' in tools, 'a' in tools.one]",
          {
            names,
          },
        )
        expect(told.value()).toEqual([["one", "constructor"], ["a", "b"], false, true])
        const odd = await run(
          "return await Promise.all([tools.__proto__.constructor(), tools.constructor.__proto__(1)])",
        )
        expect(odd.calls.map(call => call.payload)).toEqual([
          '["__proto__","constructor"]',
          '["constructor","__proto__",1]',
        ])
      })
    })

    describe("timers", () => {
      it("fire when they are answered, with their arguments, in the order of the answers", async () => {
        const told = await run(`
          const seen = []
          const sleep = (ms, name) => new Promise(done => setTimeout(x => { seen.push(x); done() }, ms, name))
          await Promise.all([sleep(20, 'slow'), sleep(10, 'fast'), sleep('x', 'now')])
          return seen`)
        expect(told.calls.map(({ kind, payload }) => [kind, payload])).toEqual([
          ["timer", "20"],
          ["timer", "10"],
          ["timer", "0"],
        ])
        for (const id of [3, 2, 1]) told.answer(id, undefined)
        expect(told.value()).toEqual(["now", "fast", "slow"])
      })

      it("do not fire once cleared, and an interval goes on until then", async () => {
        const told = await run(`
          let rounds = 0
          clearTimeout(setTimeout(() => { rounds += 100 }, 1))
          await new Promise(done => { const t = setInterval(() => { if (++rounds === 3) { clearInterval(t); done() } }, 1) })
          return rounds`)
        for (let next = 0; next < told.calls.length; next++) told.answer(told.calls[next]?.id ?? 0, undefined)
        expect(told.value()).toBe(3)
      })

      it("do not keep a script alive that has given its value", async () => {
        expect((await run("setInterval(() => {}, 1); return 1")).value()).toBe(1)
      })
    })

    describe("the console", () => {
      it("shows every kind of value on one line", async () => {
        const { logs } = await run(`
          const loop = { name: 'x' }; loop.self = loop
          console.log('plain', 1, 2n, null, undefined, true, Symbol('s'), ['a', { b: 1 }], loop)
          console.warn(new Map([['k', 1]]), new Set([1]), () => {}, Promise.resolve(), new Date(0), /x/g, new Uint8Array(2))
          console.error()`)
        expect(logs.map(({ level }) => level)).toEqual(["log", "warn", "error"])
        expect(logs[0]?.text).toBe(
          'plain 1 2n null undefined true Symbol(s) ["a", { b: 1 }] { name: "x", self: [circular] }',
        )
        expect(logs[1]?.text).toContain('Map { "k" => 1 } Set { 1 } [function anonymous] [promise')
      })

      it("shows what resists it without failing the script", async () => {
        const told = await run(`
          console.log('a', { get x() { throw 1 } }, 'b')
          console.log(new Proxy({}, { ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } }))
          const r = Proxy.revocable({}, {}); r.revoke(); console.log(r.proxy)
          console.log('x'.repeat(100000).length, 'y'.repeat(100000))
          let deep = []; for (let i = 0; i < 1000; i++) deep = [deep]; console.log(deep)
          return 1`)
        expect(told.value()).toBe(1)
        expect(told.logs[0]?.text).toBe("a [cannot be shown] b")
        expect(told.logs[3]?.text.length).toBe(100007)
      })
    })

    it("makes URLSearchParams of text, pairs, records and themselves", async () => {
      const told = await run(`
        const from = it => String(new URLSearchParams(it))
        const one = new URLSearchParams({ q: 'a b', n: 1 })
        return [from('?x=1'), from([['a', 'b'], ['a', 'c']]), from(one), from(new Map([['k', 'v']])), from(), one instanceof URLSearchParams]`)
      expect(told.value()).toEqual(["x=1", "a=b&a=c", "q=a+b&n=1", "k=v", "", true])
    })

    describe("what a script can't have", () => {
      it("G4 explains what is not there", async () => {
        const cases = {
          "eval('1')": "eval is not there in the sandbox",
          "new Function('return 1')": "the Function constructor is not there",
          "(async () => {}).constructor('return 1')": "the Function constructor is not there",
          "await import('node:fs')": '"node:fs" cannot be imported in the sandbox',
        }
        for (const [body, message] of Object.entries(cases))
          expect((await run(body)).error().message).toContain(message)
      })

      it("T11 shows nothing of the host: no object, no path", async () => {
        const { vm: _, ...told } = await run(`
          const absent = ['process', 'require', 'std', 'os', 'WebAssembly', 'Atomics', 'Deno', 'global', 'module', '__dirname']
          const seen = absent.filter(name => name in globalThis)
          const stacks = [new Error('x').stack]
          for (const f of [() => import('fs'), () => tools.a, () => setTimeout()]) try { await f() } catch (e) { stacks.push(e.stack) }
          return { seen, stacks: stacks.join(' ') }`)
        expect(told.value()).toEqual({ seen: [], stacks: expect.not.stringMatching(/\.ts|\.js|file:|wasm/) })
      })
    })

    describeValues(run)
    describeMemory(engine, run, under)
  })
}
