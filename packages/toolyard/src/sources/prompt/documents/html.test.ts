import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readHtmlPage } from "./html.ts"
import { createHtmlReader, readHtml } from "./read-html.ts"

const DOCS = join(import.meta.dirname, "../../../../../../../shared/data/api-docs")
const MISSING = existsSync(DOCS) ? undefined : "the API documentation is not there"
const URL_ = "https://docs.example/guide/"
const signal = new AbortController().signal
const markdown = (html: string) => readHtmlPage(html, URL_).markdown

describe("a page of HTML", () => {
  it("B4 is its main content as Markdown, without navigation", () => {
    const page = readHtmlPage(
      `<!doctype html><title>Shelf &amp; API</title><script>track()</script><nav>Home Blog</nav>
       <main><nav>On this page</nav><h1>Shelf <a href="#shelf">#</a></h1>
       <p>See <a href="items">the   items</a>,<br>or <code>GET /items</code>.</p>
       <ul><li>one<ul><li>deep</li></ul></li><li><p>two</p></li></ul><ol><li>first</li></ol>
       <blockquote>Mind <b>this</b></blockquote><img src="x.png" alt="a shelf"></main>
       <footer>© Shelf</footer>`,
      URL_,
    )
    expect(page.title).toBe("Shelf & API")
    expect(page.markdown).toBe(
      [
        "# Shelf",
        "See [the items](https://docs.example/guide/items),\nor `GET /items`.",
        "- one\n  - deep\n- two",
        "1. first",
        "> Mind this",
        "a shelf",
      ].join("\n\n"),
    )
  })

  it("B4 keeps code as it is: its lines, language, back-ticks and angle brackets", () => {
    expect(markdown('<pre><code class="language-js">if (a &lt; b) {\n  f(`x`)\n}\n</code></pre>')).toBe(
      "```js\nif (a < b) {\n  f(`x`)\n}\n```",
    )
    expect(markdown("<div class='highlight-source-sh'><pre>a<br>b</pre></div>")).toBe("```sh\na\nb\n```")
    expect(markdown("<pre><div>a</div><div>  b</div></pre>")).toBe("```\na\n  b\n```")
    expect(markdown("<pre>```\nx\n```</pre>")).toBe("````\n```\nx\n```\n````")
    const numbered = "<table><tr><td class='gutter'><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>"
    expect(markdown(numbered)).toBe("```\na\nb\n```")
  })

  it("B4 keeps tables", () => {
    const html =
      "<table><thead><tr><th>Field</th><th>What</th></tr></thead><tr><td><code>id</code></td><td>a | b<br>c</td></tr></table>"
    expect(markdown(html)).toBe("| Field | What |\n| --- | --- |\n| `id` | a \\| b c |")
  })

  it("B4 gives every address: of attributes, text and code, whole or relative, in navigation too", () => {
    const { links, descriptions } = readHtmlPage(
      `<nav><a href="//nav.example/">n</a></nav><script src="https://cdn.example/x.js"></script>
       <script>SwaggerUIBundle({ url: "/v1/openapi.json" })</script>
       <main><p>Call https://text.example/v1.</p><pre>curl <span>https://</span><span>code.example</span>/x</pre>
       <table><tr><td>https://cell.example</td><td>GET</td></tr></table>
       <a href="../up">u</a><a href="javascript:alert(1)">j</a><a href="data:text/html,x">d</a><a href="file:///etc">f</a></main>`,
      URL_,
    )
    expect(links).toEqual([
      "https://nav.example/",
      "https://cdn.example/x.js",
      "https://docs.example/up",
      "https://text.example/v1",
      "https://code.example/x",
      "https://cell.example/",
    ])
    expect(descriptions).toEqual(["https://docs.example/v1/openapi.json"])
  })

  it("B4 of the real world keeps all its code and addresses", async context => {
    context.skip(MISSING !== undefined, MISSING)
    const html = await readFile(join(DOCS, "jsonplaceholder-guide.html"), "utf8")
    const page = await readHtml(html, "https://jsonplaceholder.example/guide.html", signal)
    const blocks = [...html.matchAll(/<pre/g)].length
    expect(blocks).toBeGreaterThan(5)
    expect([...page.markdown.matchAll(/^```\w*\n[^`]+\n```$/gm)].length).toBe(blocks)
    expect(page.markdown).toContain("fetch('https://jsonplaceholder.typicode.com/posts/1', {\n    method: 'PUT'")
    expect(page.links).toContain("https://jsonplaceholder.typicode.com/posts/1")
    expect(page.markdown).not.toContain("<")
  })

  it("that is nested a few thousand deep still gives its text", async () => {
    const page = await readHtml(`${"<div>".repeat(3000)}here`, URL_, signal)
    expect(page.markdown).toBe("here")
  })

  it("that would take for ever to parse is given up, and its thread ended", async () => {
    const read = createHtmlReader(1)
    const hostile = read("<div>".repeat(1_000_000), URL_, signal, 300)
    const next = read("<p>fine", URL_, signal)
    await expect(hostile).rejects.toMatchObject({ code: "fetch_failed", message: /could not be read within 300 ms/ })
    expect((await next).markdown).toBe("fine")
  })

  it("is let go when the work is cancelled", async () => {
    const ended = new AbortController()
    const work = readHtml("<div>".repeat(1_000_000), URL_, ended.signal)
    ended.abort()
    await expect(work).rejects.toMatchObject({ code: "cancelled" })
  })
})
