import { afterAll, describe, expect, it } from "vitest"
import { YardError } from "../../../model/errors.ts"
import { openSandbox } from "../../../sandbox/pool.ts"
import type { ReadyScript } from "../../../sandbox/typescript/prepare.ts"
import { toHandlerModule } from "../generate/handler-text.ts"
import { readHandler } from "../generate/read-handler.ts"
import { SLUG } from "../prompt.fixture.ts"
import { type HandlerEnd, type HandlerRun, runHandler } from "./run-handler.ts"

const sandbox = openSandbox({ memoryMb: 64, size: 1, log: () => {} })
afterAll(() => sandbox.close())

function scriptOf(body: string): ReadyScript {
  const read = readHandler(toHandlerModule(body, SLUG))
  if (!read.ok) throw new Error(read.problems.join())
  return read.script
}

const run = (body: string, more: Partial<HandlerRun> = {}): Promise<HandlerEnd> =>
  runHandler(sandbox, {
    script: scriptOf(body),
    args: { title: "A b" },
    signal: new AbortController().signal,
    fetch: async ({ url }) => ({
      status: 200,
      statusText: "OK",
      url,
      redirected: false,
      headers: [],
      body: { text: JSON.stringify({ asked: url }) },
    }),
    ...more,
  })

describe("a handler in the sandbox", () => {
  it("B10 is given its arguments and a fetch, and gives a value", async () => {
    const end = await run('return [args.title, await (await fetch("https://shelf.example/x")).json()]')
    expect(end).toEqual({ how: "value", value: ["A b", { asked: "https://shelf.example/x" }] })
  })

  it("B10 fails with the line on which it threw", async () => {
    expect(await run("const a = 1\nthrow new TypeError('no ' + a)")).toMatchObject({
      how: "error",
      name: "TypeError",
      message: "no 1",
      line: 4,
    })
  })

  it("B10 hears why a fetch was refused, and what to do", async () => {
    const refusal = new YardError("fetch_refused", "no.example is closed", { hint: "Add it." })
    const end = await run('return fetch("https://no.example")', { fetch: () => Promise.reject(refusal) })
    expect(end).toMatchObject({ how: "error", code: "fetch_refused", message: "no.example is closed. Add it." })
  })

  it("B10 has timers, but no tools, no search and no results", async () => {
    expect(await run("await new Promise(done => setTimeout(done, 1)); return 1")).toEqual({ how: "value", value: 1 })
    for (const use of ["tools.github.issues({})", 'search("x")', 'results.get("x")'])
      expect(await run(`return await ${use}`)).toMatchObject({ how: "error", code: "denied" })
  })

  it("B10 is ended when it computes or waits for too long", async () => {
    expect(await run("for (;;) {}", { limits: { cpuMs: 100 } })).toMatchObject({ how: "error", code: "limit_cpu" })
    const waits = "await new Promise(done => setTimeout(done, 60_000))"
    expect(await run(waits, { limits: { timeoutMs: 50 } })).toMatchObject({ how: "error", code: "limit_time" })
    expect(await run("await new Promise(() => {})")).toMatchObject({ how: "error", name: "Stuck" })
  })

  it("ends with its caller, and so does the fetch that it waits for", async () => {
    const caller = new AbortController()
    const reason = new YardError("cancelled", "left")
    const ended = Promise.withResolvers<void>()
    const fetching = run('return fetch("https://shelf.example")', {
      signal: caller.signal,
      fetch: (_, signal) => {
        signal.addEventListener("abort", () => ended.resolve())
        caller.abort(reason)
        return new Promise(() => {})
      },
    })
    await expect(fetching).rejects.toBe(reason)
    await ended.promise
  })
})
