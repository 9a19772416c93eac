import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import type { DocumentPage } from "../model.ts"
import { ITEM_PAGE } from "../prompt.fixture.ts"
import { readDocumentation } from "./documented.ts"

const DOCS = resolve(import.meta.dirname, "../../../../../../../shared/data/api-docs")
const page = (name: string) => ({
  url: `https://docs.example/${name}`,
  markdown: readFileSync(resolve(DOCS, name), "utf8"),
})

const documentedAnswer = (pages: DocumentPage[], url: string, method?: string): unknown =>
  readDocumentation(pages).answerTo(url, method)

describe("the answer that the documentation shows", () => {
  it("is the JSON after the place that names the endpoint, though it is not quite JSON", () => {
    expect(documentedAnswer([ITEM_PAGE], "https://api.shelf.example/v1/items/{id}")).toEqual({
      id: 7,
      title: "Lamp",
      tags: ["light", "desk"],
    })
  })

  it("is not what is to be sent", () => {
    expect(documentedAnswer([ITEM_PAGE], "https://api.shelf.example/v1/items", "POST")).toEqual({
      id: 8,
      title: "Lamp",
    })
  })

  it("is none when the endpoint is not spoken of", () => {
    expect(documentedAnswer([ITEM_PAGE], "https://api.shelf.example/v1/shelves/{id}")).toBeUndefined()
  })

  it("is not how a failure looks, nor what belongs to the next section", () => {
    const page = (markdown: string) => [{ url: "https://docs.example/", markdown }]
    const both =
      '## A\n`/a/{id}`\n```json\n{ "error": "none" }\n```\n```json\n{ "a": 1 }\n```\n## B\n`/b`\n## C\n```json\n{ "c": 1 }\n```\n'
    expect(documentedAnswer(page(both), "https://x.example/a/{id}")).toEqual({ a: 1 })
    expect(documentedAnswer(page(both), "https://x.example/b")).toBeUndefined()
  })

  it("is found, or not, in reasonable time on pages made to take long", () => {
    const hostile = [
      `/a/1\n\`\`\`\n{${" ".repeat(99_000)}\n\`\`\``,
      "/a/1 ".repeat(20_000),
      Array.from({ length: 300 }, (_, at) => "`".repeat(303 - at)).join("\n"),
      "     \n".repeat(16_000),
      `/a/1\n${"# x\n".repeat(24_000)}`,
      `/a/${"{".repeat(90_000)}`,
    ]
    for (const markdown of hostile) {
      expect(documentedAnswer([{ url: "https://docs.example/", markdown }], "https://x.example/a/{id}")).toBeUndefined()
    }
  })

  it.skipIf(!existsSync(DOCS))("is found in real documentation (skipped without the shared data)", () => {
    const items = [page("hackernews-api.md")]
    expect(documentedAnswer(items, "https://hacker-news.firebaseio.com/v0/item/{id}.json")).toMatchObject({
      by: "dhouston",
      id: 8863,
    })
    expect(documentedAnswer(items, "https://hacker-news.firebaseio.com/v0/user/{id}.json")).toMatchObject({ id: "jl" })
    expect(documentedAnswer(items, "https://hacker-news.firebaseio.com/v0/topstories.json")).toEqual(expect.any(Array))
    const people = documentedAnswer([page("swapi-docs.md")], "https://swapi.co/api/people/{id}/")
    expect(people).toMatchObject({ name: "Luke Skywalker" })
    const launches = [page("spacex-launches-query.md")]
    expect(documentedAnswer(launches, "https://api.spacexdata.com/v5/launches/query", "POST")).toMatchObject({
      docs: [{}],
    })
    expect(documentedAnswer([page("arxiv-api-basics.md")], "http://export.arxiv.org/api/query")).toMatch(/^<\?xml/)
  })
})
