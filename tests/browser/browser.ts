/** A real Chromium against a real hub: pages that are watched for everything that must not happen. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import chromium from "@sparticuz/chromium"
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
  type Response,
} from "playwright-core"

export interface Watched {
  readonly page: Page
  /** Errors and warnings of the console, exceptions, and requests to anywhere but the hub. */
  readonly wrong: string[]
  /** The sizes of what the hub sent, by path, without headers; to be asked for before the page leads elsewhere. */
  bytes(): Promise<Map<string, number>>
}

/** Its own defaults would switch off the very rules that are looked at here, and end it with the first closed page. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"])
const QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url))
const CACHE = `${MODULES}.cache/`

/** `TOOLYARD_CHROMIUM` names another one, for systems that the one from npm is not made for. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.TOOLYARD_CHROMIUM ?? (await unpackBrowser())
  const args = [...chromium.args.filter(arg => !UNWANTED.has(arg)), ...QUIET]
  return playwright.launch({ executablePath, args, headless: true })
}

/** Unpacked once, aside and put in place at once: several test files may be the first, and any may be interrupted. */
async function unpackBrowser(): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${MODULES}@sparticuz/chromium/package.json`, "utf8")) as {
    version: string
  }
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true })
    const aside = mkdtempSync(join(CACHE, "chromium-new-"))
    const { TMPDIR } = process.env
    // It unpacks to the temporary folder of the moment in which it is asked.
    process.env.TMPDIR = aside
    const unpacked = chromium.executablePath()
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await unpacked
    try {
      renameSync(aside, folder)
    } catch {
      // Somebody else was first.
      rmSync(aside, { recursive: true, force: true })
    }
  }
  return join(folder, "chromium")
}

/** Every visitor comes with a profile of their own; closing the page leaves nothing behind. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  page.on("close", () => void context.close().catch(() => {}))
  const wrong: string[] = []
  const answers: Response[] = []
  const { origin } = new URL(url)
  page.on("console", message => {
    if (message.type() === "error" || message.type() === "warning") wrong.push(`console: ${message.text()}`)
  })
  page.on("pageerror", error => wrong.push(`exception: ${error.message}`))
  page.on("request", request => {
    const { origin: to, protocol } = new URL(request.url())
    if (to !== origin && protocol !== "data:") wrong.push(`request to ${request.url()}`)
  })
  page.on("response", response => {
    if (response.request().method() === "GET" && response.url().startsWith("http")) answers.push(response)
  })
  await page.goto(url, { waitUntil: "load" })
  const sizeOf = async (answer: Response): Promise<[string, number]> => [
    new URL(answer.url()).pathname,
    (await answer.body()).length,
  ]
  return { page, wrong, bytes: async () => new Map(await Promise.all(answers.map(sizeOf))) }
}
