import { describe, expect, it } from "vitest"
import { formatDiagnostics } from "./diagnostic.ts"

describe("diagnostics in text", () => {
  it("show the place, the line with a caret, and the hint", () => {
    const found = [{ line: 2, column: 7, message: "No such thing.", hint: "try `x`", code: "TS1" }]
    expect(formatDiagnostics(found, "a\r\n\tb.c = d\r\n")).toBe(
      ["2:7 No such thing.", "  \tb.c = d", "  \t     ^", "  hint: try `x`"].join("\n"),
    )
  })

  it("leave out the line where there is none", () => {
    expect(formatDiagnostics([{ line: 9, column: 1, message: "Ends early.", code: "syntax" }], "a")).toBe(
      "9:1 Ends early.",
    )
  })

  it("show ten and count the rest", () => {
    const found = Array.from({ length: 25 }, (_, i) => ({ line: 1, column: i + 1, message: `m${i}`, code: "TS1" }))
    const text = formatDiagnostics(found, "x".repeat(25))
    expect(text.match(/ m\d+$/gm)).toHaveLength(10)
    expect(text.endsWith("and 15 more")).toBe(true)
  })

  it("show the part of a long line that matters", () => {
    const code = `${"a".repeat(5000)}HERE${"b".repeat(5000)}`
    const text = formatDiagnostics([{ line: 1, column: 5001, message: "m", code: "TS1" }], code)
    const [, source = "", caret = ""] = text.split("\n")
    expect(text.length).toBeLessThan(400)
    expect(source.slice(caret.indexOf("^")).startsWith("HERE")).toBe(true)
  })
})
