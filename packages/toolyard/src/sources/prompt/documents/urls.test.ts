import { describe, expect, it } from "vitest"
import { findOtherAddresses, findUrls, isTemplate, withoutSecrets } from "./urls.ts"

const found = (text: string) => findUrls(text).map(url => url.href)

describe("addresses in a text", () => {
  it.each([
    ["See https://a.example/docs.", "https://a.example/docs"],
    ["(https://a.example/docs)", "https://a.example/docs"],
    ["Is it https://a.example/docs?!", "https://a.example/docs"],
    ["https://a.example/wiki/Foo_(bar), more", "https://a.example/wiki/Foo_(bar)"],
    ["[the docs](https://a.example/docs)", "https://a.example/docs"],
    ["**https://a.example/docs**", "https://a.example/docs"],
    ["<https://a.example/docs>", "https://a.example/docs"],
    ['"https://a.example/docs"', "https://a.example/docs"],
    ["‘https://a.example/docs’…", "https://a.example/docs"],
    ["「https://a.example/docs」。", "https://a.example/docs"],
    ["`https://a.example/docs`;", "https://a.example/docs"],
    ["| https://a.example/docs|GET |", "https://a.example/docs"],
    ['{"url":"https:\\/\\/a.example\\/docs"}', "https://a.example/docs"],
    ["HTTPS://A.Example/docs", "https://a.example/docs"],
    ["https://bücher.example/docs", "https://xn--bcher-kva.example/docs"],
    ["http://a.example:8080/docs?x=1&y=2#z", "http://a.example:8080/docs?x=1&y=2#z"],
    ["http://[::1]:8080/docs]", "http://[::1]:8080/docs"],
  ])("B2 %s", (text, url) => {
    expect(found(text)).toEqual([url])
  })

  it("B2 are given once each, in order, both of a link whose text is one included", () => {
    expect(found("https://b.example [https://a.example](https://a.example/x), https://b.example/")).toEqual([
      "https://b.example/",
      "https://a.example/",
      "https://a.example/x",
    ])
  })

  it.each([
    "file:///etc/passwd",
    "data:text/html,x",
    "javascript:alert(1)",
    "https://",
    "https://{host}/x",
    "http://a b",
  ])("are not: %s", text => {
    expect(found(text).filter(url => url !== "http://a/")).toEqual([])
  })

  it("of other schemes are told apart", () => {
    expect(findOtherAddresses("Read file:///etc/passwd, ftp://x.example/y and https://a.example.")).toEqual([
      "file:///etc/passwd",
      "ftp://x.example/y",
    ])
  })

  it("take no longer for a hostile text: lone surrogates, brackets and half addresses without end", () => {
    expect(found(`${"https://".repeat(50_000)} \ud800https://a.example/\udfff ${")".repeat(100_000)}`)).toEqual([
      "https://a.example/%EF%BF%BD",
    ])
  })

  it("that are templates or hold a password are known", () => {
    const known = (text: string) => isTemplate(new URL(text))
    expect(["https://a.example/{id}", "https://a.example/items/:id", "https://a.example/?q={q}"].map(known)).toEqual([
      true,
      true,
      true,
    ])
    expect(known("https://a.example:8080/items/1")).toBe(false)
    expect(withoutSecrets(new URL("https://me:secret@a.example/x"))).toBe("https://a.example/x")
  })
})
