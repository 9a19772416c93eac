import { describe, expect, it } from "vitest"
import { isIncomplete, toEntry, toTyped } from "./entry.ts"

const NOTHING = new Map<string, unknown>()

describe("an entry", () => {
  it.each(["const a = {", "f(", "`text", "/* a comment", "if (a) {\n  b()", "1 +", "tools.", "async () =>"])(
    "goes on after %j",
    text => {
      expect(isIncomplete(text)).toBe(true)
    },
  )

  it.each(["1 + 1", "return 1", "f)", "'open", "const r = /a{/", "if (a) { b() }", "export default 5"])(
    "is taken as it is at %j",
    text => {
      expect(isIncomplete(text)).toBe(false)
    },
  )

  it("is left alone when it declares nothing and uses nothing that was declared", () => {
    expect(toEntry("1 + 1", new Map([["other", 1]]))).toEqual({
      code: "1 + 1",
      declares: [],
      forgets: [],
      linesBefore: 0,
    })
  })

  it("gives what it declares, in patterns too", () => {
    const { code, declares } = toEntry("const a = 1, { b, c: [d, ...e], ...f } = g", NOTHING)
    expect(declares).toEqual(["a", "b", "d", "e", "f"])
    expect(code).toBe("const a = 1, { b, c: [d, ...e], ...f } = g\n;({ kept: { a, b, d, e, f } })")
  })

  it("gives its last expression beside what it declares", () => {
    const { code } = toEntry("let a = 1; a + 1 // more", NOTHING)
    expect(code).toBe("let a = 1; ;({ value: (a + 1), kept: { a } })")
  })

  it("gives only what it returns when it returns", () => {
    expect(toEntry("const a = 1; return a", NOTHING)).toMatchObject({ code: "const a = 1; return a", declares: [] })
  })

  it("gets what it uses of what was declared, unless it declares it again", () => {
    const memory = new Map<string, unknown>([
      ["a", 1],
      ["b", { c: 2 }],
      ["_", "last"],
      ["$d", 4],
      ["abc", 5],
    ])
    const entry = toEntry("const b = a + _.length + $d", memory)
    expect(entry.code.split("\n")[0]).toBe("const { a, _, $d } = input")
    expect(entry).toMatchObject({ input: { a: 1, _: "last", $d: 4 }, linesBefore: 1, declares: ["b"] })
  })

  it("names the functions and classes that it will not remember", () => {
    expect(toEntry("function f() {}\nclass C {}", NOTHING).forgets).toEqual(["f", "C"])
  })

  it("has its errors where it was typed", () => {
    const error = {
      code: "type_error",
      message: "2:7 wrong\n  x\n  ^\n10:1 too",
      line: 2,
      stack: "    at script.ts:3:1",
    }
    expect(toTyped(error, 1)).toEqual({
      code: "type_error",
      message: "1:7 wrong\n  x\n  ^\n9:1 too",
      line: 1,
      stack: "    at script.ts:2:1",
    })
    expect(toTyped(error, 0)).toBe(error)
  })
})
