import { describe, expect, it } from "vitest"
import { revealHidden, toOneLine, toReadableJson, toUrlPart } from "./text.ts"

describe("toReadableJson", () => {
  it.each([
    [{}, "{}"],
    [[], "[]"],
    [{ a: [1, "two", null] }, '{ "a": [1, "two", null] }'],
    [undefined, "null"],
    ['"', String.raw`"\""`],
  ])("puts what fits into one line: %j", (value, text) => {
    expect(toReadableJson(value)).toBe(text)
  })

  it("breaks what does not, and stays the same value", () => {
    const value = {
      type: "object",
      properties: { a: { description: "x".repeat(90) }, b: { enum: ["y".repeat(90), 1] } },
    }
    const text = toReadableJson(value)
    expect(text.split("\n").length).toBeGreaterThan(5)
    expect(text).toContain('\n    "a": {\n')
    expect(JSON.parse(text)).toEqual(value)
  })

  it("is not brought down by what is nested a thousand times", () => {
    let value: unknown = 1
    for (let depth = 0; depth < 1000; depth++) value = { value, other: "x".repeat(20) }
    expect(JSON.parse(toReadableJson(value))).toEqual(value)
  })
})

describe("toOneLine", () => {
  it("folds white space, and says when there is more", () => {
    expect(toOneLine("  one\n\ttwo ")).toBe("one two")
    expect(toOneLine("abcdef", 4)).toBe("abc…")
    expect(toOneLine("one two three", 10)).toBe("one two…")
    expect(toOneLine(`${" ".repeat(100)}far`, 10)).toBe("…")
    expect(toOneLine({ not: "text" })).toBe("")
  })
})

describe("toUrlPart", () => {
  it("leaves nothing that a shell or a page could take for something else, and comes back as it was", () => {
    const name = `a b'"<>&()!*$\`;/?#%é👋`
    expect(toUrlPart(name)).toMatch(/^[\w.~%-]+$/)
    expect(decodeURIComponent(toUrlPart(name))).toBe(name)
    expect(toUrlPart("\ud800")).toBe("%EF%BF%BD")
  })
})

describe("revealHidden", () => {
  it("names what can't be seen and turns text around", () => {
    expect(revealHidden("a\u202eb\u0000c\u200bd")).toBe(String.raw`a\u202eb\u0000c\u200bd`)
  })

  it("leaves every script, joined emoji and line break alone", () => {
    const text = "שלום مرحبا 👨‍👩‍👧 你好\r\n\tå"
    expect(revealHidden(text)).toBe(text)
  })
})
