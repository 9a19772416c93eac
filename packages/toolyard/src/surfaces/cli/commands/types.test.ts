import { describe, expect, it } from "vitest"
import { parseAbout } from "./types.ts"

const NAMES = ["my_server", "my_server.v2", "github"]

describe("what `types` is about", () => {
  it.each([
    ["github", { server: "github" }],
    ["github.create_issue", { server: "github", tool: "create_issue" }],
    ["my_server.get", { server: "my_server", tool: "get" }],
    ["myServer.get", { server: "my_server", tool: "get" }],
    ["my_server.v2", { server: "my_server.v2" }],
    ["my_server.v2.get", { server: "my_server.v2", tool: "get" }],
    ["myServerV2.get", { server: "my_server.v2", tool: "get" }],
  ])("T10 %s is %j", (written, about) => {
    expect(parseAbout(written, NAMES)).toEqual(about)
  })

  it("T10 names the server that was probably meant", () => {
    expect(() => parseAbout("githb.createIssue", NAMES)).toThrow('did you mean "github"?')
    expect(() => parseAbout("github", [])).toThrow('there is no server "github"')
  })
})
