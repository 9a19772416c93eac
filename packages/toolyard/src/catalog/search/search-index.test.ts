import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createIndex, type SearchDoc, toSearchDoc } from "./search-index.ts"

const doc = (server: string, name: string, description = "", rest: Partial<SearchDoc> = {}): SearchDoc => ({
  id: `${server}__${name}`,
  server,
  name,
  description,
  ...rest,
})

const DOCS = [
  doc("github", "create_issue", "Open a new issue in a repository", {
    inputSchema: { type: "object", properties: { milestone: { type: "number", description: "Target of a roadmap" } } },
  }),
  doc("github", "list_issues", "List the issues of a repository; use create_issue to create an issue"),
  doc("github", "get", "Anything by its path"),
  doc("files", "deleteFile", "Erases a file from disk"),
  doc("files", "read_text", "The contents of a text file", { title: "Peruse" }),
  doc("bing", "bing_search", "使用必应搜索指定的关键词，并返回搜索结果列表", {
    serverDescription: "Web search by Microsoft",
  }),
  doc("weather", "forecast", "Temperature and rain for the coming days"),
]
const index = createIndex(DOCS)
const find = (query: string, options: { limit?: number; offset?: number; server?: string } = {}) =>
  index.search(query, { limit: 10, ...options }).map(hit => hit.id)

describe("search", () => {
  it("finds by what a tool is for, however its words are inflected or spelled", () => {
    expect(find("creating issues in repositories")[0]).toBe("github__create_issue")
    expect(find("delete files")[0]).toBe("files__deleteFile")
  })

  it("finds by parameter names, parameter descriptions, titles and server descriptions", () => {
    expect(find("milestone")).toEqual(["github__create_issue"])
    expect(find("roadmap")).toEqual(["github__create_issue"])
    expect(find("peruse")).toEqual(["files__read_text"])
    expect(find("Microsoft")).toEqual(["bing__bing_search"])
  })

  it("finds by a synonym, but prefers the word that was typed", () => {
    expect(find("climate")).toEqual(["weather__forecast"])
    const both = createIndex([doc("a", "remove_row"), doc("a", "delete_row")])
    expect(both.search("delete", { limit: 2 }).map(hit => hit.id)).toEqual(["a__delete_row", "a__remove_row"])
  })

  it("finds with Chinese queries", () => {
    expect(find("搜索关键词")).toEqual(["bing__bing_search"])
  })

  it("finds GitHub and github with either spelling", () => {
    const spellings = createIndex([doc("a", "x", "Talks to GitHub"), doc("b", "y", "Talks to github"), doc("c", "z")])
    for (const query of ["github", "GitHub"]) expect(spellings.search(query, { limit: 5 })).toHaveLength(2)
  })

  it("puts the tool whose name or id was typed first, even if the name is only stop words or common ones", () => {
    for (const query of ["create_issue", "createIssue", "github__create_issue", "github.create_issue"])
      expect(find(query)[0]).toBe("github__create_issue")
    expect(find("get")[0]).toBe("github__get")
    const all = createIndex([doc("a", "other", "to do to do"), doc("b", "to_do")])
    expect(all.search("to_do", { limit: 1 })[0]?.id).toBe("b__to_do")
  })

  it("returns scores that fall, at most as many hits as asked for, page by page", () => {
    const scores = index.search("issue file", { limit: 10 }).map(hit => hit.score)
    expect(scores.length).toBeGreaterThan(3)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    const ids = find("issue file")
    expect([...find("issue file", { limit: 2 }), ...find("issue file", { limit: 10, offset: 2 })]).toEqual(ids)
    expect(find("issue", { limit: 0 })).toEqual([])
  })

  it("keeps to one server when asked to", () => {
    expect(find("list file issue", { server: "files" }).every(id => id.startsWith("files__"))).toBe(true)
    expect(find("delete_file", { server: "github" })).not.toContain("files__deleteFile")
    expect(find("issue", { server: "nowhere" })).toEqual([])
  })

  it("orders equal tools as they stand in the index", () => {
    const same = createIndex(Array.from({ length: 50 }, (_, i) => ({ ...doc("s", "same", "Same"), id: `s__${i}` })))
    const hits = same.search("same", { limit: 20, offset: 5 })
    expect(hits.map(hit => hit.id)).toEqual(Array.from({ length: 20 }, (_, i) => `s__${i + 5}`))
  })

  it("finds nothing, and does not fail, without words, without tools, or with a very long query", () => {
    for (const query of ["", "   ", "the of and", "zzzz", "!!!", "\ud800"]) expect(find(query)).toEqual([])
    expect(createIndex([doc("", "🎉")]).search("", { limit: 5 })).toEqual([])
    expect(createIndex([]).search("file", { limit: 5 })).toEqual([])
    expect(find(`delete file ${"x ".repeat(2_000_000)}`)[0]).toBe("files__deleteFile")
    fc.assert(fc.property(fc.string({ unit: "binary" }), query => Array.isArray(find(query))))
  })

  it("fills its answer with what is accepted, and counts nothing else", () => {
    const accepts = (id: string): boolean => id !== "github__create_issue"
    const hits = index.search("create an issue", { limit: 1, accepts })
    expect(hits.map(({ id }) => id)).toEqual(["github__list_issues"])
    expect(index.search("milestone", { limit: 1, accepts })).toEqual([])
  })

  it("takes definitions as servers send them, whatever their types", () => {
    const odd = { name: "odd", title: 5, description: ["x"], annotations: { title: "Peculiar" }, inputSchema: "none" }
    const docs = [toSearchDoc("s__odd", "s", odd, "About servers")]
    expect(createIndex(docs).search("peculiar", { limit: 1 })).toHaveLength(1)
    const nested = { properties: { a: null, b: { items: { properties: { innermost: {} } } } } }
    const deep = createIndex([toSearchDoc("s__n", "s", { name: "n", inputSchema: nested })])
    expect(deep.search("innermost", { limit: 1 })).toHaveLength(1)
  })

  it("builds and answers fast with thousands of tools", () => {
    const verbs = ["create", "list", "delete", "update", "search"]
    const many = Array.from({ length: 4_000 }, (_, i) =>
      doc(
        `server${i % 70}`,
        `${verbs[i % 5]}_thing_${i}`,
        `${"Does something useful with things and files. ".repeat(8)}${i}`,
        {
          inputSchema: {
            properties: { path: { description: "Where the thing is" }, limit: { description: "How many" } },
          },
        },
      ),
    )
    const large = createIndex(many)
    const start = performance.now()
    large.search("warm", { limit: 1 })
    const built = performance.now()
    for (let i = 0; i < 20; i++) large.search("create a useful thing with files and list where it is", { limit: 10 })
    // Bounds with room for a busy machine; the bench has the true figures.
    expect(built - start).toBeLessThan(2_000)
    expect((performance.now() - built) / 20).toBeLessThan(30)
  })
})
