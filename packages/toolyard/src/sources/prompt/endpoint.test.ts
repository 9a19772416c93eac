import { describe, expect, it } from "vitest"
import { differences, mentions } from "./endpoint.ts"

const ITEM = { method: "GET", url: "https://api.example/v0/item/{id}.json?fields={fields}&v=2" }

describe("a request, compared with what was planned", () => {
  it.each([
    ["https://api.example/v0/item/7.json?fields=a&v=2", []],
    ["https://api.example/v0/item/7.json?v=2&x=1&fields=a", []],
    ["https://api.example/v0/item/8.json?fields=a&v=2", ["{id} in the path"]],
    ["https://api.example/v0/items/7.json?fields=a&v=2", ["the path is /v0/items/7.json"]],
    ["https://other.example/v0/item/7.json?fields=a&v=2", ["it goes to https://other.example"]],
    ["https://api.example/v0/item/7.json", ['the query has fields=""', 'the query has v=""']],
  ])("%s lacks %j", (url, lacks) => {
    const found = differences(ITEM, { id: 7, fields: "a" }, { method: "GET", url })
    expect(found).toHaveLength(lacks.length)
    for (const [at, text] of lacks.entries()) expect(found[at]).toContain(text)
  })

  it("needs no parameter that was not given, and sees another method", () => {
    const sent = { method: "POST", url: "https://api.example/v0/item/7.json?v=2" }
    expect(differences(ITEM, { id: 7 }, sent)).toEqual(["the method is POST, not GET"])
  })

  it("compares what was meant, not how it was encoded", () => {
    const planned = { method: "GET", url: "https://api.example/find/{q}?q={q}" }
    const url = `https://api.example/find/${encodeURIComponent("a b&c?d=é")}?q=a+b%26c%3Fd%3D%C3%A9`
    expect(differences(planned, { q: "a b&c?d=é" }, { method: "GET", url })).toEqual([])
    const bare = "https://api.example/find/a b&c?d=é?q=a b&c?d=é"
    expect(differences(planned, { q: "a b&c?d=é" }, { method: "GET", url: bare })).not.toEqual([])
  })
})

describe("the places where documentation speaks of an endpoint", () => {
  it("are found by its path, whatever stands for its placeholders", () => {
    const text = "See <https://api.example/v0/item/8863.json?print=pretty>, `/v0/item/:id.json` and /v0/items"
    expect(mentions(text, ITEM.url).map(({ start, end }) => text.slice(start, end))).toEqual([
      "/v0/item/8863.json",
      "/v0/item/:id.json",
    ])
  })

  it("are found by the end of the path when the base is written elsewhere, and never by a placeholder alone", () => {
    expect(mentions("Base: /api. Then /users/{id}.", "https://x.example/api/users/{id}")).toHaveLength(1)
    expect(mentions("a/b/c", "https://x.example/{id}")).toEqual([])
    expect(
      mentions("`/people/:id/`, `/people/schema/`, `/people/1/films/`", "https://x.example/api/people/{id}/"),
    ).toHaveLength(2)
  })
})
