import { expect, it } from "vitest"
import { countRows } from "./stats.ts"

it("counts the kept calls by server and outcome, with the mean of their times", () => {
  const row = { at: 0, tool: "a__x", server: "a", surface: "cli" }
  const servers = countRows([
    { ...row, outcome: "ok", ms: 10, resultBytes: 5 },
    { ...row, outcome: "tool-error", ms: 20, resultBytes: 7 },
    { ...row, outcome: "refused", ms: 0 },
    { ...row, server: "b", outcome: "failed", ms: 1 },
  ])
  expect(servers).toEqual({
    a: { ok: 1, toolErrors: 1, refused: 1, failed: 0, meanMs: 10, resultBytes: 12 },
    b: { ok: 0, toolErrors: 0, refused: 0, failed: 1, meanMs: 1, resultBytes: 0 },
  })
})
