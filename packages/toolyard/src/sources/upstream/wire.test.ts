import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rawOf } from "../../model/json.ts"
import { lineSplitter } from "./line-splitter.ts"
import { parseMessage } from "./wire.ts"

describe("parseMessage", () => {
  it("keeps the exact text of a result in either layout", () => {
    const raw = '{"content":[],"n":12345678901234567890,"f":1.0}'
    for (const text of [`{"result":${raw},"jsonrpc":"2.0","id":7}`, `{"jsonrpc":"2.0","id":7,"result":${raw}}`]) {
      const message = parseMessage(text)
      expect(message).toEqual({ jsonrpc: "2.0", id: 7, result: JSON.parse(raw) })
      expect(rawOf(message.result as object)).toBe(raw)
    }
  })

  it("is never wrong about any message, whatever its layout", () => {
    const message = fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: fc.oneof(fc.integer(), fc.string()),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
        method: fc.string(),
        extra: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        message,
        fc.shuffledSubarray(["jsonrpc", "id", "result", "error", "method", "extra"], { minLength: 6 }),
        (value, order) => {
          const text = JSON.stringify(
            Object.fromEntries(order.filter(key => key in value).map(key => [key, value[key as keyof typeof value]])),
          )
          expect(parseMessage(text)).toEqual(JSON.parse(text))
        },
      ),
      { numRuns: 500 },
    )
  })

  it("is not fooled by text that looks like the end of a message", () => {
    const result = { text: '","jsonrpc":"2.0","id":1}', nested: { result: { jsonrpc: "2.0", id: 9 } } }
    const text = JSON.stringify({ result, jsonrpc: "2.0", id: 3 })
    expect(parseMessage(text)).toEqual({ result, jsonrpc: "2.0", id: 3 })
  })

  it("refuses what is no message", () => {
    for (const text of ["", "hello", "[1]", "null", '{"result":', '{"jsonrpc":"2.0","id":1,"result":{}'])
      expect(() => parseMessage(text)).toThrow()
  })
})

describe("lineSplitter", () => {
  it("gives the same lines however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: "grapheme" }).map(line => line.replace(/[\r\n]/g, " ")),
          { maxLength: 8 },
        ),
        fc.array(fc.nat(40)),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map(line => `${line}\n`).join(""))
          const seen: string[] = []
          const split = lineSplitter(
            1_000_000,
            line => seen.push(line),
            () => expect.unreachable(),
          )
          let at = 0
          for (const cut of cuts) {
            split(bytes.subarray(at, at + cut))
            at += cut
          }
          split(bytes.subarray(at))
          expect(seen).toEqual(lines.filter(line => line !== ""))
        },
      ),
    )
  })

  it("drops a line over the limit, tells of it, and goes on with the next", () => {
    const seen: string[] = []
    const dropped: [string, string, number][] = []
    const split = lineSplitter(
      100,
      line => seen.push(line),
      (...line) => dropped.push(line),
    )
    split(Buffer.from(`first\n{"id":1${"x".repeat(80)}`))
    split(Buffer.from("y".repeat(600)))
    split(Buffer.from('tail,"id":5}\nnext\n'))
    expect(seen).toEqual(["first", "next"])
    expect(dropped).toHaveLength(1)
    expect(dropped[0]?.[0]).toMatch(/^\{"id":1/)
    expect(dropped[0]?.[1]).toMatch(/"id":5\}$/)
  })
})
