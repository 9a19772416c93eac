/** The connection test of `/mcp/meta/{server}`: a real client in a real browser, calling a real server. */
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage, text } from "../e2e/mcp-stage.ts"
import { entry, openPlace } from "../e2e/run-cli.ts"
import { type Hub, rawServer, startHub, stopAll, until } from "../fixtures/hub.ts"
import { openBrowser, visit, type Watched } from "./browser.ts"

const EVIL = `<img src=x onerror="window.injected=1"><script>window.injected=1</script>`
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

let stage: Stage
let hub: Hub
let browser: Browser
let seen: Watched | undefined

beforeAll(async () => {
  stage = await openStage()
  const results: Record<string, object> = {
    "<evil>": { ...text(EVIL), structuredContent: { [EVIL]: EVIL } },
    picture: {
      content: [
        { type: "image", mimeType: "image/png", data: DOT },
        { type: "image", mimeType: 'text/html,"><script>', data: EVIL },
      ],
    },
  }
  const tools = Object.keys(results).map(name => ({ name, inputSchema: { type: "object" } }))
  const played = stage.entry({ tools, on: { "tools/call": ({ name }) => results[name as string] } })
  const config = { mcpServers: { raw: rawServer(), broken: rawServer("--exit-at-once"), played } }
  ;[hub, browser] = await Promise.all([startHub(config), openBrowser()])
  await hub.waitUp("raw", "played")
})
afterEach(async () => {
  expect(seen?.wrong).toEqual([])
  await seen?.page.close()
  seen = undefined
})
afterAll(async () => {
  await browser.close()
  await stopAll()
  await stage.close()
})

async function open(url: string): Promise<Page> {
  seen = await visit(browser, url)
  return seen.page
}
const outcome = async (page: Page): Promise<string> => {
  await page.locator(".outcome.good, .outcome.bad").waitFor()
  return (await page.locator(".outcome").textContent()) ?? ""
}
const call = async (page: Page, tool: string, args?: string): Promise<string> => {
  await page.getByLabel("Tool", { exact: true }).selectOption(tool)
  if (args !== undefined) await page.getByLabel("Arguments").fill(args)
  await page.getByRole("button", { name: "Call" }).click()
  return outcome(page)
}
const okCalls = (): Promise<number> => hub.metric(`toolyard_calls_total{server="raw",outcome="ok"}`).catch(() => 0)

