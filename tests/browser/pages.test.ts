/** The pages as a visitor finds them: complete, quiet, light, and there without scripts. */
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll } from "../fixtures/hub.ts"
import { openBrowser, visit } from "./browser.ts"
import { PAGES, startYard } from "./yard.ts"

const MAX_BYTES = 60_000

let hub: Hub
let browser: Browser

beforeAll(async () => {
  ;[hub, browser] = await Promise.all([startYard(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await stopAll()
})

const textOf = async (page: Page): Promise<string> => (await page.locator("main").textContent()) ?? ""
const sum = (bytes: Map<string, number>): number => [...bytes.values()].reduce((total, size) => total + size, 0)
const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")

describe("every page", () => {
  it.each(PAGES)("V1 %s loads with nothing wrong, from the hub alone, in under 60 KB", async path => {
    const { page, wrong, bytes } = await visit(browser, hub.url + path)
    expect(wrong).toEqual([])
    expect((await bytes()).size).toBe(3)
    expect(sum(await bytes())).toBeLessThan(MAX_BYTES)
    expect(await page.locator("h1").count()).toBe(1)
    await page.close()
  })

  it.each(PAGES)("V1 %s fits a phone, with everything opened", async path => {
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 320, height: 568 },
    ]) {
      const { page } = await visit(browser, hub.url + path, { viewport, isMobile: true })
      await page.evaluate(`for (const details of document.querySelectorAll("details")) {
        details.removeAttribute("name")
        details.open = true
      }`)
      expect(await overflow(page)).toBe(0)
      await page.close()
    }
  })

  it.each(PAGES)("V1 %s says the same without scripts, and shows no button that would do nothing", async path => {
    const { page, wrong } = await visit(browser, hub.url + path, { javaScriptEnabled: false })
    expect(wrong).toEqual([])
    expect((await textOf(page)).length).toBeGreaterThan(50)
    expect(await page.locator("button:visible, input:visible, select:visible").count()).toBe(0)
    await page.close()
  })

  it.each(["light", "dark"] as const)("V1 is %s for those who like it so", async colorScheme => {
    const { page } = await visit(browser, `${hub.url}/mcp`, { colorScheme })
    const ground = await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor")
    const [red = 0] = (ground.match(/\d+/g) ?? []).map(Number)
    if (colorScheme === "light") expect(red).toBeGreaterThan(200)
    else expect(red).toBeLessThan(50)
    await page.close()
  })

  it("V13 comes with headers that let nothing foreign in, and is kept by nobody", async () => {
    for (const path of [...PAGES, "/mcp/nothing"]) {
      const { headers } = await fetch(hub.url + path, { headers: { Accept: "text/html" } })
      const policy = headers.get("content-security-policy")
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toBe("no-store")
    }
  })
})

describe("/mcp", () => {
  it("V1 tells what is served, how it is, and how each client connects", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp`)
    const text = await textOf(page)
    for (const said of ["everything", "Every feature of the protocol once.", "up", "down", "disabled", "17 tools"])
      expect(text).toContain(said)
    expect(text).toContain("the license has expired")
    expect(text).toContain("code mode now")
    const clients = await page.locator("details[name=client] > summary").allInnerTexts()
    for (const client of [
      "Claude Code",
      "Claude Desktop",
      "VS Code",
      "Cursor",
      "Windsurf",
      "Zed",
      "Gemini CLI",
      "Codex",
    ])
      expect(clients).toContain(client)
    await page.getByRole("link", { name: "everything", exact: true }).click()
    await page.waitForURL("**/mcp/everything")
    await page.close()
  })

  it("V1 says so when every tool is offered directly", async () => {
    const small = await startHub({ mcpServers: { raw: rawServer() } })
    await small.waitUp()
    const { page } = await visit(browser, `${small.url}/mcp`)
    expect(await textOf(page)).toContain("offers every tool directly now")
    await page.close()
    await small.stop()
  })

  it("V1 copies a snippet with one click", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp`, { permissions: ["clipboard-read", "clipboard-write"] })
    await page.getByText("Cursor", { exact: true }).click()
    const snippet = page.locator("details[name=client]", { hasText: "Cursor" })
    await snippet.getByRole("button").click()
    await page.locator("#said").filter({ hasText: "Copied" }).waitFor({ state: "attached" })
    const copied = await page.evaluate<string>("navigator.clipboard.readText()")
    expect(JSON.parse(copied)).toEqual({ mcpServers: { toolyard: { url: `${hub.url}/mcp` } } })
    await page.close()
  })
})

