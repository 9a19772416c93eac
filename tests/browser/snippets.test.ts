/** The snippets of the pages, taken from there and run as they stand. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPlace, type Place, SERVER } from "../e2e/run-cli.ts"
import { openBrowser, visit } from "./browser.ts"

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url))
const missing = (command: string): boolean => spawnSync(command, ["--version"]).status !== 0

let place: Place
let browser: Browser
let page: Page
let folder: string
let token: string
let url: string

beforeAll(async () => {
  place = openPlace()
  place.configure({ "it's one": { command: process.execPath, args: [SERVER] } })
  const [hub, opened] = await Promise.all([place.serve(), openBrowser()])
  browser = opened
  url = hub.line.url
  token = hub.line.token as string
  page = (await visit(browser, hub.line.mcp)).page
  folder = mkdtempSync(join(tmpdir(), "toolyard-snippets-"))
  symlinkSync(NODE_MODULES, join(folder, "node_modules"), "dir")
})
afterAll(async () => {
  await browser.close()
  await place.close()
  rmSync(folder, { recursive: true, force: true })
})

async function snippet(path: string, program: string): Promise<string> {
  await page.goto(url + path)
  const choice = page.locator("details[name=program]", {
    has: page.locator(`summary:text-is(${JSON.stringify(program)})`),
  })
  return ((await choice.locator("pre").textContent()) ?? "").replaceAll("Bearer TOKEN", `Bearer ${token}`)
}

function run(command: string, args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, TOOLYARD_TOKEN: token }
  return spawnSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: 20_000 })
}

describe.each(["/mcp", "/mcp/code", "/mcp/it's one"])("the snippets at %s", path => {
  const tool = path === "/mcp/code" ? "execute" : "echo"

  it("V1 TypeScript runs", async () => {
    writeFileSync(join(folder, "snippet.mts"), await snippet(path, "TypeScript SDK"))
    const { status, stdout, stderr } = run(process.execPath, ["snippet.mts"])
    expect(status, stderr).toBe(0)
    expect(stdout).toContain(tool)
    expect(stdout).toContain("content:")
  })

  it.skipIf(missing("python3"))("V1 Python is Python", async () => {
    writeFileSync(join(folder, "snippet.py"), await snippet(path, "Python SDK"))
    const { status, stderr } = run("python3", ["-m", "py_compile", "snippet.py"])
    expect(status, stderr).toBe(0)
  })

  it.skipIf(missing("curl"))("V1 curl lists the tools", async () => {
    const { stdout, stderr } = run("sh", ["-c", await snippet(path, "curl")])
    expect(stdout, stderr).toContain(`"tools"`)
    expect(stdout).toContain(tool)
  })
})

it.skipIf(missing("curl"))("V1 curl calls one tool", async () => {
  const { stdout, stderr } = run("sh", ["-c", await snippet("/mcp/it's one", "curl (one tool)")])
  expect(() => JSON.parse(stdout), stdout + stderr).not.toThrow()
  expect(stdout).not.toContain("unauthorized")
})