describe("the connection test", () => {
  it("V1 connects as a client does and tells version, server, tools and time, leaving no session behind", async () => {
    const page = await open(`${hub.url}/mcp/meta/raw`)
    await page.getByRole("button", { name: "Test connection" }).click()
    expect(await outcome(page)).toMatch(
      /^Connected in \d+ ms: raw 1\.0\.0, protocol 2025-11-25\. Listed 13 tools in \d+ ms\.$/,
    )
    await until(async () => (await hub.metric("toolyard_sessions")) === 0, "the session to end")
  })

  it("V1 really calls the tool that is chosen, with the arguments that are written", async () => {
    const before = await okCalls()
    const page = await open(`${hub.url}/mcp/meta/raw`)
    expect(await call(page, "echo", '{ "text": "grüße 👋" }')).toMatch(/^The tool answered in \d+ ms\.$/)
    expect(await page.locator(".answer > pre").textContent()).toBe("grüße 👋")
    expect(await okCalls()).toBe(before + 1)
  })

  it("V1 fills in what a tool's schema asks for", async () => {
    const page = await open(`${hub.url}/mcp/meta/raw`)
    await page.getByLabel("Tool", { exact: true }).selectOption("slow")
    expect(JSON.parse(await page.getByLabel("Arguments").inputValue())).toEqual({ ms: 0 })
    const chosen = await open(`${hub.url}/mcp/meta/raw?tool=big`)
    expect(await chosen.getByLabel("Tool", { exact: true }).inputValue()).toBe("big")
    expect(JSON.parse(await chosen.getByLabel("Arguments").inputValue())).toEqual({ bytes: 0 })
    await page.close()
  })

  it("V1 shows plainly what went wrong: at the tool, in the arguments, at the server, at the hub", async () => {
    const page = await open(`${hub.url}/mcp/meta/raw`)
    expect(await call(page, "fail")).toMatch(/^The tool answered with an error after \d+ ms\.$/)
    expect(await page.locator(".answer > pre").textContent()).toBe("it failed")
    expect(await call(page, "echo", "{ text: ")).toMatch(/^The arguments are not JSON: /)
    expect(await call(page, "echo", '{ "text": 1 }')).toMatch(/^The tool answered with an error/)
    expect(await page.locator(".answer > pre").textContent()).toContain("text")
    await page.goto(`${hub.url}/mcp/meta/broken`)
    await page.getByRole("button", { name: "Test connection" }).click()
    expect(await outcome(page)).toMatch(/^The hub answers, but the server is (down|connecting)/)
    await page.route("**/mcp/broken", route => route.abort())
    await page.getByRole("button", { name: "Test connection" }).click()
    await page.getByText("The hub could not be reached").waitFor()
    // The browser itself notes the request that was broken off.
    seen?.wrong.splice(0)
  })

  it("V1 stops a call that takes too long, at the server too", async () => {
    const page = await open(`${hub.url}/mcp/meta/raw`)
    await page.getByLabel("Tool", { exact: true }).selectOption("hang")
    await page.getByRole("button", { name: "Call" }).click()
    await until(async () => (await hub.metric(`toolyard_calls_under_way{server="raw"}`)) === 1, "the call")
    await page.getByRole("button", { name: "Stop" }).click()
    expect(await outcome(page)).toBe("Stopped.")
    await until(async () => (await hub.metric(`toolyard_calls_under_way{server="raw"}`)) === 0, "the call to end")
  })

  it("V1 needs nothing but a keyboard", async () => {
    const page = await open(`${hub.url}/mcp/meta/raw`)
    const focused = (): Promise<string> =>
      page.evaluate<string>("document.activeElement.name || document.activeElement.textContent.trim()")
    const tabTo = async (what: string): Promise<void> => {
      for (let presses = 0; (await focused()) !== what; presses++) {
        expect(presses, `presses of Tab to ${what}`).toBeLessThan(40)
        await page.keyboard.press("Tab")
      }
    }
    await page.keyboard.press("Tab")
    expect(await focused()).toBe("Skip to the content")
    await page.keyboard.press("Enter")
    await tabTo("connect")
    await page.keyboard.press("Enter")
    expect(await outcome(page)).toMatch(/^Connected/)
    await tabTo("tool")
    await page.keyboard.type("echo")
    await tabTo("arguments")
    await page.keyboard.press("ControlOrMeta+A")
    await page.keyboard.type('{"text":"by hand"}')
    await tabTo("Call")
    await page.keyboard.press("Enter")
    await page.locator(".answer > pre").filter({ hasText: "by hand" }).waitFor()
  })

  it("V13 shows what a tool answers as text, whatever it is", async () => {
    const page = await open(`${hub.url}/mcp/meta/played`)
    await call(page, "<evil>")
    expect(await page.locator(".answer > pre").textContent()).toBe(EVIL)
    expect(await page.locator(".answer img, .answer script").count()).toBe(0)
    await call(page, "picture")
    await page.locator(".answer > img").waitFor()
    expect(await page.locator(".answer img").count()).toBe(1)
    expect(await page.evaluate("window.injected")).toBeUndefined()
  })
})

describe("behind the token", () => {
  it("V13 a browser that came with it once can look around and call, and no page shows it", async () => {
    const place = openPlace()
    place.configure({ one: entry() })
    const { line } = await place.serve()
    const page = await open(line.mcp)
    expect(page.url()).toBe(`${line.url}/mcp`)
    expect(await page.content()).not.toContain(line.token)
    expect(await page.locator("main").textContent()).toContain("TOKEN")
    await page.goto(`${line.url}/mcp/meta/one`)
    await page.getByRole("button", { name: "Test connection" }).click()
    expect(await outcome(page)).toMatch(/^Connected/)
    expect(await page.content()).not.toContain(line.token)
    await page.close()
    await place.close()
  })

  it("V13 a page of another port has the cookie, and can do nothing with it", async () => {
    const place = openPlace()
    place.configure({ one: entry() })
    const { line } = await place.serve()
    const page = await open(line.mcp)
    // Of the same site, so that the browser sends the cookie with it.
    await page.goto(`${hub.url}/healthz`)
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } }
    for (const type of ["application/json", "text/plain"]) {
      const options = {
        method: "POST",
        credentials: "include",
        headers: { "Content-Type": type, Accept: "application/json, text/event-stream" },
        body: JSON.stringify(initialize),
      }
      const sent = `fetch(${JSON.stringify(`${line.url}/mcp/one`)}, ${JSON.stringify(options)})`
      expect(await page.evaluate(`${sent}.then(response => response.status, () => "refused")`)).toBe("refused")
    }
    const metrics = await (await fetch(`${line.url}/metrics?token=${line.token}`)).text()
    expect(metrics).toContain("toolyard_sessions 0\n")
    seen?.wrong.splice(0)
    await place.close()
  })
})
