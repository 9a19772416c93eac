import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useGatherCase } from "./gather-case.ts"

const DOCS = join(import.meta.dirname, "../../../../../../../shared/data/api-docs")
const MISSING = existsSync(DOCS) ? undefined : "the API documentation is not there"
const { net, serve, gather } = useGatherCase()

describe("the documents of a prompt", () => {
  it("B2 are read in parallel; one that fails is named and the rest is used", async () => {
    const arrived: (() => void)[] = []
    const { port } = await net().http((request, response) => {
      // None is answered before all have been asked for.
      arrived.push(() => {
        if (request.url === "/broken") response.destroy()
        else response.setHeader("content-type", "text/plain").end(`page ${request.url}`)
      })
      if (arrived.length === 3) for (const answer of arrived) answer()
    })
    const url = `http://127.0.0.1:${port}`
    const { pages, failures } = await gather(`See ${url}/b, [the other](${url}/a) (and ${url}/broken).`)
    expect(pages).toEqual([
      { url: `${url}/b`, markdown: "page /b" },
      { url: `${url}/a`, markdown: "page /a" },
    ])
    expect(failures).toEqual([{ url: `${url}/broken`, reason: expect.stringContaining("could not fetch") }])
  })

  it("B2 may all fail, or not be there: the prompt is left", async () => {
    const { url, host } = await serve({ "/500": { status: 500 }, "/png": { type: "image/png", body: "x" } })
    const all = await gather(`${url}/404 ${url}/500 ${url}/png https://user:hidden@x.example/`)
    expect(all).toMatchObject({ pages: [], descriptions: [], whitelist: [host, "x.example"] })
    expect(all.failures.map(({ reason }) => reason)).toEqual([
      "there is no such page (404)",
      "it answered 500 Internal Server Error",
      "it is not text but image/png",
      expect.stringContaining("user name or password"),
    ])
    expect(JSON.stringify(all)).not.toContain("hidden")
    expect(await gather("Convert between units of length.")).toEqual({
      pages: [],
      failures: [],
      whitelist: [],
      descriptions: [],
      warnings: [],
    })
  })

  it("B2 that take too long are left out", async () => {
    const { port } = await net().http(() => {})
    const { failures } = await gather(`http://127.0.0.1:${port}/`, { timeoutMs: 50 })
    expect(failures).toEqual([{ url: `http://127.0.0.1:${port}/`, reason: expect.stringContaining("more than 50 ms") }])
  })

  it("B3 on GitHub are read through the raw README, under whichever name; else as a page", async () => {
    const raw = await serve({ "/o/upper/HEAD/README.md": "# Upper", "/o/rst/HEAD/README.rst": "Rst\n===" })
    const { pages, failures, whitelist } = await gather(
      "https://github.com/o/upper and https://github.com/o/rst, https://github.com/o/none",
      {
        githubRaw: raw.url,
      },
    )
    expect(pages.map(({ url, markdown }) => [url, markdown])).toEqual([
      ["https://github.com/o/upper", "# Upper"],
      ["https://github.com/o/rst", "Rst\n==="],
    ])
    expect(failures.map(({ url }) => url)).toEqual(["https://github.com/o/none"])
    expect(whitelist).toEqual(["github.com"])
  })

  it("B4 are Markdown, whatever they were", async () => {
    const { url } = await serve({
      "/html": { type: "text/html; charset=utf-8", body: "<nav>no</nav><h1>Hi</h1><p>there" },
      "/latin": { type: "text/html; charset=iso-8859-1", body: Buffer.from("<p>Gr\xfc\xdfe", "latin1") },
      "/json": { type: "application/hal+json", body: '{ "a": 1 }' },
      "/untold": { type: "application/octet-stream", body: "# As it is" },
      "/raw-html": { type: "text/plain", body: "<!doctype html><p>told wrong" },
    })
    const { pages } = await gather(
      ["/html", "/latin", "/json", "/untold", "/raw-html"].map(path => url + path).join(" "),
    )
    expect(pages.map(({ markdown }) => markdown)).toEqual([
      "# Hi\n\nthere",
      "Grüße",
      '{ "a": 1 }',
      "# As it is",
      "told wrong",
    ])
  })

  it("B5 are cut when they are long, with a warning", async () => {
    const { url } = await serve({ "/long": "word ".repeat(60_000), "/short": "short" })
    const { pages, warnings } = await gather(`${url}/long ${url}/short`)
    expect(pages[0]?.markdown.length).toBeLessThanOrEqual(100_000)
    expect(warnings).toEqual([expect.stringMatching(/\/long: \d+ of \d+ characters were left out/)])
  })

  it("B6 lead to the hosts they name, one level, templates included", async () => {
    const { url, host, paths } = await serve({
      "/docs": "Use https://api.example/v1/{id} or [more](https://more.example/page).",
    })
    const { whitelist } = await gather(`${url}/docs and https://direct.example/items/{id}`)
    expect(whitelist).toEqual([host, "api.example", "direct.example", "more.example"].sort())
    expect(paths()).toEqual(["/docs"])
  })

  it("B4 B6 of the real world are read, with the hosts that their APIs are at", async context => {
    context.skip(MISSING !== undefined, MISSING)
    const names = [
      "hackernews-api.md",
      "swapi-docs.md",
      "arxiv-api-basics.md",
      "exchange-api.md",
      "spacex-launches-query.md",
    ]
    const html = "jsonplaceholder-guide.html"
    const { url } = await serve({
      ...Object.fromEntries(names.map(name => [`/${name}`, readFileSync(join(DOCS, name), "utf8")])),
      [`/${html}`]: { type: "text/html", body: readFileSync(join(DOCS, html)) },
    })
    const { pages, failures, whitelist, descriptions } = await gather(
      [...names, html].map(name => `${url}/${name}`).join("\n"),
    )
    expect({ failures, descriptions }).toEqual({ failures: [], descriptions: [] })
    expect(pages.length).toBe(6)
    for (const host of [
      "hacker-news.firebaseio.com",
      "export.arxiv.org",
      "cdn.jsdelivr.net",
      "jsonplaceholder.typicode.com",
    ]) {
      expect(whitelist).toContain(host)
    }
    expect(whitelist.filter(host => /localhost|^127|^10\./.test(host)).length).toBe(1)
  })
})

