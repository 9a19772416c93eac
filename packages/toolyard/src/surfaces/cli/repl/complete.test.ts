import { describe, expect, it } from "vitest"
import { complete, type Offered } from "./complete.ts"

const OFFERED: Offered = new Map([
  ["github", ["createIssue", "createPullRequest", "getMe"]],
  ["gitlab", ["listIssues"]],
])

describe("the Tab key", () => {
  it.each([
    ["await tools.git", ["github", "gitlab"], "git"],
    ["await tools.github.create", ["createIssue", "createPullRequest"], "create"],
    ["tools.github.", ["createIssue", "createPullRequest", "getMe"], ""],
    ["tools.nobody.x", [], "x"],
    [".s", [".search"], ".s"],
    ["f(iss", ["issue"], "iss"],
    ["too", ["tools"], "too"],
    ["other.tools.git", [], ""],
    ["1 + ", [], ""],
  ])("after %j offers %j", (line, found, part) => {
    expect(complete(line, OFFERED, ["issue"])).toEqual([found, part])
  })
})
