import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assignIds, assignNames, makeUnique, toCamel, toolId, toTypeName } from "./naming.ts"

const name = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[A-Za-z0-9_\-./ ]{0,90}$/),
)
const pair = fc.record({ server: name, tool: name })
/** Few and short, so that they clash. */
const clashing = fc.array(
  fc.record({ server: fc.stringMatching(/^[a._]{0,3}$/), tool: fc.stringMatching(/^[a._]{0,3}$/) }),
)
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

describe("ids", () => {
  it("joins server and tool, and replaces what clients refuse", () => {
    expect(toolId("github", "create_issue")).toBe("github__create_issue")
    expect(toolId("@scope/pkg", "a b.c")).toBe("_scope_pkg__a_b_c")
    expect(toolId("über", "搜索")).toBe("_ber____")
  })

  it("cuts what is too long and ends it in a hash of the whole", () => {
    const long = toolId("server", `${"x".repeat(80)}a`)
    expect(long).toMatch(/^server__x{49}_[0-9a-f]{6}$/)
    expect(long).toHaveLength(64)
    expect(toolId("server", `${"x".repeat(80)}b`)).not.toBe(long)
    expect(toolId("s", "x".repeat(61))).toBe(`s__${"x".repeat(61)}`)
  })

  it("keeps the plain id for the first of a clash and hashes the later ones", () => {
    const [first, second, third] = assignIds([
      { server: "a", tool: "b.c" },
      { server: "a", tool: "b_c" },
      { server: "a", tool: "b c" },
    ])
    expect(first).toBe("a__b_c")
    expect(second).toMatch(/^a__b_c_[0-9a-f]{6}$/)
    expect(third).toMatch(/^a__b_c_[0-9a-f]{6}$/)
    expect(third).not.toBe(second)
  })

  it("are legal and at most 64 characters, whatever the names", () => {
    fc.assert(fc.property(fc.array(pair), tools => assignIds(tools).every(id => /^[A-Za-z0-9_-]{1,64}$/.test(id))))
  })

  it("are unique, even if a server lists one name twice", () => {
    fc.assert(fc.property(fc.oneof(clashing, fc.array(pair)), tools => new Set(assignIds(tools)).size === tools.length))
  })

  it("stay the same when more tools come after them", () => {
    fc.assert(
      fc.property(clashing, clashing, (tools, more) => {
        expect(assignIds([...tools, ...more]).slice(0, tools.length)).toEqual(assignIds(tools))
      }),
    )
  })
})

describe("TypeScript names", () => {
  it.each([
    ["create_issue", "createIssue"],
    ["get-user-profile", "getUserProfile"],
    ["my_server", "myServer"],
    ["123test", "_123test"],
    ["create__issue", "createIssue"],
    ["what's-new?", "whatsNew"],
    ["@scope/pkg.name here", "scopePkgNameHere"],
    ["createIssue", "createIssue"],
    ["GetUser", "getUser"],
    ["URLParser", "urlParser"],
    ["GMAIL_SEND_EMAIL", "gmailSendEmail"],
    ["delete", "delete"],
    ["größe_ändern", "größeÄndern"],
    ["搜索_文件", "搜索文件"],
    ["", "_"],
    ["---", "_"],
    ["🎉", "_"],
    ["__proto__", "proto"],
  ])("T6 writes %j as %j", (raw, expected) => {
    expect(toCamel(raw)).toBe(expected)
  })

  it("T6 names the types of a tool after its server and itself", () => {
    expect(toTypeName("github", "create_issue", "Params")).toBe("GithubCreateIssueParams")
    expect(toTypeName("github", "create_issue", "Result")).toBe("GithubCreateIssueResult")
    expect(toTypeName("my-server", "123test", "Params")).toBe("MyServer123testParams")
    expect(toTypeName("123", "456", "Params")).toBe("_123456Params")
  })

  it("T6 numbers clashes in catalog order and takes no name that is already there", () => {
    expect(assignNames(["create_issue", "create-issue", "createIssue"])).toEqual([
      "createIssue",
      "createIssue2",
      "createIssue3",
    ])
    expect(assignNames(["a2", "a", "a"])).toEqual(["a2", "a", "a3"])
    expect(makeUnique(["FooParams", "FooParams"])).toEqual(["FooParams", "FooParams2"])
  })

  it("are legal identifiers, whatever the names", () => {
    fc.assert(
      fc.property(name, name, (server, tool) => {
        expect(toCamel(tool)).toMatch(IDENTIFIER)
        expect(toTypeName(server, tool, "Params")).toMatch(IDENTIFIER)
      }),
    )
  })

  it("do not change when they are made again from themselves", () => {
    fc.assert(fc.property(name, raw => toCamel(toCamel(raw)) === toCamel(raw)))
  })

  it("are unique, and stay the same when more come after them", () => {
    const names = fc.array(fc.oneof(fc.stringMatching(/^[ab]?[_2]{0,3}$/), name))
    fc.assert(
      fc.property(names, names, (some, more) => {
        const assigned = assignNames([...some, ...more])
        expect(new Set(assigned).size).toBe(assigned.length)
        expect(assigned.slice(0, some.length)).toEqual(assignNames(some))
      }),
    )
  })
})
