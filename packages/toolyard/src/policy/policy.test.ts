import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import type { Policy } from "../model/config.ts"
import { YardError } from "../model/errors.ts"
import { matchesGlob } from "./glob.ts"
import { Slots } from "./limits.ts"
import { decide } from "./rules.ts"

const CALLER: Caller = { surface: "mcp", client: "claude-code", principal: "local" }
const tool = (annotations?: object) => ({ name: "t", ...(annotations && { annotations }) })
const policy = (...rules: Policy["rules"]): Policy => ({ default: "allow", rules, askTimeoutMs: 1000 })

describe("policy", () => {
  it("allows what no rule forbids", () => {
    expect(decide(policy(), "github__get", tool(), CALLER, false).action).toBe("allow")
  })

  it("lets the first rule that matches decide", () => {
    const rules = policy(
      { match: ["github__delete_label"], do: "allow" },
      { match: ["github__delete_*"], do: "deny" },
      { match: ["*"], do: "ask" },
    )
    expect(decide(rules, "github__delete_label", tool(), CALLER, false).action).toBe("allow")
    expect(decide(rules, "github__delete_repo", tool(), CALLER, false)).toEqual({
      action: "deny",
      because: "policy.rules[1] says deny",
    })
    expect(decide(rules, "other__thing", tool(), CALLER, false).action).toBe("ask")
  })

  it("matches on annotations and on the caller", () => {
    const rules = policy(
      { annotations: { destructiveHint: true }, do: "deny" },
      { caller: ["claude-*"], match: ["secret__*"], do: "deny" },
      { caller: ["cli"], do: "ask" },
    )
    expect(decide(rules, "a__b", tool({ destructiveHint: true }), CALLER, false).action).toBe("deny")
    expect(decide(rules, "a__b", tool({ destructiveHint: false }), CALLER, false).action).toBe("allow")
    expect(decide(rules, "secret__b", tool(), CALLER, false).action).toBe("deny")
    expect(decide(rules, "secret__b", tool(), { ...CALLER, client: "cursor" }, false).action).toBe("allow")
    expect(decide(rules, "a__b", tool(), { surface: "cli", principal: "local" }, false).action).toBe("ask")
  })

  it("holds for a surface in the runs that were started from there", () => {
    const rules = policy({ caller: ["mcp"], do: "deny" })
    const inRun = { ...CALLER, surface: "run" as const }
    expect(decide(rules, "a__b", tool(), { ...inRun, startedFrom: "mcp" }, false).action).toBe("deny")
    expect(decide(rules, "a__b", tool(), { ...inRun, startedFrom: "cli" }, false).action).toBe("allow")
    expect(decide(policy({ caller: ["run"], do: "ask" }), "a__b", tool(), inRun, false).action).toBe("ask")
  })

  it("denies by default where it is told to", () => {
    expect(decide({ ...policy(), default: "deny" }, "a__b", tool(), CALLER, false).action).toBe("deny")
  })

  it("C3 refuses what says that it writes, and with strict what says nothing", () => {
    const action = (annotations: object | undefined, readOnly: boolean | "strict") =>
      decide(policy(), "a__b", tool(annotations), CALLER, readOnly).action
    expect(action({ readOnlyHint: false }, true)).toBe("read-only")
    expect(action({ destructiveHint: true }, true)).toBe("read-only")
    expect(action({ readOnlyHint: true }, true)).toBe("allow")
    expect(action(undefined, true)).toBe("allow")
    expect(action(undefined, "strict")).toBe("read-only")
    expect(action({ title: "x" }, "strict")).toBe("read-only")
    expect(action({ readOnlyHint: true }, "strict")).toBe("allow")
  })

  it("C3 guards by the caller as well, whatever a rule allows", () => {
    const rules = policy({ match: ["*"], do: "allow" })
    expect(decide(rules, "a__b", tool({ readOnlyHint: false }), { ...CALLER, readOnly: true }, false).action).toBe(
      "read-only",
    )
  })
})

describe("matchesGlob", () => {
  it("knows * and ?, and takes all else literally", () => {
    expect(matchesGlob("github__delete_*", "github__delete_repo")).toBe(true)
    expect(matchesGlob("github__delete_*", "github__create_repo")).toBe(false)
    expect(matchesGlob("a?c", "abc")).toBe(true)
    expect(matchesGlob("a.c", "abc")).toBe(false)
    expect(matchesGlob("*", "")).toBe(true)
    expect(matchesGlob("**x**", "aaxbb")).toBe(true)
  })

  it("agrees with the regular expression it stands for", () => {
    const part = fc.stringMatching(/^[ab*?]{0,8}$/)
    fc.assert(
      fc.property(part, fc.stringMatching(/^[ab]{0,10}$/), (glob, text) => {
        const pattern = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`)
        expect(matchesGlob(glob, text)).toBe(pattern.test(text))
      }),
      { numRuns: 2000 },
    )
  })

  it("takes no time on patterns made to be slow", () => {
    expect(matchesGlob(`${"a*".repeat(200)}b`, "a".repeat(5000))).toBe(false)
  })
})

describe("Slots", () => {
  it("lets so many in, the others in their order, and refuses beyond its queue", async () => {
    const slots = new Slots("s", 1)
    expect(slots.tryTake()).toBe(true)
    expect(slots.tryTake()).toBe(false)
    const order: number[] = []
    const waiting = Array.from({ length: 16 }, (_, index) => slots.take(new Call(CALLER)).then(() => order.push(index)))
    expect(() => slots.take(new Call(CALLER))).toThrow(expect.objectContaining({ code: "overloaded" }))
    for (const one of waiting) {
      slots.release()
      await one
    }
    expect(order).toEqual([...order].sort((a, b) => a - b))
    slots.release()
    expect(slots.used).toBe(0)
  })

  it("gives up the place of a caller that leaves the queue", async () => {
    const slots = new Slots("s", 1)
    slots.tryTake()
    const call = new Call(CALLER)
    const waiting = slots.take(call)
    call.abort(new YardError("cancelled", "left"))
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" })
    slots.release()
    expect(slots.tryTake()).toBe(true)
  })
})