describe("a description among the documents", () => {
  const spec = JSON.stringify({ openapi: "3.1.0", paths: {}, servers: [{ url: "https://api.example/v1" }] })

  it("B14 is found by its content, whatever it is called", async () => {
    const { url, host } = await serve({ "/spec": { type: "text/plain", body: spec }, "/page": "A page" })
    const { descriptions, pages, whitelist } = await gather(`${url}/page ${url}/spec`)
    expect(descriptions).toEqual([{ kind: "openapi", url: `${url}/spec`, text: spec }])
    expect(pages.length).toBe(1)
    expect(whitelist).toEqual([host, "api.example"])
  })

  it("B14 is found behind a link of a page, on its own host, and widens nothing", async () => {
    const { url, host, paths } = await serve({
      "/docs": { type: "text/html", body: '<redoc spec-url="/v1/openapi.json"></redoc>' },
      "/readme": "[spec](swagger.yaml), https://elsewhere.example/openapi.json",
      "/v1/openapi.json": { type: "application/json", body: spec },
      "/swagger.yaml": "not a description",
    })
    const { descriptions, whitelist } = await gather(`${url}/docs ${url}/readme`)
    expect(descriptions.map(({ url }) => url)).toEqual([`${url}/v1/openapi.json`])
    expect(whitelist).toEqual([host, "elsewhere.example"])
    expect(paths().sort()).toEqual(["/docs", "/readme", "/swagger.yaml", "/v1/openapi.json"])
  })

  it("B14 is looked for behind three links, no more", async () => {
    const links = Array.from({ length: 9 }, (_, n) => `[${n}](/v${n}/openapi.json)`).join(" ")
    const { url, paths } = await serve({ "/docs": links })
    expect((await gather(`${url}/docs`)).descriptions).toEqual([])
    expect(paths().length).toBe(4)
  })
})
