/**
 * One attempt at the sandbox: a script that tries something, and how it must end. Each runs in the real pool beside a
 * witness, a run of somebody else in the same process, which must be answered meanwhile; afterwards a fresh run must
 * find a clean world, and in the end no process is left.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type OpenSandbox, openTestSandbox, type ScriptOptions } from "../fixtures/sandbox.ts"

export interface Attempt extends ScriptOptions {
  name: string
  /** The body of an async function. */
  code: string
  /**
   * `cpu`: stopped for computing too long. `memory`: ended by its memory limit. `contained`: it may break its own
   * machine, nothing else. Else a value, an error whose text matches, or the reason why it was stopped.
   */
  expect: "cpu" | "memory" | "contained" | { value: unknown } | { error: RegExp } | { stopped: RegExp }
}

const LIMITS = { cpuMs: 300, memoryMb: 64 }

/** What a script sees of its world before anybody did anything to it; functions by what they are, not only by name. */
const WORLD = `
  const seen = []
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const it = globalThis[name]
    seen.push(name + ':' + typeof it)
    for (const on of [it, it?.prototype])
      if (on !== null && (typeof on === 'object' || typeof on === 'function') && on !== globalThis && on !== tools)
        for (const key of Reflect.ownKeys(on)) {
          const { value, get } = Object.getOwnPropertyDescriptor(on, key)
          seen.push(String(key) + (get ? 'get' : typeof value) + (typeof value === 'function' ? Function.prototype.toString.call(value).length : ''))
        }
  }
  return seen.join()`

/** When not even the error can be made any more, the engine throws null. */
const MEMORY = /^error .*(out of memory|string too long|invalid (max )?array|"message":"null")|^stopped limit_memory$/

export function describeAttempts(title: string, attempts: Attempt[], confine = true): void {
  describe(title, () => {
    let sandbox: OpenSandbox
    let world: unknown
    beforeAll(async () => {
      sandbox = openTestSandbox({ confine })
      world = await sandbox.valueOf(WORLD)
    })
    afterAll(() => sandbox.end())

    it.each(attempts)("T11 $name", async ({ code, expect: expected, limits, ...options }) => {
      const witness = sandbox.run("return (await tools.a.b()) + 1")
      const { id } = await witness.called(1)
      const attempt = sandbox.run(code, { ...options, limits: { ...LIMITS, ...limits } })
      witness.run.answer(id, "41")
      expect(await witness.end).toMatchObject({ how: "value", json: "42" })
      const end = await attempt.end
      if (typeof expected === "object" && "value" in expected) {
        expect(end).toMatchObject({ how: "value" })
        expect(end.how === "value" && end.json !== "" ? JSON.parse(end.json) : undefined).toEqual(expected.value)
      } else {
        const said = end.how === "crashed" ? end.message : end.how === "stopped" ? end.reason : end.json
        const pattern =
          expected === "cpu"
            ? /^stopped limit_cpu$/
            : expected === "memory"
              ? MEMORY
              : expected === "contained"
                ? /^(value|error|stopped trap)/
                : "error" in expected
                  ? new RegExp(`^error .*${expected.error.source}`)
                  : new RegExp(`^stopped ${expected.stopped.source}`)
        expect(`${end.how} ${said.slice(0, 500)}`).toMatch(pattern)
      }
      expect(await sandbox.valueOf(WORLD)).toBe(world)
    })
  })
}
