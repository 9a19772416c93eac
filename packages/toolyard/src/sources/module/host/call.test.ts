import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { startHost, textOf } from "./host-case.ts"

const TYPES = 'import type { ToolContext } from "toolyard"\n'

describe("calls of a module's functions", () => {
  it("V12 run side by side, each with its own answer", async () => {
    await using host = startHost({
      "m.ts": `let under = 0, most = 0
        export async function wait(n: number) {
          most = Math.max(most, ++under)
          await new Promise(resolve => setImmediate(resolve))
          under--
          return { n, most }
        }`,
    })
    const results = await Promise.all(Array.from({ length: 200 }, (_, n) => host.call("wait", { n })))
    expect(results.map(({ structuredContent }) => (structuredContent as JsonObject).n)).toEqual([...Array(200).keys()])
    expect(results.some(result => (result.structuredContent as { most: number }).most > 1)).toBe(true)
  })

  it("V6 fail with the message first, then the place, then the causes", async () => {
    await using host = startHost({
      "m.ts": `interface Nothing { a: number }
        import { check } from "./lib/check.ts"
        export function chain() { try { check() } catch (cause) { throw new Error("outer", { cause }) } }
        export function text() { throw "only text" }
        export function nothing() { throw undefined }
        export function many() { throw new AggregateError([new Error("one"), new Error("two")], "both") }
        export function given() { throw Object.assign(new Error("x"), { content: [{ type: "text", text: "mine" }] }) }
        export function coded() { throw Object.assign(new Error("no"), { code: "denied" }) }
        export function returned() { return new Error("given back") }
        export function evil() { throw { get message() { throw 1 }, toJSON() { throw 2 } } }
        export async function overflow() { return overflow() }`,
      "lib/check.ts": "type X = 1\n\nexport function check(): never {\n  throw new TypeError('inner')\n}",
    })
    const chain = await host.call("chain")
    expect(chain.isError).toBe(true)
    expect(textOf(chain)).toBe("outer\n    at m.ts:3:73\ncaused by: inner (at lib/check.ts:4:9)")
    expect(textOf(await host.call("text"))).toBe("only text")
    expect(textOf(await host.call("nothing"))).toBe("the tool threw undefined")
    expect(textOf(await host.call("many"))).toMatch(/^both\none\ntwo\n {4}at m\.ts:6:/)
    expect(await host.call("given")).toEqual({ isError: true, content: [{ type: "text", text: "mine" }] })
    expect((await host.call("coded"))._meta).toEqual({ "toolyard/error": { code: "denied", message: "no" } })
    expect(await host.call("returned")).toMatchObject({ isError: true })
    expect(await host.call("evil")).toMatchObject({ isError: true })
    expect(textOf(await host.call("overflow"))).toMatch(/^Maximum call stack size exceeded/)
  })

  it("V3 answer a protocol error for a tool or method that is not there, whatever its name", async () => {
    await using host = startHost({ "m.ts": "export function a() {}\nexport function constructor() { return 'mine' }" })
    for (const name of ["b", "__proto__", "toString", "hasOwnProperty", 5, undefined])
      expect(await host.request("tools/call", { name })).toMatchObject({ error: { code: -32602 } })
    expect(textOf(await host.call("constructor"))).toBe("mine")
    expect(await host.request("server/discover")).toMatchObject({ error: { code: -32601 } })
    expect(await host.request("constructor")).toMatchObject({ error: { code: -32601 } })
    expect(await host.request("ping")).toMatchObject({ result: {} })
  })

  it("pass dates and bytes as such, both ways", async () => {
    await using host = startHost({
      "m.ts": `export function later(at: Date, by: bigint): Date { return new Date(at.getTime() + Number(by)) }
        export function turn(bytes: Uint8Array) { return bytes.toReversed() }`,
    })
    const later = await host.call("later", { at: "2026-01-01T00:00:00Z", by: 1000 })
    expect(later.structuredContent).toEqual({ result: "2026-01-01T00:00:01.000Z" })
    const [block] = (await host.call("turn", { bytes: "AQID" })).content as [{ resource: { blob: string } }]
    expect(block.resource.blob).toBe("AwIB")
    expect(textOf(await host.call("later", { at: "soon", by: 1 }))).toBe('at is no Date: "soon"')
  })

  it("stream what they yield as progress to whoever wants it, and give it all at the end", async () => {
    await using host = startHost({
      "m.ts": `export async function* words(n: number): AsyncGenerator<string> {
          for (let i = 0; i < n; i++) yield "w".repeat(i === 1 ? 5000 : 1)
        }
        export function* squares(n: number) { for (let i = 1; i <= n; i++) yield { square: i * i } }`,
    })
    const words = await host.call("words", { n: 2 }, { progressToken: "p" })
    expect((await host.next("notifications/progress")).params).toEqual({
      progressToken: "p",
      progress: 1,
      message: "w",
    })
    const second = (await host.next("notifications/progress")).params as { message: string }
    expect(second.message).toBe("w".repeat(2000))
    expect(textOf(words)).toBe("w".repeat(5001))
    expect(words.structuredContent).toEqual({ result: ["w", "w".repeat(5000)] })
    expect(textOf(await host.call("squares", { n: 2 }))).toBe('[{"square":1},{"square":4}]')
    expect(host.waiting("notifications/progress")).toBe(0)
  })

  it("end the generator when they are given up, and answer shortly", async () => {
    await using host = startHost({
      "m.ts": `${TYPES}let ended = 0
        export async function* endless() { try { for (let i = 0; ; i++) yield i } finally { ended++ } }
        export function* busy() { try { for (;;) yield "x" } finally { ended++ } }
        export async function waits({ signal, log }: ToolContext) {
          log("begun")
          await new Promise((_, reject) => signal.addEventListener("abort", () => { ended++; reject(signal.reason) }))
        }
        export function count() { return { ended } }`,
    })
    const calls = ["endless", "busy"].map(name => host.begin(name, {}, { progressToken: name }))
    await host.next("notifications/progress")
    calls.push(host.begin("waits"))
    await host.next("notifications/message")
    for (const { id } of calls) host.send({ method: "notifications/cancelled", params: { requestId: id } })
    for (const { answer } of calls) expect(await answer).toMatchObject({ error: { data: { code: "cancelled" } } })
    expect((await host.call("count")).structuredContent).toEqual({ ended: 3 })
  })

  it("V12 refuse what is too much, and go on", async () => {
    await using host = startHost({
      "m.ts": `export function large(mb: number) { return "x".repeat(mb * 1024 * 1024) }
        export function deep() { let value: unknown = 1; for (let i = 0; i < 10_000; i++) value = { value }; return value }
        export function cycle() { const a: any = {}; a.a = a; return a }`,
    })
    expect(textOf(await host.call("large", { mb: 20 })).length).toBe(20 * 1024 * 1024)
    for (const [name, message] of [
      ["large", "the limit is"],
      ["deep", "nested more than"],
      ["cycle", "contains itself"],
    ] as const) {
      const result = await host.call(name, { mb: 101 })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain(message)
    }
  })

  it("fail with what they leave behind, while others go on", async () => {
    await using host = startHost({
      "m.ts": `let open: () => void
        export function gated() { return new Promise<string>(resolve => { open = () => resolve("fine") }) }
        export function timer() { setTimeout(() => { throw new Error("in a timer") }); return new Promise(() => {}) }
        export function lost() { void Promise.reject(new Error("lost")); return new Promise(() => {}) }
        export function release() { open() }`,
    })
    const gated = host.call("gated")
    expect(textOf(await host.call("timer"))).toMatch(/^in a timer\n {4}at m\.ts:3:/)
    expect(textOf(await host.call("lost"))).toMatch(/^lost\n {4}at m\.ts:4:/)
    await host.call("release")
    expect(textOf(await gated)).toBe("fine")
  })

  it("take the host with them when they end it, or when they fail after their answer", async () => {
    const text = `export function exit() { process.exit(3) }
      export function after() { setImmediate(() => setImmediate(() => { throw new Error("too late") })); return 1 }`
    for (const [name, code, line] of [
      ["exit", 3, ""],
      ["after", 1, "m.ts:2:79: too late"],
    ] as const) {
      await using host = startHost({ "m.ts": text })
      host.begin(name)
      expect(await host.exited).toBe(code)
      expect(host.stderr().trimEnd().split("\n").at(-1)).toBe(line)
    }
  })

  it("end with the hub", async () => {
    await using host = startHost({ "m.ts": "setInterval(() => {}, 1000)\nexport function a() {}" })
    await host.request("ping")
    host.end()
    expect(await host.exited).toBe(0)
  })

  it("answer lines that are no requests by saying so", async () => {
    await using host = startHost({ "m.ts": "export function a() {}" })
    host.write("{nonsense\n[1]\n\n")
    expect(await host.next("")).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await host.next("")).toMatchObject({ id: null, error: { code: -32600 } })
    expect(await host.request("ping")).toMatchObject({ result: {} })
  })
})
