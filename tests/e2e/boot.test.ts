/** `toolyard boot` and servers of type `prompt`, with a real wire on every side: model, documentation, API, MCP. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { LLMock } from "@copilotkit/aimock"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { connect } from "./mcp-clients.ts"
import { openPlace, type Place, type Ran } from "./run-cli.ts"

const PAGE = (api: string): string => `<html><body><nav><a href="https://tracker.example/">ads</a></nav><main>
<h1>Shelf API</h1><p>All requests go to <a href="${api}/v1">${api}/v1</a>.</p>
<h2>An item</h2><p><code>GET /v1/items/{id}</code> gives one item:</p>
<pre><code class="language-json">{ "id": "7", "title": "Lamp" }</code></pre>
</main></body></html>`

const PLAN = (api: string): object => ({
  description: "The things on a shelf.",
  tools: [
    {
      name: "get_item",
      description: "One item of the shelf.",
      inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      outputSchema: { type: "object", properties: { id: { type: "string" }, title: { type: "string" } } },
      needsNetwork: true,
      endpoint: { method: "GET", url: `${api}/v1/items/{id}` },
    },
    {
      name: "count_letters",
      description: "Counts the letters of a title.",
      inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      needsNetwork: false,
    },
    {
      name: "hopeless",
      description: "Can't be made to work.",
      inputSchema: { type: "object", properties: {} },
      needsNetwork: false,
    },
  ],
})

const HANDLERS = (api: string): Record<string, string> => ({
  // Forgets to look at the status, until it is told.
  get_item: `const response = await fetch("${api}/v1/items/" + encodeURIComponent(args.id)); return await response.json()`,
  repaired: `const response = await fetch("${api}/v1/items/" + encodeURIComponent(args.id))
const text = await response.text()
if (!response.ok) throw new Error("the shelf answered " + response.status + ": " + text)
try { return JSON.parse(text) } catch { throw new Error("no JSON: " + text) }`,
  count_letters: "return { letters: args.title.length }",
  hopeless: "return require('fs')",
})

let place: Place
let llm: LLMock
let api: { url: string; requests: IncomingMessage[]; page: string; close(): Promise<unknown> }
let asked: () => number

beforeEach(async () => {
  place = openPlace()
  api = await openApi()
  llm = new LLMock({ port: 0, host: "127.0.0.1" })
  const handlers = HANDLERS(api.url)
  const json = (value: object): { content: string } => ({ content: JSON.stringify(value) })
  const writing = /handler of one tool/
  llm.on(
    { systemMessage: writing, userMessage: /"name": "get_item"[\s\S]*what is wrong with it/ },
    json({ code: handlers.repaired }),
  )
  for (const name of ["get_item", "count_letters", "hopeless"])
    llm.on({ systemMessage: writing, userMessage: new RegExp(`"name": "${name}"`) }, json({ code: handlers[name] }))
  llm.on({ userMessage: /./ }, json(PLAN(api.url)))
  await llm.start()
  asked = () => llm.getRequests().length
})
afterEach(async () => {
  await place.close()
  await Promise.all([llm.stop(), api.close()])
})

const prompt = (): string => `Shelf: an item, and letters. See ${api.url}/docs.`
const model = (): string[] => ["--provider", "anthropic", "--model", "claude-test", "--base-url", `${llm.url}/v1`]
const KEY = { ANTHROPIC_API_KEY: "sk-test-key" }
const boot = (args: string[], env: Record<string, string> = KEY): Promise<Ran> => place.cli(["boot", ...args], { env })

describe("toolyard boot", () => {
  it("B1 B9 makes a server from a prompt, repairs what is wrong, leaves out what is hopeless, and tells each step", async () => {
    const { code, stdout, stderr } = await boot([prompt(), ...model()])
    expect(stderr).not.toContain("error:")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^shelf: 2 tools, made now$/m)
    expect(stdout).toContain("get_item")
    expect(stdout).toMatch(/hopeless: static: .*`require` is not there/)
    expect(stdout).toContain(`Hosts that they may reach: ${new URL(api.url).host}`)
    for (const step of ["fetch", "plan", "generate", "verify", "repair", "store"])
      expect(stderr).toMatch(new RegExp(`^${step}`, "m"))
    const folder = join(place.folder, ".toolyard/generated/shelf")
    for (const file of [
      "plan.json",
      "whitelist.json",
      "report.json",
      "examples.json",
      "manifest.json",
      "handlers/get_item.ts",
    ])
      expect(existsSync(join(folder, file)), file).toBe(true)
    expect(readFileSync(join(folder, "handlers/get_item.ts"), "utf8")).toContain("the shelf answered")
    expect(api.requests, "nothing but documentation is read").toEqual([])
  })

  it("B12 asks no model the second time, without a key, and without the network", async () => {
    await boot([prompt(), ...model()])
    const before = asked()
    expect(before).toBeGreaterThan(3)
    const again = await boot([prompt(), ...model(), "--json"], {})
    expect(JSON.parse(again.stdout)).toMatchObject({
      how: "cached",
      tools: [{ name: "get_item" }, { name: "count_letters" }],
    })
    await api.close()
    const offline = await boot([prompt(), "--json"], {})
    expect(JSON.parse(offline.stdout)).toMatchObject({ how: "cached", folder: expect.stringContaining("shelf") })
    expect(asked()).toBe(before)
    expect(offline.stderr).toContain("could not be read")
  })

  it("B12 makes it anew when the documentation changed, and with --no-cache also what was edited", async () => {
    await boot([prompt(), ...model()])
    const file = join(place.folder, ".toolyard/generated/shelf/handlers/count_letters.ts")
    const mine = "export default async () => ({ letters: 1 })\n"
    writeFileSync(file, mine)
    api.page = api.page.replace("one item", "a single item")
    const changed = await boot([prompt(), ...model()])
    expect(changed.stdout).toContain("handlers/count_letters.ts was edited by hand and is kept")
    expect(readFileSync(file, "utf8")).toBe(mine)
    expect(existsSync(`${file}.new`)).toBe(true)
    expect((await boot([prompt(), ...model(), "--no-cache"])).stdout).toContain("made now")
    expect(readFileSync(file, "utf8")).toContain("args.title.length")
  })

  it("B8 prints the plan as JSON and makes nothing, with --dry-run", async () => {
    const { code, stdout } = await boot([prompt(), ...model(), "--dry-run"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      description: "The things on a shelf.",
      tools: [{ name: "get_item" }, {}, {}],
    })
    expect(place.has(".toolyard/generated")).toBe(false)
    expect(asked()).toBe(1)
  })

  it("B17 logs every step as JSON with times, tokens and request ids, and never the key", async () => {
    const { stderr, stdout } = await boot([prompt(), ...model(), "--verbose", "--log-file", "boot.log"])
    const lines = stderr
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toContainEqual(expect.objectContaining({ type: "step", step: "plan", afterMs: expect.any(Number) }))
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: "usage",
        step: "plan",
        ms: expect.any(Number),
        inputTokens: expect.any(Number),
        requestId: expect.any(String),
      }),
    )
    expect(place.read("boot.log").trim().split("\n")).toHaveLength(lines.length)
    for (const text of [stderr, stdout, place.read("boot.log")]) expect(text).not.toContain(KEY.ANTHROPIC_API_KEY)
  })

  it("B1 takes the prompt from a file, and the folder and the name from options; --add writes it down", async () => {
    place.write("shelf.md", `${prompt()}\n`)
    const { code, stdout } = await boot([
      "--prompt-file",
      "shelf.md",
      "--name",
      "things",
      "--cache-dir",
      "kept",
      "--add",
      ...model(),
    ])
    expect(code).toBe(0)
    expect(place.has("kept/generated/things/plan.json")).toBe(true)
    expect(stdout).toMatch(/Added things to .*toolyard\.json/)
    expect(JSON.parse(place.read("toolyard.json")).mcpServers.things).toEqual({
      type: "prompt",
      prompt: prompt(),
      model: "anthropic/claude-test",
    })
  })

  it.each([
    ["no prompt", [], "there is no prompt"],
    ["two prompts", ["x", "--prompt-file", "y"], "there are two prompts"],
    ["an empty prompt", ["  "], "the prompt is empty"],
    ["an empty file", ["--prompt-file", "empty.md"], "is empty"],
    ["a file that is not there", ["--prompt-file", "nowhere.md"], "cannot be read"],
    ["a bad provider", ["x", "--provider", "acme"], '"acme" is not a provider'],
    ["a bad port", ["x", "--port", "99999"], "whole number"],
    ["a bad name", ["x", "--name", "all"], "reserved"],
    ["no key", ["Count letters"], "there is no key for anthropic"],
    ["a bad base URL", ["Count letters", "--api-key", "k", "--base-url", "nowhere"], "is not an http or https address"],
  ])("B1 refuses %s with a clear error", async (_, args, message) => {
    place.write("empty.md", " \n")
    const { code, stderr, stdout } = await boot(args, {})
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/hint:/)
    expect(code).toBe(64)
    expect(stdout).toBe("")
  })

  it("B16 works with OpenAI and with what is compatible with it", async () => {
    const openai = await boot([prompt(), "--provider", "openai", "--base-url", `${llm.url}/v1`], {
      OPENAI_API_KEY: "k",
    })
    expect(openai.stdout).toContain("made now")
    const other = ["--model", "openai-compatible/llama", "--base-url", `${llm.url}/v1`]
    expect((await boot([prompt(), ...other], {})).stdout).toContain("made now")
  })

  it("B14 needs neither a model nor a key when the documentation is a description", async () => {
    api.page = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Shelf", version: "1" },
      servers: [{ url: `${api.url}/v1` }],
      paths: {
        "/items/{id}": {
          get: {
            operationId: "showItem",
            summary: "One item.",
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            responses: { 200: { description: "It." } },
          },
        },
      },
    })
    const dry = await boot([prompt(), "--dry-run"], {})
    expect(JSON.parse(dry.stdout)).toMatchObject({ tools: [{ name: "showItem" }] })
    const { stdout, code } = await boot([prompt(), "--add"], {})
    expect(code).toBe(0)
    expect(stdout).toMatch(/1 tool, from the description alone[\s\S]*showItem {2}One item/)
    const called = await place.cli(["call", "shelf.showItem", '{"id":"7"}'])
    expect(called, called.stderr).toMatchObject({ code: 0 })
    expect(JSON.parse(called.stdout)).toEqual({ id: "7", title: "Lamp" })
    expect(asked()).toBe(0)
  })

  it("fails with the model's reason when it has none to give", async () => {
    llm.clearFixtures()
    llm.on({ userMessage: /./ }, { content: "I would rather not." })
    const { code, stderr } = await boot([prompt(), ...model()])
    expect(code).toBe(69)
    expect(stderr).toContain("error:")
    expect(place.has(".toolyard/generated/shelf")).toBe(false)
  })
})

describe("a server of type prompt", () => {
  it("B1 B12 B13 is served over MCP from what boot made, without a key, and calls the API through the guard", async () => {
    await boot([prompt(), "--add", ...model()])
    const before = asked()
    const { line } = await place.serve(["--no-auth"])
    const client = await connect(`${line.url}/mcp/shelf`, "legacy")
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["get_item", "count_letters"])
    const result = await client.callTool({ name: "get_item", arguments: { id: "a/b" } })
    expect(result).toMatchObject({ structuredContent: { id: "a/b", title: "Lamp" } })
    expect(api.requests.map(({ url }) => url)).toEqual(["/v1/items/a%2Fb"])
    const missing = await client.callTool({ name: "get_item", arguments: { id: "none" } })
    expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("404: no such item") }] })
    await client.close()
    expect(asked()).toBe(before)
  })

  it("B1 is served at once with --serve", async () => {
    const running = place.start(["boot", prompt(), "--serve", "--port", "0", ...model()], { env: KEY })
    await expect.poll(() => running.output.stdout, { timeout: 25_000 }).toMatch(/^\{"url".*\}$/m)
    const line = JSON.parse(/^\{"url".*\}$/m.exec(running.output.stdout)?.[0] as string) as { mcp: string }
    const client = await connect(line.mcp, "legacy")
    const result = await client.callTool({ name: "shelf__count_letters", arguments: { title: "Lamp" } })
    expect(result).toMatchObject({ structuredContent: { letters: 4 } })
    await client.close()
  })

  it("is made in the background when nothing was made before, and a broken one is down with the reason", async () => {
    place.configure({ shelf: { type: "prompt", prompt: prompt() } }, { llm: "anthropic/claude-test" })
    const without = await place.cli(["tools", "shelf"])
    expect(without.stderr).toContain("there is no key for anthropic")
    rmSync(join(place.folder, ".toolyard"), { recursive: true, force: true })
    const made = await place.cli(["call", "shelf.count_letters", '{"title":"Lamp"}'], {
      env: { ...KEY, ANTHROPIC_BASE_URL: `${llm.url}/v1` },
    })
    expect(made.stdout.trim()).toBe('{"letters":4}')
  })
})

async function openApi(): Promise<typeof api> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    if (request.url === "/docs") {
      response.setHeader("content-type", made.page.startsWith("{") ? "application/json" : "text/html").end(made.page)
      return
    }
    requests.push(request)
    const id = decodeURIComponent(request.url?.split("/").at(-1) ?? "")
    if (id === "none") response.writeHead(404).end("no such item")
    else response.setHeader("content-type", "application/json").end(JSON.stringify({ id, title: "Lamp" }))
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = {
    url,
    requests,
    page: PAGE(url),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
  return made
}
