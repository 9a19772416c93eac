/** What every implementation of the state promises: one list of cases, run against each of them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { State } from "./types.ts"

export interface Subject {
  state: State
  /** All that was reported so far. */
  problems: string[]
  end(): Promise<void>
}

const fails = (code: string) => expect.objectContaining({ name: "YardError", code })

export function describeState(name: string, open: () => Promise<Subject>): void {
  describe(`state in ${name}`, () => {
    let subject: Subject
    let state: State
    beforeEach(async () => {
      subject = await open()
      state = subject.state
    })
    afterEach(() => subject.end())

    describe("store", () => {
      it("gives back what was set, and undefined for what was not", async () => {
        await state.store.set("ns", "a", { n: 1, list: [null, "x", true] })
        expect(await state.store.get("ns", "a")).toEqual({ n: 1, list: [null, "x", true] })
        expect(await state.store.get("ns", "b")).toBeUndefined()
        expect(await state.store.get("other", "a")).toBeUndefined()
      })

      it("keeps null, false, 0 and the empty string apart from nothing", async () => {
        for (const value of [null, false, 0, ""]) {
          await state.store.set("ns", "a", value)
          expect(await state.store.get("ns", "a")).toBe(value)
        }
      })

      it("keeps a copy: neither the giver nor the taker can change it", async () => {
        const given = { list: [1] }
        await state.store.set("ns", "a", given)
        given.list.push(2)
        const taken = await state.store.get<{ list: number[] }>("ns", "a")
        taken!.list.push(3)
        expect(await state.store.get("ns", "a")).toEqual({ list: [1] })
      })

      it("deletes by delete, by set and by update, and says whether there was anything", async () => {
        await state.store.set("ns", "a", 1)
        expect(await state.store.delete("ns", "a")).toBe(true)
        expect(await state.store.delete("ns", "a")).toBe(false)
        await state.store.set("ns", "a", 1)
        await state.store.set("ns", "a", undefined)
        expect(await state.store.get("ns", "a")).toBeUndefined()
        await state.store.set("ns", "a", 1)
        expect(await state.store.update("ns", "a", () => undefined)).toBeUndefined()
        expect(await state.store.entries("ns")).toEqual([])
      })

      it("forgets a value when its time is over", async () => {
        await state.store.set("ns", "short", 1, { ttlMs: 5 })
        await state.store.set("ns", "long", 2, { ttlMs: 60_000 })
        await state.store.set("ns", "gone", 3, { ttlMs: 0 })
        await expect.poll(() => state.store.get("ns", "short"), { interval: 2 }).toBeUndefined()
        expect(await state.store.entries("ns")).toEqual([{ key: "long", value: 2 }])
        expect(await state.store.delete("ns", "short")).toBe(false)
        expect(await state.store.update("ns", "gone", current => current ?? "fresh")).toBe("fresh")
        expect(await state.store.get("ns", "gone")).toBe("fresh")
      })

      it("lets an update keep the lifetime, and a set or a new ttl replace it", async () => {
        const near = { ttlMs: 40 }
        for (const key of ["kept", "set", "renewed"]) await state.store.set("ns", key, 1, near)
        await state.store.update("ns", "kept", () => 2)
        await state.store.set("ns", "set", 2)
        await state.store.update("ns", "renewed", () => 2, { ttlMs: Number.POSITIVE_INFINITY })
        await expect.poll(() => state.store.get("ns", "kept"), { interval: 2 }).toBeUndefined()
        expect(await state.store.entries("ns")).toEqual([
          { key: "renewed", value: 2 },
          { key: "set", value: 2 },
        ])
      })

      it("lists by prefix, in the order of the keys' bytes, up to a limit", async () => {
        const keys = ["b", "a/2", "a/10", "a", "a/\u{1F600}", "a/\uFFFD", "A", "", "a\u0000b", "%", "a_"]
        for (const key of keys) await state.store.set("ns", key, key)
        await state.store.set("ns2", "a/x", "x")
        const listed = async (options?: { prefix?: string; limit?: number }) =>
          (await state.store.entries("ns", options)).map(({ key }) => key)
        expect(await listed()).toEqual([
          "",
          "%",
          "A",
          "a",
          "a\u0000b",
          "a/10",
          "a/2",
          "a/\uFFFD",
          "a/\u{1F600}",
          "a_",
          "b",
        ])
        expect(await listed({ prefix: "a/" })).toEqual(["a/10", "a/2", "a/\uFFFD", "a/\u{1F600}"])
        expect(await listed({ prefix: "a/", limit: 2 })).toEqual(["a/10", "a/2"])
        expect(await listed({ prefix: "%" })).toEqual(["%"])
        expect(await listed({ prefix: "a\u0000" })).toEqual(["a\u0000b"])
        expect(await listed({ limit: 0 })).toEqual([])
      })

      it("loses no update of many at once", async () => {
        const one = () => state.store.update<number>("ns", "n", n => (n ?? 0) + 1)
        await Promise.all(Array.from({ length: 100 }, one))
        expect(await state.store.get("ns", "n")).toBe(100)
      })

      it("leaves everything as it was when a change throws, and goes on working", async () => {
        await state.store.set("ns", "a", 1)
        const change = () => {
          throw new RangeError("no")
        }
        await expect(state.store.update("ns", "a", change)).rejects.toThrow(new RangeError("no"))
        const inner = () => state.store.update("ns", "a", () => 2)
        let nested: Promise<unknown> | undefined
        await state.store.update("ns", "b", () => {
          nested = inner()
          nested.catch(() => {})
          return 1
        })
        await expect(nested).rejects.toEqual(fails("internal"))
        expect(await state.store.get("ns", "a")).toBe(1)
        expect(await inner()).toBe(2)
      })

      it("brings back awkward values: lone surrogates, __proto__, 20 MB", async () => {
        const awkward = JSON.parse('{"__proto__":{"x":1},"constructor":2,"\\ud800":"\\udc00\\u0000"}')
        await state.store.set("__proto__", "__proto__", awkward)
        const back = await state.store.get<object>("__proto__", "__proto__")
        expect(JSON.stringify(back)).toBe(JSON.stringify(awkward))
        expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
        expect(({} as { x?: number }).x).toBeUndefined()

        const huge = "ü".repeat(10 * 1024 * 1024)
        await state.store.set("ns", "huge", huge)
        expect((await state.store.get("ns", "huge")) === huge).toBe(true)
      })

      it("brings back deep nesting or refuses it with a typed error, and never half", async () => {
        const nest = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)
        await state.store.set("ns", "deep", nest(1000))
        expect(JSON.stringify(await state.store.get("ns", "deep"))).toBe(JSON.stringify(nest(1000)))
        const depth = 1_000_000
        const error = await state.store.set("ns", "deep", nest(depth)).catch(error => error)
        if (error) expect(error).toEqual(fails("payload_too_large"))
        expect(await state.store.get("ns", "deep")).toBeDefined()
      })

      it("refuses what is not JSON with a typed error", async () => {
        const circle: { self?: unknown } = {}
        circle.self = circle
        for (const value of [circle, 1n, () => 1, Symbol("s")]) {
          await expect(state.store.set("ns", "a", value)).rejects.toEqual(fails("invalid_params"))
          await expect(state.store.update("ns", "a", () => value)).rejects.toEqual(fails("invalid_params"))
        }
        await expect(state.store.set("ns", "a", Promise.resolve(1))).rejects.toEqual(fails("internal"))
        await expect(state.store.set("ns", "a", 1, { ttlMs: Number.NaN })).rejects.toEqual(fails("invalid_params"))
        await expect(state.store.set("ns", "\ud800", 1)).rejects.toEqual(fails("invalid_params"))
        await expect(state.store.get("\ud800", "a")).rejects.toEqual(fails("invalid_params"))
        await expect(state.store.append("\ud800", [{}])).rejects.toEqual(fails("invalid_params"))
        expect(await state.store.entries("ns")).toEqual([])
      })

      it("refuses everything with a typed error once closed, and closes twice without harm", async () => {
        await state.close()
        await state.close()
        await expect(state.store.get("ns", "a")).rejects.toEqual(fails("storage"))
        await expect(state.store.set("ns", "a", 1)).rejects.toEqual(fails("storage"))
        await expect(state.store.append("s", [{}])).rejects.toEqual(fails("storage"))
        await expect(state.store.tail("s", { limit: 1 })).rejects.toEqual(fails("storage"))
      })
    })

    describe("streams", () => {
      const ns = (rows: { data: object }[]) => rows.map(({ data }) => (data as { n: number }).n)

      it("tails newest first, page by page, each stream by itself", async () => {
        const started = Date.now()
        await state.store.append("audit", [{ n: 1 }, { n: 2 }])
        await state.store.append("other", [{ n: 99 }])
        await state.store.append("audit", [{ n: 3 }])
        await state.store.append("audit", [])
        const page = await state.store.tail("audit", { limit: 2 })
        expect(ns(page)).toEqual([3, 2])
        expect(page[0]!.id).toBeGreaterThan(page[1]!.id)
        expect(page[0]!.at).toBeGreaterThanOrEqual(started)
        expect(ns(await state.store.tail("audit", { limit: 2, before: page[1]!.id }))).toEqual([1])
        expect(await state.store.tail("audit", { limit: 0 })).toEqual([])
        expect(await state.store.tail("none", { limit: 5 })).toEqual([])
      })

      it("filters by top-level fields, by value and type, not by look", async () => {
        await state.store.append("s", [
          { n: 1, tool: "a", ok: true },
          { n: 2, tool: "b", ok: true, inner: { tool: "a" } },
          { n: 3, tool: 'say "tool":"a"', ok: false },
          { n: 4, tool: "a", ok: false, 'odd"field': "\ud800" },
          { n: 12, tool: null },
          JSON.parse('{"n":13,"__proto__":"own"}'),
        ])
        const found = async (filter: Record<string, string | number | boolean | null | undefined>, limit = 10) =>
          ns(await state.store.tail("s", { limit, filter }))
        expect(await found({ tool: "a" })).toEqual([4, 1])
        expect(await found({ tool: "a" }, 1)).toEqual([4])
        expect(await found({ tool: "a", ok: true })).toEqual([1])
        expect(await found({ n: 1 })).toEqual([1])
        expect(await found({ n: "1" })).toEqual([])
        expect(await found({ tool: null })).toEqual([12])
        expect(await found({ ok: undefined, n: 2 })).toEqual([2])
        expect(await found({ 'odd"field': "\ud800" })).toEqual([4])
        expect(await found(JSON.parse('{"__proto__":"own"}'))).toEqual([13])
        expect(await found({ toString: "x" })).toEqual([])
      })

      it("appends all rows or none", async () => {
        await expect(state.store.append("s", [{ n: 1 }, { n: 2n }])).rejects.toEqual(fails("invalid_params"))
        await expect(state.store.append("s", [{ n: 1 }, [1]])).rejects.toEqual(fails("invalid_params"))
        expect(await state.store.tail("s", { limit: 5 })).toEqual([])
      })

      it("trims to a number and by age, says how many went, and never gives an id twice", async () => {
        await state.store.append("other", [{ n: 0 }])
        await state.store.append("s", [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
        const [last] = await state.store.tail("s", { limit: 1 })
        expect(await state.store.trim("s", { maxRows: 9 })).toBe(0)
        expect(await state.store.trim("s", { maxRows: 3 })).toBe(1)
        expect(ns(await state.store.tail("s", { limit: 9 }))).toEqual([4, 3, 2])
        expect(await state.store.trim("s", { olderThanMs: 60_000 })).toBe(0)
        expect(await state.store.trim("s", { olderThanMs: -1000 })).toBe(3)
        await state.store.append("s", [{ n: 5 }])
        expect((await state.store.tail("s", { limit: 1 }))[0]!.id).toBeGreaterThan(last!.id)
        expect(await state.store.trim("s", { maxRows: 0 })).toBe(1)
        expect(ns(await state.store.tail("other", { limit: 9 }))).toEqual([0])
      })
    })

    describe("bus", () => {
      it("delivers a copy to every listener of the topic, in order, after publish has returned", async () => {
        const heard: unknown[] = []
        state.bus.subscribe("t", message => heard.push(["one", message]))
        const end = state.bus.subscribe("t", message => heard.push(["two", message]))
        state.bus.subscribe("u", message => heard.push(["never", message]))
        const message = { n: 1 }
        const published = state.bus.publish("t", message)
        message.n = 2
        expect(heard).toEqual([])
        await published
        await state.bus.publish("t", "second")
        await expect.poll(() => heard.length).toBe(4)
        expect(heard).toEqual([
          ["one", { n: 1 }],
          ["two", { n: 1 }],
          ["one", "second"],
          ["two", "second"],
        ])
        end()
        end()
        const third = new Promise(resolve => state.bus.subscribe("t", resolve))
        await state.bus.publish("t", "third")
        expect(await third).toBe("third")
        expect(heard.slice(4)).toEqual([["one", "third"]])
      })

      it("reports a listener that throws and still tells the others", async () => {
        state.bus.subscribe("t", () => {
          throw new Error("broken listener")
        })
        const heard = new Promise(resolve => state.bus.subscribe("t", resolve))
        await state.bus.publish("t", 1)
        expect(await heard).toBe(1)
        expect(subject.problems.join()).toContain("broken listener")
      })
    })

    describe("blobs", () => {
      // Worked out apart from our code: base32 of 01 55 12 20 and the SHA-256 of "hello world".
      const HELLO = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"

      it("names content by its CIDv1 and gives it back with its type", async () => {
        expect(await state.blobs.put("hello world")).toEqual({ cid: HELLO, size: 11 })
        expect(await state.blobs.has(HELLO)).toBe(true)
        const blob = await state.blobs.get(HELLO)
        expect(Buffer.from(blob!.bytes).toString()).toBe("hello world")
        expect(blob).toMatchObject({ mediaType: "text/plain; charset=utf-8", size: 11 })
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
        const { cid } = await state.blobs.put(bytes)
        const back = await state.blobs.get(cid)
        expect(Buffer.compare(back!.bytes, bytes)).toBe(0)
        expect(back!.mediaType).toBe("application/octet-stream")
        const empty = await state.blobs.put("")
        expect((await state.blobs.get(empty.cid))!.size).toBe(0)
      })

      it("stores the same content once, with the media type given last", async () => {
        await state.blobs.put("hello world", { mediaType: "text/markdown" })
        await state.blobs.put(Buffer.from("hello world"))
        expect((await state.blobs.get(HELLO))!.mediaType).toBe("text/markdown")
        await Promise.all(["text/x", "text/x"].map(mediaType => state.blobs.put("hello world", { mediaType })))
        expect((await state.blobs.get(HELLO))!.mediaType).toBe("text/x")
        expect(await state.blobs.list()).toEqual([{ cid: HELLO, size: 11, at: expect.any(Number) }])
      })

      it("has nothing under names that are not its own", async () => {
        const strange = ["", "../../etc/passwd", HELLO, HELLO.toUpperCase(), `${HELLO}.json`, "__proto__", "\u0000"]
        for (const cid of strange) {
          expect(await state.blobs.get(cid)).toBeUndefined()
          expect(await state.blobs.has(cid)).toBe(false)
          expect(await state.blobs.delete(cid)).toBe(false)
        }
      })

      it("lists newest first, deletes, and trims the oldest first", async () => {
        const put = async (text: string) => (await state.blobs.put(text)).cid
        const [a, b, c, d] = [await put("aaaa"), await put("bbbb"), await put("cccc"), await put("dddd")]
        await put("aaaa")
        const listed = async (limit?: number) => (await state.blobs.list({ limit })).map(({ cid }) => cid)
        expect(await listed()).toEqual([a, d, c, b])
        expect(await listed(2)).toEqual([a, d])
        expect(await state.blobs.delete(d)).toBe(true)
        expect(await state.blobs.delete(d)).toBe(false)
        expect(await state.blobs.trim({ maxBytes: 12 })).toBe(0)
        expect(await state.blobs.trim({ maxBytes: 9 })).toBe(1)
        expect(await listed()).toEqual([a, c])
        expect(await state.blobs.trim({ maxBytes: 0 })).toBe(2)
        expect(await state.blobs.get(a)).toBeUndefined()
      })

      it("brings back 20 MB, and refuses text that UTF-8 can't carry", async () => {
        const { cid, size } = await state.blobs.put("ü".repeat(10 * 1024 * 1024))
        expect(size).toBe(20 * 1024 * 1024)
        expect((await state.blobs.get(cid))!.size).toBe(size)
        await expect(state.blobs.put("\ud800")).rejects.toEqual(fails("invalid_params"))
      })
    })
  })
}
