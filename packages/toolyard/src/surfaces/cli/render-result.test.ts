import { describe, expect, it } from "vitest"
import { renderResult } from "./render-result.ts"

describe("a result as text", () => {
  it("C5 joins text blocks by newline", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b\n" },
    ]
    expect(renderResult({ content })).toBe("a\nb\n")
  })

  it("C5 prints other blocks as JSON on a line of their own", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" }
    expect(renderResult({ content: [{ type: "text", text: "a" }, image] })).toBe(`a\n${JSON.stringify(image)}`)
  })

  it("C5 says when there is nothing, whatever nothing looks like", () => {
    for (const content of [undefined, [], [{ type: "text", text: "" }]])
      expect(renderResult({ content })).toBe("(no output)")
  })

  it("prints structured content where there is nothing else", () => {
    expect(JSON.parse(renderResult({ content: [], structuredContent: { sum: 3 } }))).toEqual({ sum: 3 })
  })
})
