import { describe, expect, it } from "vitest"
import { SYNONYMS } from "./synonyms.ts"
import { toJoined, toPlainName, toStem, toTerms, toWords } from "./tokenize.ts"

const termsOf = (text: string) => toWords(text).flatMap(toTerms)

describe("tokenize", () => {
  it.each([
    ["create_issue", ["creat", "issu"]],
    ["get-user-profile", ["get", "user", "profil"]],
    ["createHTTPServer", ["creat", "http", "server"]],
    ["list the files of a folder, please", ["list", "file", "folder"]],
    ["upload to s3 as base64", ["upload", "s3", "base64"]],
    ["ﬁle Ｎａｍｅ", ["file", "name"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["搜索网页", ["搜索", "索网", "网页"]],
    ["用bing搜索", ["用", "bing", "搜索"]],
    ["ファイルを読む", ["ファ", "ァイ", "イル", "ルを", "を読", "読む"]],
    ["", []],
    ["!?… 🎉", []],
  ])("reads %j as %j", (text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  it("knows a name of two parts as a whole, too", () => {
    expect(toJoined("GitHub")).toBe("github")
    expect(toJoined("github")).toBeUndefined()
    expect(toJoined("getUserProfile")).toBeUndefined()
  })

  it("leaves out what is too long to be a word", () => {
    expect(termsOf(`key ${"a".repeat(65)}`)).toEqual(["kei"])
  })

  it("takes all spellings of a name for the same", () => {
    for (const name of ["createIssue", "create_issue", "Create issue", "create-issue"])
      expect(toPlainName(name)).toBe("create issue")
  })
})

describe("synonyms", () => {
  it("stand for each other both ways", () => {
    for (const [stem, others] of SYNONYMS) for (const other of others) expect(SYNONYMS.get(other)).toContain(stem)
  })

  it("are kept as stems, the form that queries are looked up in", () => {
    expect(SYNONYMS.get(toStem("remove"))).toContain(toStem("deleting"))
  })
})
