import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../model/json.ts"
import type { ToolContext } from "../tool-context.ts"
import { bindArguments, revive } from "./revive.ts"

const made = (type: string, more: JsonObject = {}): JsonObject => ({ "x-toolyard-type": type, ...more })
const date = made("Date", { type: "string", format: "date-time" })
const run = (value: unknown, schema: JsonObject): unknown => revive(value, schema, schema, "")
const context = {} as ToolContext

describe("arguments", () => {
  it("are put where the plan says", () => {
    const call = bindArguments(
      (...args) => args,
      [
        { kind: "named", name: "b" },
        { kind: "context" },
        { kind: "named", name: "a" },
        { kind: "named", name: "rest", rest: true },
      ],
      { type: "object" },
    )
    expect(call({ a: 1, b: 2, rest: [3, 4] }, context)).toEqual([2, context, 1, 3, 4])
    expect(call({}, context)).toEqual([undefined, context, undefined])
  })

  it("never come from a prototype", () => {
    const plan = ["__proto__", "constructor", "toString"].map(name => ({ kind: "named" as const, name }))
    const call = bindArguments((...args) => args, plan, { type: "object" })
    expect(call({}, context)).toEqual([undefined, undefined, undefined])
    expect(call(JSON.parse('{"__proto__": 1, "toString": 2}'), context)).toEqual([1, undefined, 2])
  })

  it("become what their types are", () => {
    expect(run("2026-01-02T03:04:05.000Z", date)).toEqual(new Date("2026-01-02T03:04:05Z"))
    expect(run("https://a.b/c", made("URL"))).toEqual(new URL("https://a.b/c"))
    expect(run("a+", made("RegExp"))).toEqual(/a+/)
    expect(run("/a+/gi", made("RegExp"))).toEqual(/a+/gi)
    expect(run("12345678901234567890", made("bigint"))).toBe(12345678901234567890n)
    expect(run(7, made("bigint"))).toBe(7n)
    expect(run("AQI=", made("Uint8Array"))).toEqual(new Uint8Array([1, 2]))
    expect(run("AQI=", made("Buffer"))).toEqual(Buffer.from([1, 2]))
    expect(run("AQI=", made("ArrayBuffer"))).toEqual(new Uint8Array([1, 2]).buffer)
    expect(run({ a: "2026-01-01" }, made("Map", { additionalProperties: date }))).toEqual(
      new Map([["a", new Date("2026-01-01")]]),
    )
    expect(run([1, 1, 2], made("Set", { items: {} }))).toEqual(new Set([1, 2]))
  })

  it("are looked into wherever the schema leads", () => {
    const schema = {
      type: "object",
      properties: {
        list: { type: "array", items: date },
        pair: { type: "array", prefixItems: [{ type: "string" }, date] },
        tree: { $ref: "#/$defs/Tree" },
        maybe: { anyOf: [date, { type: "null" }] },
        either: { anyOf: [{ type: "string" }, date] },
        shape: {
          anyOf: [
            { type: "object", properties: { kind: { const: "a" }, at: { type: "string" } }, required: ["kind"] },
            { type: "object", properties: { kind: { const: "b" }, at: date }, required: ["kind"] },
          ],
        },
      },
      $defs: { Tree: { type: "object", properties: { at: date, inner: { $ref: "#/$defs/Tree" } } } },
    }
    const day = "2026-01-01"
    const value = {
      list: [day],
      pair: [day, day],
      tree: { at: day, inner: { at: day } },
      maybe: null,
      either: day,
      shape: { kind: "b", at: day },
    }
    const at = new Date(day)
    expect(run(value, schema)).toEqual({
      list: [at],
      pair: [day, at],
      tree: { at, inner: { at } },
      maybe: null,
      either: day,
      shape: { kind: "b", at },
    })
    expect(run({ maybe: day, shape: { kind: "a", at: day } }, schema)).toEqual({
      maybe: at,
      shape: { kind: "a", at: day },
    })
  })

  it("keep a key named __proto__ a key", () => {
    const value = run(JSON.parse('{"__proto__": {"polluted": true}}'), {
      additionalProperties: {},
      properties: { a: date },
    })
    expect(Object.keys(value as object)).toEqual(["__proto__"])
    expect((value as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it.each([
    ["Date", "soon"],
    ["URL", "no url"],
    ["RegExp", "("],
    ["bigint", "1.5"],
    ["Uint8Array", 5],
  ])("that are no %s are refused by their path", (type, value) => {
    const schema = { properties: { at: { items: made(type) } } }
    expect(() => run({ at: [value] }, schema)).toThrow(`at[0] is no ${type}`)
  })
})
