/** Servers that write anything at all into every place there is: none of it becomes more than text. */
import fc from "fast-check"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Json, openStage, type Stage } from "../e2e/mcp-stage.ts"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { openBrowser, visit } from "./browser.ts"

const HOSTILE = [
  "<script>window.injected=1</script>",
  '"><img src=x onerror=window.injected=1>',
  "' onmouseover='window.injected=1",
  "</title><script>window.injected=1</script>",
  "</textarea><script>window.injected=1</script>",
  "</pre></details><svg onload=window.injected=1>",
  "</option></select><iframe srcdoc='<script>parent.injected=1</script>'>",
  "javascript:window.injected=1",
  "data:text/html,<script>window.injected=1</script>",
  "<!-- ",
  "-->",
  "<![CDATA[",
  "&lt;script&gt;&#60;b&#62;&amp",
  "\u202egnp.exe\u202c\u2066",
  "\ud800",
  "\udc00\ud800",
  "\u0000\u0008\u001b[31m",
  "${window.injected=1}{{constructor.constructor('window.injected=1')()}}",
  "<style>*{display:none}</style>",
  "<base href=//evil.example>",
  "<meta http-equiv=refresh content='0;url=//evil.example'>",
  "\u2028\u2029\r\n\t",
  "__proto__",
  "constructor",
]
const words = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...HOSTILE) }, fc.string({ unit: "binary" }))
const hostile = fc.array(words, { minLength: 1, maxLength: 4 }).map(parts => parts.join(""))
const schema = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(
    hostile,
    fc.record({ type: fc.constant("string"), description: hostile, default: hostile }),
  ),
  required: fc.array(hostile, { maxLength: 2 }),
})
const offer = fc.record({
  tools: fc.uniqueArray(
    fc.record({
      name: hostile,
      title: hostile,
      description: hostile,
      inputSchema: schema,
      outputSchema: schema,
      annotations: fc.record({ title: hostile, readOnlyHint: fc.boolean() }),
    }),
    { minLength: 1, maxLength: 4, selector: tool => tool.name },
  ),
  resources: fc.array(fc.record({ uri: hostile, name: hostile, mimeType: hostile, description: hostile }), {
    minLength: 1,
    maxLength: 3,
  }),
  templates: fc.array(fc.record({ uriTemplate: hostile, name: hostile }), { minLength: 1, maxLength: 2 }),
  prompts: fc.array(
    fc.record({
      name: hostile,
      description: hostile,
      arguments: fc.array(fc.record({ name: hostile, description: hostile, required: fc.boolean() }), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  query: hostile,
})

/** Whatever is on a page that the pages themselves never write. */
const FOREIGN = `(() => {
  const elements = new Set(("html head meta title link script body a header nav ol li main h1 h2 h3 p code span section ul div " +
    "details summary figure figcaption pre button form fieldset legend label select option textarea noscript dl dt dd " +
    "time footer search input").split(" "))
  const attributes = new Set(("lang charset name content rel href src defer class aria-current aria-label aria-labelledby id " +
    "tabindex role open type for value data-example data-path selected rows spellcheck autocapitalize autocomplete " +
    "disabled datetime hidden").split(" "))
  const found = []
  if (window.injected !== undefined) found.push("a script ran")
  for (const element of document.querySelectorAll("*")) {
    if (!elements.has(element.localName)) found.push("<" + element.localName + ">")
    for (const { name, value } of element.attributes) {
      if (!attributes.has(name)) found.push(element.localName + " " + name)
      if (name === "src" && !/^\\/assets\\/[\\w-]+-page\\.js$/.test(value)) found.push("src " + value)
      if (name === "href" && element.localName === "a" && !/^(\\/mcp|[?#])/.test(value)) found.push("href " + value)
    }
  }
  if (document.scripts.length !== 1) found.push(document.scripts.length + " scripts")
  if (/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.textContent)) found.push("a hidden direction")
  return found
})()`

let stage: Stage
let hub: Hub
let browser: Browser
let entry: Json
let now: { tools: Json[]; resources: Json[]; templates: Json[]; prompts: Json[] }

beforeAll(async () => {
  stage = await openStage()
  now = { tools: [], resources: [], templates: [], prompts: [] }
  const [, , instructions] = HOSTILE
  const capabilities = {
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
  }
  entry = stage.entry(
    {
      on: {
        initialize: ({ protocolVersion }) => ({
          protocolVersion,
          capabilities,
          serverInfo: { name: HOSTILE.join(""), version: HOSTILE.join("") },
          instructions: HOSTILE.join(instructions),
        }),
        "tools/list": () => ({ tools: now.tools }),
        "resources/list": () => ({ resources: now.resources }),
        "resources/templates/list": () => ({ resourceTemplates: now.templates }),
        "prompts/list": () => ({ prompts: now.prompts }),
      },
    },
    { description: HOSTILE.join(" ") },
  )
  const noisy = { command: process.execPath, args: ["-e", `console.error(${JSON.stringify(HOSTILE.join(""))})`] }
  const mcpServers = { played: entry, noisy, "<b>&\"'": { ...entry, enabled: false } }
  ;[hub, browser] = await Promise.all([startHub({ mcpServers }), openBrowser()])
  await hub.waitUp("played")
})
afterAll(async () => {
  await browser.close()
  await stopAll()
  await stage.close()
})

async function expectHarmless(page: Page, wrong: string[]): Promise<void> {
  expect(await page.evaluate(FOREIGN)).toEqual([])
  expect(wrong).toEqual([])
}

describe("what servers write", () => {
  it("V13 never becomes an element, an attribute, a link or a script, in whatever place it stands", async () => {
    const puppet = await stage.puppet(entry)
    const { page, wrong } = await visit(browser, `${hub.url}/mcp`)
    let round = 0
    const property = fc.asyncProperty(offer, async ({ query, ...offered }) => {
      const mark = { name: `mark_${++round}`, inputSchema: { type: "object" } }
      now = { ...offered, tools: [...offered.tools, mark] }
      for (const list of ["tools", "resources", "prompts"])
        puppet.send({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` })
      const listed = async (): Promise<string> => (await fetch(`${hub.url}/api/tools`)).text()
      await until(async () => (await listed()).includes(`"${mark.name}"`), "the new tools")
      const asked = new URLSearchParams({ q: query, page: query, resources: query, tool: query })
      const [named] = offered.tools
      const one = new URLSearchParams({ tool: String(named?.name) })
      for (const path of [
        "/mcp",
        "/mcp/played",
        `/mcp/meta/played?${one}`,
        `/mcp/meta/played?${asked}`,
        "/mcp/meta/played",
      ]) {
        await page.goto(hub.url + path)
        await expectHarmless(page, wrong)
      }
      // Nothing was swallowed either: each tool has its row.
      expect(await page.locator("#tools ~ .list > details").count()).toBe(now.tools.length)
    })
    await fc.assert(property, { numRuns: 25, seed: 4, interruptAfterTimeLimit: 60_000 })
    await page.close()
  }, 90_000)

  it("V13 is text in a log, a reason, a name and an address too", async () => {
    const { page, wrong } = await visit(browser, `${hub.url}/mcp/meta/noisy`)
    await expectHarmless(page, wrong)
    for (const path of ["/mcp/meta/", "/mcp/"]) {
      await page.goto(`${hub.url}${path}${encodeURIComponent("<b>&\"'")}`)
      await expectHarmless(page, wrong)
      for (const name of HOSTILE) {
        const response = await page.goto(`${hub.url}${path}${encodeURIComponent(name.toWellFormed())}`)
        expect([404, 200]).toContain(response?.status())
        // The browser notes every 404 itself.
        wrong.splice(0, wrong.length, ...wrong.filter(line => !line.includes("404 (Not Found)")))
        if (response?.headers()["content-type"]?.startsWith("text/html")) await expectHarmless(page, wrong)
      }
    }
    await page.close()
  })
})
