import { describe, expect, it } from "vitest"
import { parseArgs, splitPair, typedPairs } from "./call-args.ts"

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    list: { type: "array" },
    either: { type: ["string", "null"] },
    open: {},
  },
}
const typed = (...pairs: string[]) =>
  typedPairs(
    pairs.map(pair => splitPair("--arg", pair)),
    schema,
  )

describe("single arguments", () => {
  it("leaves what is to be a string as it was written", () => {
    expect(typed("text=12", "either=true")).toEqual({ text: "12", either: "true" })
    expect(typed('text={"a":1}')).toEqual({ text: '{"a":1}' })
  })

  it("reads everything else as JSON where it is JSON", () => {
    expect(typed("count=12", 'list=["a"]', "open=false", "unknown=1.5", "either=null")).toEqual({
      count: 12,
      list: ["a"],
      open: false,
      unknown: 1.5,
      either: null,
    })
    expect(typed("open=plain words", "unknown=")).toEqual({ open: "plain words", unknown: "" })
  })

  it("does not change a number that is too large to be kept", () => {
    expect(typed("open=12345678901234567890")).toEqual({ open: "12345678901234567890" })
  })

  it("splits at the first equals sign only", () => {
    expect(splitPair("--arg", "query=a=b")).toEqual(["query", "a=b"])
    expect(() => splitPair("--env", "nothing")).toThrow("--env wants name=value")
  })

  it("takes names that every object has for what they are: names", () => {
    expect(typed("constructor=1", "toString=2")).toEqual({ constructor: 1, toString: 2 })
  })
})

describe("arguments as JSON", () => {
  it("takes an object, and nothing for an empty one", () => {
    expect(parseArgs('{"a": [1]}')).toEqual({ a: [1] })
    expect(parseArgs(" \n")).toEqual({})
  })

  it("refuses what is no object", () => {
    for (const text of ["[]", "1", "null", "{a: 1}"]) expect(() => parseArgs(text)).toThrow(/JSON/)
  })
})