describe("/mcp/{server}", () => {
  it("V1 tells what it is, its address and its tools, and leads to the rest", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp/everything`)
    const text = await textOf(page)
    for (const said of ["Every feature of the protocol once.", `${hub.url}/mcp/everything`, "Echoes back the input"])
      expect(text).toContain(said)
    await page.getByRole("link", { name: "get-sum" }).click()
    await page.waitForURL("**/mcp/meta/everything?tool=get-sum*")
    expect(await page.locator("details[open] .definition").textContent()).toContain('"required"')
    await page.close()
  })

  it("V13 says of a disabled server that it is, and why", async () => {
    for (const path of ["/mcp/off", "/mcp/meta/off"]) {
      const { page } = await visit(browser, hub.url + path)
      const text = await textOf(page)
      for (const said of ["off", "disabled", "switched off in the configuration", "Not today."])
        expect(text).toContain(said)
      expect(await page.locator("form").count()).toBe(0)
      await page.close()
    }
  })

  it("V1 offers the nearest name for one that is not there", async () => {
    for (const path of ["/mcp/evrything", "/mcp/meta/evrything"]) {
      const { page } = await visit(browser, hub.url + path)
      expect(await textOf(page)).toContain("Did you mean everything?")
      await page.close()
    }
  })
})

describe("/mcp/meta/{server}", () => {
  it("V1 shows health, schemas, annotations, resources, prompts, the log and the numbers", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp/meta/everything`)
    const text = await textOf(page)
    for (const said of ["stdio", "legacy", "idempotent", "demo://resource", "args-prompt", "required", "Succeeded"])
      expect(text).toContain(said)
    expect(text).toContain("Starting default (STDIO) server")
    expect(await page.locator(".definition pre").first().textContent()).toContain('"type": "object"')
    await page.close()
  })

  it("V1 says why a server is down, and when it is tried again", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp/meta/broken`)
    const text = await textOf(page)
    for (const said of ["exit code 3", "the license has expired", "Failed attempts", "starting up"])
      expect(text).toContain(said)
    await page.close()
  })

  it("V1 marks what the policy forbids or asks about", async () => {
    const { page } = await visit(browser, `${hub.url}/mcp/meta/files`)
    const marks = async (tool: string) => page.locator("summary", { hasText: tool }).first().textContent()
    expect(await marks("move_file")).toContain("not offered: policy.rules[0] says deny")
    expect(await marks("write_file")).toContain("asks first")
    await page.close()
  })
})

describe("a server with 1,500 tools", () => {
  it("V1 stays within 60 KB a page, and every tool can be reached", async () => {
    const large = await startHub({ mcpServers: { many: rawServer("--tools", "1500") } })
    await large.waitUp()
    const { page, bytes } = await visit(browser, `${large.url}/mcp/meta/many`)
    expect(sum(await bytes())).toBeLessThan(MAX_BYTES)
    expect(await textOf(page)).toMatch(/50 of 1,513 tools, page 1 of 31/)
    await page.getByRole("link", { name: "Next" }).click()
    await page.waitForURL("**/mcp/meta/many?page=2*")
    await page.getByRole("searchbox", { name: "Find a tool" }).fill("tool_1487")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/mcp/meta/many?q=tool_1487*")
    await page.locator("#tools ~ .list summary").click()
    await page.getByRole("link", { name: "Try tool_1487" }).click()
    await page.waitForURL("**/mcp/meta/many?tool=tool_1487*")
    expect(await page.locator(".definition pre").first().textContent()).toContain('"value"')
    await page.close()
    await large.stop()
  })
})
