import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import { collect } from "./collect.ts"
import { print, toResult } from "./result.ts"

const NOTHING = { hasSchema: false, wrapped: false }
const WRAPPED = { hasSchema: true, wrapped: true }
const OBJECT = { hasSchema: true, wrapped: false }

async function resultOf(value: unknown, promised = NOTHING): Promise<JsonObject> {
  return toResult(await collect(value, new AbortController().signal, () => {}), promised)
}
const text = (text: string): JsonObject => ({ type: "text", text })

describe("what a function gives", () => {
  it("V6 becomes text, and structured content where it is an object", async () => {
    expect(await resultOf({ a: 1 })).toEqual({ content: [text('{"a":1}')], structuredContent: { a: 1 } })
    expect(await resultOf("plain")).toEqual({ content: [text("plain")] })
    expect(await resultOf(5)).toEqual({ content: [text("5")] })
    expect(await resultOf([1, "x"])).toEqual({ content: [text('[1,"x"]')] })
    expect(await resultOf(null)).toEqual({ content: [text("null")] })
    expect(await resultOf(undefined)).toEqual({ content: [] })
  })

  it("stands under `result` where the schema is wrapped", async () => {
    const _meta = { "toolyard/wrapped": true }
    expect(await resultOf("x", WRAPPED)).toEqual({ content: [text("x")], structuredContent: { result: "x" }, _meta })
    expect(await resultOf(undefined, WRAPPED)).toEqual({ content: [], structuredContent: { result: null }, _meta })
    expect(await resultOf({ a: 1 }, WRAPPED)).toMatchObject({ structuredContent: { result: { a: 1 } }, _meta })
  })

  it("has its JSON form, whatever it was", async () => {
    const value = {
      date: new Date(0),
      map: new Map<unknown, unknown>([
        ["a", 1],
        [2, new Set([3])],
      ]),
      small: 5n,
      large: 12345678901234567890n,
      bytes: new Uint8Array([1, 2]),
      floats: new Float32Array([0.5]),
      url: new URL("https://a.b"),
      custom: { toJSON: () => ["made"] },
      gone: undefined,
      run() {},
      nan: Number.NaN,
      error: new RangeError("inner"),
    }
    expect((await resultOf(value)).structuredContent).toEqual({
      date: "1970-01-01T00:00:00.000Z",
      map: { a: 1, 2: [3] },
      small: 5,
      large: "12345678901234567890",
      bytes: "AQI=",
      floats: [0.5],
      url: "https://a.b/",
      custom: ["made"],
      nan: null,
      error: { name: "RangeError", message: "inner" },
    })
    expect(await resultOf(new Date(0))).toEqual({ content: [text("1970-01-01T00:00:00.000Z")] })
    expect((await resultOf(new Map([["__proto__", 1]]))).content).toEqual([text('{"__proto__":1}')])
  })

  it.each([
    ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0]],
    ["image/gif", [...Buffer.from("GIF89a")]],
    ["image/webp", [...Buffer.from("RIFF"), 0, 10, 13, 0, ...Buffer.from("WEBP")]],
    ["audio/wav", [...Buffer.from("RIFF"), 0, 10, 13, 0, ...Buffer.from("WAVE")]],
    ["audio/mpeg", [...Buffer.from("ID3")]],
    ["audio/mpeg", [0xff, 0xfb, 0x90, 0x64]],
  ])("V6 is a block of %s when its bytes are", async (mimeType, bytes) => {
    const data = Buffer.from(bytes).toString("base64")
    const type = mimeType.split("/")[0]
    expect(await resultOf(new Uint8Array(bytes))).toEqual({ content: [{ type, data, mimeType }] })
  })

  it("V6 is a resource when its bytes are nothing known", async () => {
    const mimeType = "application/octet-stream"
    const resource = { uri: `data:${mimeType},`, mimeType, blob: "AQID" }
    for (const bytes of [new Uint8Array([1, 2, 3]), Buffer.from([1, 2, 3]), new Uint8Array([1, 2, 3]).buffer])
      expect(await resultOf(bytes)).toEqual({ content: [{ type: "resource", resource }] })
  })

  it("passes through when it is content already", async () => {
    const image = { type: "image", data: "AQI=", mimeType: "image/png" }
    expect(await resultOf(image)).toEqual({ content: [image] })
    expect(await resultOf({ ...image, data: new Uint8Array([1, 2]) })).toEqual({ content: [image] })
    expect(await resultOf([image, text("x")])).toEqual({ content: [image, text("x")] })
    const whole = { content: [text("x")], structuredContent: { a: 1 }, isError: true, _meta: { b: 2 } }
    expect(await resultOf(whole)).toEqual(whole)
    expect(await resultOf(whole, OBJECT)).toEqual(whole)
  })

  it("is a value when it only looks like content", async () => {
    const values = [{ type: "text" }, { type: "text", text: 5 }, { content: ["a"] }, { content: [], title: "x" }]
    for (const value of values) expect((await resultOf(value)).structuredContent).toEqual(value)
    const promised = { content: [text("x")] }
    expect((await resultOf(promised, OBJECT)).structuredContent).toEqual(promised)
    expect((await resultOf(text("x"), OBJECT)).structuredContent).toEqual(text("x"))
  })

  it("is read by its type when it is a response, a blob or a stream", async () => {
    expect((await resultOf(Response.json({ a: 1 }))).structuredContent).toEqual({ a: 1 })
    expect(await resultOf(new Response("hi"))).toEqual({ content: [text("hi")] })
    expect(await resultOf(new Response("gone", { status: 404, statusText: "Not Found" }))).toEqual({
      isError: true,
      content: [text("HTTP 404 Not Found\ngone")],
    })
    const svg = new Blob(["<svg/>"], { type: "image/svg+xml" })
    expect(await resultOf(svg)).toEqual({ content: [{ type: "image", data: "PHN2Zy8+", mimeType: "image/svg+xml" }] })
    expect(await resultOf(new Blob(["a,b"], { type: "text/csv" }))).toEqual({ content: [text("a,b")] })
    const stream = new Response(new Uint8Array([0xff, 0xd8, 0xff])).body
    expect(await resultOf(stream)).toEqual({ content: [{ type: "image", data: "/9j/", mimeType: "image/jpeg" }] })
  })

  it("is a list when it comes one by one, and a joined text when it is all texts", async () => {
    function* numbers() {
      yield 1
      yield Promise.resolve(2)
    }
    async function* words() {
      yield "a"
      yield "b"
    }
    async function* none() {}
    expect(await resultOf(numbers())).toEqual({ content: [text("[1,2]")] })
    expect(await resultOf(words(), WRAPPED)).toMatchObject({
      content: [text("ab")],
      structuredContent: { result: ["a", "b"] },
    })
    expect(await resultOf(none())).toEqual({ content: [text("[]")] })
  })

  it("V12 is refused clearly when JSON can't hold it", async () => {
    const cyclic: JsonObject = {}
    cyclic.self = { cyclic }
    await expect(resultOf(cyclic)).rejects.toThrow("contains itself")
    const shared = { a: 1 }
    expect((await resultOf({ one: shared, two: shared })).structuredContent).toEqual({ one: { a: 1 }, two: { a: 1 } })
    let deep: unknown = 1
    for (let i = 0; i < 10_000; i++) deep = [deep]
    await expect(resultOf(deep)).rejects.toThrow("nested more than 1000 deep")
    await expect(resultOf(() => {})).rejects.toThrow("a function")
    const large = await resultOf("ü".repeat(60 * 1024 * 1024))
    expect(() => print(large)).toThrow("the limit is 104857600")
  })

  it("V12 keeps every character", async () => {
    const odd = "\u2028 \ud800 😀 \0 \u007f"
    const printed = JSON.stringify(print(await resultOf(odd)))
    expect(JSON.parse(printed).content[0].text).toBe(odd)
  })
})
