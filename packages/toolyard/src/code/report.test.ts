import { describe, expect, it } from "vitest"
import type { RunReport } from "../model/run.ts"
import { reportText } from "./report.ts"

const report = (more: Partial<RunReport>): RunReport => ({
  runId: "run_1",
  status: "completed",
  logs: [],
  calls: [],
  usage: { ms: 1, cpuMs: 1, calls: 0 },
  ...more,
})

describe("a report as text", () => {
  it.each<[string, Partial<RunReport>, string]>([
    ["the value alone", { value: { a: 1 } }, '{"a":1}'],
    ["a text without quotes", { value: "as it is" }, "as it is"],
    ["null, which is a value", { value: null }, "null"],
    ["no value", {}, "(no value)"],
    ["the logs after the value", { value: 1, logs: ["one", "two"] }, "1\n\nlogs:\none\ntwo"],
    ["where the script was kept", { value: 1, script: "name@2" }, "1\n\nsaved as name@2"],
  ])("is %s", (_what, more, text) => {
    expect(reportText(report(more))).toBe(text)
  })

  it("says nothing of calls that went well when the run did", () => {
    expect(reportText(report({ value: 1, calls: [{ id: 1, tool: "a__b", status: "ok" }] }))).toBe("1")
  })

  it("lists every call when the run failed, with the error, its place and its hint", () => {
    const error = { code: "script_error", message: "Error: no", hint: "Correct it.", line: 3, column: 7 }
    const calls: RunReport["calls"] = [
      { id: 1, tool: "a__b", status: "ok" },
      { id: 2, tool: "a__c", status: "error", error: { code: "denied", message: "not allowed" } },
    ]
    expect(reportText(report({ status: "failed", error, calls, logs: ["before"] }))).toBe(
      [
        "script_error: Error: no (line 3, column 7)\nCorrect it.",
        "logs:\nbefore",
        "calls:\na__b: ok\na__c: denied: not allowed",
        "run run_1: failed",
      ].join("\n\n"),
    )
  })

  it("shows what a waiting run asks, and how to go on", () => {
    const approval = { id: "q", tool: "a__delete", args: { id: 1 }, because: "a rule", done: [], caller: "mcp" }
    const approvals = [{ ...approval, askedAt: "", expiresAt: "" }]
    expect(reportText(report({ status: "waiting", approvals, more: "Call resume." }))).toBe(
      'waits for approval of a__delete with {"id":1} (a rule)\n\nCall resume.\n\nrun run_1: waiting',
    )
  })
})
