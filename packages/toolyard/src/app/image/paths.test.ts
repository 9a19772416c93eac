import { describe, expect, it } from "vitest"
import { findPathFault } from "./paths.ts"

describe("paths in an image", () => {
  it("may be ordinary ones, in any language", () => {
    expect(
      findPathFault(["a", "a.b/c", "servers/math.ts", "日本語/ü.txt", ".mcp.json", "..a/...b", "x/.toolyard/y"]),
    ).toBe(undefined)
  })

  it.each([
    "",
    "/etc/passwd",
    "..",
    "../x",
    "a/../../x",
    "a/..",
    "./a",
    "a//b",
    "a/",
    "a\\b",
    "..\\x",
    "C:/x",
    "a:stream",
    "a\0b",
    "a\nb",
    "a\x7f",
    "a.",
    "a /b",
    ".toolyard/hub.json",
    ".TOOLYARD/hub.json",
    "\ud800",
    "x".repeat(256),
    `${"x/".repeat(1500)}x`,
  ])("may not be %j", path => {
    expect(findPathFault([path])).toBeTypeOf("string")
  })

  it.each([
    [["a", "a"], "twice"],
    [["README.md", "readme.md"], "case"],
    [["a/x", "A/y"], "case"],
    [["\u00e9", "e\u0301"], "case"],
    [["a", "a/b"], "a file and a folder"],
    [["a/b", "A"], "a file and a folder"],
  ])("may not meet where systems differ: %j", (paths, says) => {
    expect(findPathFault(paths)).toContain(says)
  })
})
