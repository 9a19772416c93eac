import { describe, expect, it } from "vitest"
import { expandText, expandValue } from "./expand.ts"

const env = { A: "1", EMPTY: "", TRICKY: "${A} $& }" }

describe("expandText", () => {
  it.each([
    ["plain", "plain"],
    ["${A}", "1"],
    ["x${A}y${A}z", "x1y1z"],
    ["${EMPTY}", ""],
    ["${EMPTY:-d}", "d"],
    ["${NO:-}", ""],
    ["${NO:-a b:-c}", "a b:-c"],
    ["${NO:-${A}}", "1"],
    ["${A:-${NO}}", "1"],
    ["${NO:-${NO:-deep}}!", "deep!"],
    ["${TRICKY}", "${A} $& }"],
    ["$${A}", "${A}"],
    ["${NO:-$${A}}", "${A}"],
    ["$A $ {A} ${} ${1} ${a-b} ${", "$A $ {A} ${} ${1} ${a-b} ${"],
    ["${NO:-open", "${NO:-open"],
    ["${input:token}", "${input:token}"],
  ])("%j is %j", (text, expected) => {
    expect(expandText(text, env)).toEqual({ text: expected, missing: [] })
  })

  it("names each missing variable once and leaves its text as it was", () => {
    expect(expandText("${NO} ${NO} ${NO:-${NEVER}}", env)).toEqual({
      text: "${NO} ${NO} ${NEVER}",
      missing: ["NO", "NEVER"],
    })
  })

  it("does not take what every object has for a variable", () => {
    expect(expandText("${constructor}${__proto__}", env).missing).toEqual(["constructor", "__proto__"])
  })

  it("reads a long text of nested and unclosed references once", () => {
    const text = "${A:-".repeat(200_000)
    const started = performance.now()
    expandText(text, env)
    expandText(text + "}".repeat(200_000), env)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

it("expandValue reaches every string, touches no key, and says where a variable is missing", () => {
  const value = { "${A}": ["${A}", { deep: "${NO}" }], n: 1, b: null }
  expect(expandValue(value, env, ["root"])).toEqual({
    value: { "${A}": ["1", { deep: "${NO}" }], n: 1, b: null },
    missing: [{ variable: "NO", path: ["root", "${A}", 1, "deep"] }],
  })
})
