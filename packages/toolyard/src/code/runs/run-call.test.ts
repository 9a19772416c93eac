import { describe, expect, it } from "vitest"
import type { Caller, ReadOnly } from "../../model/caller.ts"
import { toRunCaller } from "./run-call.ts"

const caller: Caller = { surface: "mcp", client: "editor", principal: "local" }

describe("who calls in a run", () => {
  it("is a run, and remembers the surface that started it, however many runs stand between", () => {
    const inRun = toRunCaller({ caller })
    expect(inRun).toMatchObject({ surface: "run", startedFrom: "mcp", client: "editor", principal: "local" })
    expect(toRunCaller({ caller: inRun })).toMatchObject({ surface: "run", startedFrom: "mcp" })
  })

  it.each<[ReadOnly | undefined, ReadOnly | undefined, ReadOnly]>([
    [undefined, undefined, false],
    [true, undefined, true],
    [undefined, true, true],
    [true, false, true],
    [true, "strict", "strict"],
    ["strict", false, "strict"],
    ["strict", true, "strict"],
  ])("C3 may never do more than its caller: %j with %j is %j", (own, wanted, expected) => {
    const restricted = { ...caller, ...(own !== undefined && { readOnly: own }) }
    expect(toRunCaller({ caller: restricted, ...(wanted !== undefined && { readOnly: wanted }) }).readOnly).toBe(
      expected,
    )
  })
})
