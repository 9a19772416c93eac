/** Whether everybody can use the pages, as far as axe can tell: light and dark, with everything opened. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, stopAll } from "../fixtures/hub.ts"
import { openBrowser, visit } from "./browser.ts"
import { startYard } from "./yard.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const OPEN_ALL = `for (const details of document.querySelectorAll("details")) {
  details.removeAttribute("name")
  details.open = true
}`
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
const CHECK = `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`

const PAGES = [
  "/mcp",
  "/mcp/everything",
  "/mcp/meta/everything",
  "/mcp/meta/files?tool=edit_file",
  "/mcp/meta/broken",
  "/mcp/meta/off",
  "/mcp/nothing",
]

let hub: Hub
let browser: Browser

beforeAll(async () => {
  ;[hub, browser] = await Promise.all([startYard(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await stopAll()
})

describe("axe finds nothing to complain of", () => {
  it.each(PAGES)("V1 at %s", async path => {
    for (const colorScheme of ["light", "dark"] as const) {
      // The pages' own policy would keep axe out.
      const { page } = await visit(browser, hub.url + path, { bypassCSP: true, colorScheme })
      await page.evaluate(OPEN_ALL)
      await page.addScriptTag({ content: AXE })
      expect(await page.evaluate(CHECK)).toEqual([])
      await page.close()
    }
  })

  it.each(["Test connection", "Call"])("V1 after “%s” was pressed", async button => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await visit(browser, `${hub.url}/mcp/meta/raw?tool=fail`, { bypassCSP: true, colorScheme })
      await page.getByRole("button", { name: button }).click()
      await page.locator(".outcome.good, .outcome.bad").waitFor()
      await page.evaluate(OPEN_ALL)
      await page.addScriptTag({ content: AXE })
      expect(await page.evaluate(CHECK)).toEqual([])
      await page.close()
    }
  })
})

describe("the outline", () => {
  it.each(PAGES)("V1 of %s has one title, and skips no level", async path => {
    const { page } = await visit(browser, hub.url + path)
    const levels = await page.evaluate<number[]>(
      `[...document.querySelectorAll("h1, h2, h3, h4")].map(heading => Number(heading.localName[1]))`,
    )
    expect(levels.filter(level => level === 1)).toEqual([1])
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
    for (const landmark of ["header", "main", "footer"])
      expect(await page.locator(`body > ${landmark}`).count()).toBe(1)
    await page.close()
  })

  it("V1 moves nothing about while it loads", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp/meta/everything`)
    const shift = await page.evaluate<number>(`new Promise(resolve => {
      let sum = 0
      new PerformanceObserver(list => { for (const entry of list.getEntries()) sum += entry.value })
        .observe({ type: "layout-shift", buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
    })`)
    expect(shift).toBe(0)
    await page.close()
  })
})
