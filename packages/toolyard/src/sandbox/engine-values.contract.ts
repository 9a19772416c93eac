/** What crosses the border of a virtual machine: JSON, whole and unharmed, whatever the script did to its own world. */
import { describe, expect, it } from "vitest"
import type { RunOptions, Told } from "./engine.contract.ts"

export function describeValues(run: (body: string, options?: RunOptions) => Promise<Told>): void {
  /** A value goes in as an answer and as input, and out as an argument and as the value. */
  const roundTrip = async (json: string): Promise<string[]> => {
    const told = await run("const a = await tools.a.b(input); return a", { input: json })
    told.vm.answer(1, true, json)
    return [told.calls[0]?.payload.slice('["a","b",'.length, -1) ?? "", told.ends[0]?.json ?? ""]
  }

  describe("values", () => {
    it("cross unchanged, odd keys and characters too", async () => {
      const odd = [
        '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"toString":null,"then":1}',
        '["\\u2028\\u2029\\u0000\\ud800","\\udc00x","𝒳é"]'.replaceAll("\\u2028\\u2029", "\u2028\u2029"),
        "[0,1.5,1e+300,5e-324,9007199254740991,true,false,null]",
        '""',
        "{}",
        `${"[".repeat(500)}${"]".repeat(500)}`,
      ]
      for (const json of odd) expect(await roundTrip(json)).toEqual([json, json])
    })

    it("cross with 5 MB", async () => {
      const json = JSON.stringify("é".repeat(2_500_000))
      const [argument, value] = await roundTrip(json)
      expect([argument === json, value === json]).toEqual([true, true])
    })

    it("lose nothing without a word: what JSON has no form for gets one", async () => {
      const told = await run(`return {
        big: 12345678901234567890n, map: new Map([['a', 1]]), pairs: new Map([[1, 2]]), set: new Set([1, 2]),
        date: new Date(0), bytes: new Uint8Array([1, 2]), pattern: /x/g, error: new TypeError('no'),
        nan: NaN, infinite: -Infinity, none: undefined, hole: [, 1]
      }`)
      expect(told.value()).toEqual({
        big: "12345678901234567890",
        map: { a: 1 },
        pairs: [[1, 2]],
        set: [1, 2],
        date: "1970-01-01T00:00:00.000Z",
        bytes: [1, 2],
        pattern: "/x/g",
        error: { name: "TypeError", message: "no" },
        nan: null,
        infinite: null,
        hole: [null, 1],
      })
    })

    it("that are circular or too deep are an error of the script", async () => {
      expect((await run("const a = {}; a.a = a; return a")).error().name).toBe("TypeError")
      const deep = await run("let a = []; for (let i = 0; i < 20000; i++) a = [a]; return a")
      // The host's own stack may be the smaller one here.
      if (deep.failure !== "stack") expect(deep.error().name).toBe("RangeError")
      const told = await run("const a = {}; a.a = a; try { await tools.a.b(a) } catch (e) { return e.name }")
      expect([told.value(), told.calls]).toEqual(["TypeError", []])
    })

    it("that the script threw are told, however odd", async () => {
      expect((await run("throw null")).error().message).toBe("null")
      expect((await run("throw 'text'")).error().message).toBe("text")
      expect((await run("throw { code: 5 }")).error().message).toBe("{ code: 5 }")
      const resisting = [
        "throw { get message() { throw 1 }, toString() { throw 2 }, get x() { throw 3 } }",
        "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
        "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy",
        "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw e } }); throw e",
      ]
      for (const body of resisting)
        expect((await run(body)).error().message, body).toBe("the script threw something that cannot be shown")
    })

    it("arrive though the script broke everything that they could pass through", async () => {
      const told = await run(`
        const { keys } = Object
        const asked = tools.a.b({ n: 1 })
        JSON.stringify = JSON.parse = () => 'broken'
        Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { throw 'broken' }
        Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 'broken' }
        Array.prototype[Symbol.iterator] = () => { throw 'broken' }
        Array.prototype.map = Array.prototype.push = Array.prototype.join = () => { throw 'broken' }
        Object.defineProperty(Object.prototype, 'resolve', { set() { throw 'broken' } })
        Promise = Proxy = undefined
        return [await asked]`)
      told.answer(1, { fine: true })
      expect(told.value()).toEqual([{ fine: true }])
    })

    it("are awaited when they are thenables, once", async () => {
      expect((await run("return { then(done) { done(1); done(2); throw 3 } }")).value()).toBe(1)
      expect((await run("return new Promise((yes, no) => { yes(1); no(2); yes(3) })")).value()).toBe(1)
    })
  })

  describe("chance", () => {
    const drawn = "return [Math.random(), Math.random()]"
    it("is the same for the same seed and differs for another", async () => {
      const [one, same, other] = await Promise.all([3, 3, 4].map(async seed => (await run(drawn, { seed })).value()))
      expect(one).toEqual(same)
      expect(one).not.toEqual(other)
      for (const number of one as number[]) expect(number >= 0 && number < 1).toBe(true)
    })

    it("of crypto differs for the same seed", async () => {
      const [one, other] = await Promise.all(
        [1, 1].map(async seed => (await run("return crypto.randomUUID()", { seed })).value()),
      )
      expect(one).not.toBe(other)
    })
  })
}
