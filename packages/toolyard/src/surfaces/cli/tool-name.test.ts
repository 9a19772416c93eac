import { describe, expect, it } from "vitest"
import { isAbout } from "./config-problem.ts"
import { serversOf, serversToStart } from "./tool-name.ts"

const NAMES = ["github", "git", "my.server", "my_server"]

describe("a tool's written name", () => {
  it("T10 tells which servers it can be about", () => {
    expect(serversOf("github.create", NAMES)).toEqual(["github"])
    expect(serversOf("git__log", NAMES)).toEqual(["git"])
    expect(serversOf("my_server__x", NAMES)).toEqual(["my.server", "my_server"])
    expect(serversOf("my.server.x.y", NAMES)).toEqual(["my.server"])
    expect(serversOf("github", NAMES)).toEqual([])
  })

  it("T10 is refused before anything is started when there is no such server", () => {
    expect(() => serversToStart("gihub.create", NAMES)).toThrow('there is no server "gihub"; did you mean "github"?')
    expect(() => serversToStart("gihub__create", NAMES)).toThrow('did you mean "github"?')
  })

  it("needs every server when it tells nothing, or may have been cut", () => {
    expect(serversToStart("create", NAMES)).toBeUndefined()
    expect(serversToStart(`${"x".repeat(50)}__create_1a2b`, NAMES)).toBeUndefined()
  })
})

describe("a problem of the configuration", () => {
  it("is about one server, or about all", () => {
    const about = (key: string | undefined) =>
      isAbout({ severity: "error", file: "f", message: "m", ...(key !== undefined && { key }) }, "git")
    expect([undefined, "policy.rules[0]", "mcpServers", "mcpServers.git", "mcpServers.git.args[0]"].map(about)).toEqual(
      Array(5).fill(true),
    )
    expect(["mcpServers.github", "mcpServers.github.url"].map(about)).toEqual([false, false])
  })
})
