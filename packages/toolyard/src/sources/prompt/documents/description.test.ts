import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { describesApi, descriptionLinks } from "./description.ts"
import { findUrls } from "./urls.ts"

const SPECS = join(import.meta.dirname, "../../../../../../../shared/data/openapi")
const DOCS = join(import.meta.dirname, "../../../../../../../shared/data/api-docs")
const MISSING = existsSync(SPECS) ? undefined : "the specifications are not there"

describe("a description of an API", () => {
  it.each([
    ["openapi", '{ "openapi": "3.1.0", "paths": {} }'],
    ["openapi", '\ufeff{ "swagger": "2.0", "paths": {} }'],
    ["openapi", "# ours\n---\nopenapi: 3.0.3\ninfo: { title: x }\npaths:\n  /x: {}"],
    ["openapi", "info:\n  title: x\n'swagger': '2.0'\npaths: {}"],
    ["graphql", "# shop\ntype Query {\n  items: [Item]\n}\ntype Item { id: ID }"],
    ["graphql", '"""The shop"""\nschema {\n  query: Root\n}\ntype Root { a: Int }'],
    ["graphql", '{ "data": { "__schema": { "types": [] } } }'],
    [
      "postman",
      '{ "info": { "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" }, "item": [] }',
    ],
    ["har", '{ "log": { "version": "1.2", "entries": [] } }'],
  ])("B14 is known by its content: %s %#", (kind, text) => {
    expect(describesApi(text)).toBe(kind)
  })

  it.each([
    ["a page with an example", "# How to\n\n```yaml\nopenapi: 3.0.0\npaths:\n```\nopenapi: 3.0.0\npaths: {}"],
    ["prose", "openapi is a format.\npaths: many"],
    ["other JSON", '{ "openapi": true, "paths": {} }'],
    ["broken JSON", '{ "openapi": "3.0.0", "paths": {'],
    ["a list", "[]"],
    ["nothing", ""],
    ["a sentence on types", "type Query is what you want {"],
  ])("is not %s", (_, text) => {
    expect(describesApi(text)).toBeUndefined()
  })

  it("B14 is known in every specification there is, and in no page written for people", context => {
    context.skip(MISSING !== undefined, MISSING)
    const files = readdirSync(SPECS).filter(name => /\.(?:json|ya?ml)$/.test(name))
    expect(files.length).toBeGreaterThan(10)
    expect(files.filter(name => describesApi(readFileSync(join(SPECS, name), "utf8")) !== "openapi")).toEqual([])
    const pages = readdirSync(DOCS).filter(name => describesApi(readFileSync(join(DOCS, name), "utf8")) !== undefined)
    expect(pages).toEqual([])
  })

  it("is found behind links that plainly lead to one", () => {
    const text =
      "[spec](./openapi.yaml), [guide](guide.html), https://a.example/v2/swagger.json, <https://a.example/v3/api-docs>, https://a.example/swagger"
    const found = descriptionLinks(text, new URL("https://raw.example/o/r/HEAD/README.md"), findUrls(text))
    expect(found.map(url => url.href)).toEqual([
      "https://a.example/v2/swagger.json",
      "https://a.example/v3/api-docs",
      "https://raw.example/o/r/HEAD/openapi.yaml",
    ])
  })
})
