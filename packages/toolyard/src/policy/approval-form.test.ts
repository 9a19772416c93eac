import { describe, expect, it } from "vitest"
import type { Approval } from "../model/run.ts"
import { describeQuestion } from "./approval-form.ts"

const question = (more: Partial<Approval>): Approval => ({
  ...{ id: "abcdefgh", tool: "files__delete", args: {}, because: "rule 1 says ask", done: [], caller: "mcp (editor)" },
  ...{ askedAt: "2026-01-01T00:00:00.000Z", expiresAt: "2026-01-01T00:10:00.000Z" },
  ...more,
})

describe("the text of a question", () => {
  it("shows what stands after a long argument", () => {
    const text = describeQuestion(question({ args: { padding: "x".repeat(100_000), path: "/etc" } }))
    expect(text.length).toBeLessThan(1_000)
    expect(text).toContain("99600 more characters")
    expect(text).toContain('"path": "/etc"')
  })

  it("says how much is left out, and cuts no character in two", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, "😀"]))
    const text = describeQuestion(question({ args: many }))
    expect(text.length).toBeLessThan(3_500)
    expect(text).toMatch(/… \(\d+ more characters; `toolyard approvals` shows abcdefgh whole\)/)
    for (const pad of ["", "x"])
      expect(describeQuestion(question({ args: { text: `${pad}${"😀".repeat(4_000)}` } })).isWellFormed()).toBe(true)
  })

  it("shows what would not show, or would turn the text around", () => {
    const text = describeQuestion(question({ args: { path: "a\u202Eb\u200Bc\u001B[2Jd\u{E0041}" } }))
    expect(text).toContain(String.raw`a\u{202e}b\u{200b}c\u001b[2Jd\u{e0041}`)
  })

  it("N2 lists the run's last calls, and counts those before", () => {
    const done = Array.from({ length: 25 }, (_, index) => ({ tool: `s__t${index}`, status: "ok" }))
    const text = describeQuestion(question({ runId: "run1", done }))
    expect(text).toContain("15 earlier calls")
    expect(text).not.toContain("s__t14:")
    expect(text).toContain("- s__t15: ok")
    expect(text).toContain("- s__t24: ok")
    expect(describeQuestion(question({ runId: "run1" }))).toContain("called nothing before")
    expect(describeQuestion(question({}))).not.toContain("called")
  })
})
