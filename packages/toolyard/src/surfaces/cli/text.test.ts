import { describe, expect, it } from "vitest"
import { paintFor } from "./paint.ts"
import { columns, harmless, oneLine } from "./text.ts"

describe("text from others", () => {
  it("can't move the cursor, set the title or hide what it says", () => {
    expect(harmless("a\x1b[2Jb\x1b]0;title\x07c\x1b[31md\re\x9b5n")).toBe("abcde5n")
    expect(harmless("safe \u202etxt.exe")).toBe("safe txt.exe")
    expect(harmless("one\r\ntwo\tthree ü 日本")).toBe("one\ntwo\tthree ü 日本")
  })

  it("stays on one line in a table", () => {
    expect(oneLine("\n\n  First.  \nSecond.")).toBe("First.")
    expect(oneLine("")).toBe("")
  })
})

describe("columns", () => {
  it("are as wide as their widest cell, and don't trail spaces", () => {
    expect(
      columns(
        [
          ["a", "x"],
          ["long", ""],
        ],
        undefined,
      ),
    ).toEqual(["a     x", "long"])
  })

  it("cut the last cell at the terminal's edge", () => {
    expect(columns([["name", "a description that is long"]], 20)).toEqual(["name  a description…"])
  })

  it("line up in colour too", () => {
    const { bold } = paintFor({ FORCE_COLOR: "1" }, false)
    const [first, second] = columns(
      [
        [{ text: "a", paint: bold }, "x"],
        ["long", "y"],
      ],
      undefined,
    )
    expect(first).toBe("\x1b[1ma   \x1b[22m  x")
    expect(second).toBe("long  y")
  })
})

describe("colour", () => {
  it("is for terminals, unless the environment says otherwise", () => {
    const isOn = (env: NodeJS.ProcessEnv, isTerminal: boolean): boolean => paintFor(env, isTerminal).red("x") !== "x"
    expect(isOn({}, true)).toBe(true)
    expect(isOn({}, false)).toBe(false)
    expect(isOn({ TERM: "dumb" }, true)).toBe(false)
    expect(isOn({ NO_COLOR: "1", FORCE_COLOR: "1" }, true)).toBe(false)
    expect(isOn({ NO_COLOR: "" }, true)).toBe(true)
    expect(isOn({ FORCE_COLOR: "0" }, true)).toBe(false)
    expect(isOn({ FORCE_COLOR: "1" }, false)).toBe(true)
  })
})
