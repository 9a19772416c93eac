import { describe, expect, it } from "vitest"
import { describeApproval, exitOf } from "./run-report.ts"

describe("the exit code of a run", () => {
  it.each([
    ["completed", undefined, 0],
    ["running", undefined, 0],
    ["waiting", undefined, 77],
    ["cancelled", "cancelled", 130],
    ["failed", "script_error", 1],
    ["failed", "type_error", 65],
    ["failed", "limit_time", 75],
    ["failed", "denied", 77],
    ["failed", "a code of the tool's own", 1],
  ] as const)("T8 of one that is %s (%s) is %i", (status, code, exit) => {
    expect(exitOf({ status, ...(code && { error: { code, message: "" } }) })).toBe(exit)
  })
})

describe("a question", () => {
  it("N2 shows the tool, the arguments, the reason and what was done, and nothing that a terminal would obey", () => {
    const text = describeApproval({
      id: "a",
      tool: "files__delete",
      args: { path: "\u001b[2Jnotes.txt" },
      because: "policy.rules[0] says ask",
      done: [
        { tool: "files__read", status: "ok" },
        { tool: "files__lock", status: "error" },
      ],
      askedAt: "",
      expiresAt: "",
      caller: "cli (\u001b[1mcli)",
    })
    expect(text).toBe(
      [
        'files__delete {\n  "path": "\\u001b[2Jnotes.txt"\n}',
        "asked by cli (cli), because policy.rules[0] says ask",
        "already done: files__read, files__lock (error)",
      ].join("\n"),
    )
  })
})
