import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openYard, type Yard } from "./eject.fixture.ts"
import { VERSIONS } from "./project.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
afterEach(() => yard?.close())

const NOTES = { type: "static", tools: { hi: { text: "Hello {{name}}", description: "Greets." } } }

describe("an ejected server", () => {
  it("B15 is a project that a person can read, with nothing in it of where it came from", async () => {
    yard = openYard({ notes: { ...NOTES, description: "Notes and greetings." } })
    const ejected = await yard.eject("notes")
    expect(ejected.files).toEqual([
      ".gitignore",
      "README.md",
      "package.json",
      "src/handlers/index.ts",
      "src/serve.ts",
      "src/server.ts",
      "src/template.ts",
      "src/text.ts",
      "src/written.ts",
      "test/client.ts",
      "test/results.test.ts",
      "test/samples.json",
      "test/tools.test.ts",
      "tools.json",
      "tsconfig.json",
    ])
    expect(ejected.everything()).not.toMatch(/toolyard/i)
    expect(ejected.read("README.md")).toContain("Notes and greetings.")
    expect(ejected.read("README.md")).toContain("| `hi` | Greets. |")
    const { dependencies, bin, engines } = JSON.parse(ejected.read("package.json"))
    expect(dependencies).toEqual({ "@modelcontextprotocol/server": "2.4.0" })
    expect(bin).toEqual({ "notes-mcp-server": "src/server.ts" })
    expect(engines).toEqual({ node: ">=22.18" })
  })

  it("names the versions that are tested here", () => {
    const modules = resolve(import.meta.dirname, "../../../../../node_modules")
    for (const [name, version] of Object.entries(VERSIONS))
      expect(JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version).toBe(version)
  })

  it("listens on this machine only, and answers nobody who came through another name", async () => {
    yard = openYard({ notes: NOTES })
    const ejected = await yard.eject("notes")
    await using server = await ejected.startHttp()
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hi", arguments: { name: "Ada" } } }
    const answer = await server.post(body)
    expect(answer.text).toContain("Hello Ada")
    expect((await server.post(body, { host: "evil.example" })).status).toBe(403)
    expect((await server.post(body, { origin: "https://evil.example" })).status).toBe(403)
  })
})

describe("ejecting", () => {
  it("leaves a folder alone that holds something, unless it is told to write there", async () => {
    yard = openYard({ notes: NOTES })
    const folder = join(yard.root, "out")
    mkdirSync(folder)
    writeFileSync(join(folder, "mine.txt"), "mine")
    await expect(yard.eject("notes", { folder })).rejects.toMatchObject({ code: "usage", message: /not empty/ })
    expect(existsSync(join(folder, "package.json"))).toBe(false)
    await yard.eject("notes", { folder, force: true })
    expect(readFileSync(join(folder, "mine.txt"), "utf8")).toBe("mine")
    expect(existsSync(join(folder, "package.json"))).toBe(true)
  })

  it.each([
    ["remote", { url: "https://mcp.example/mcp" }, /runs elsewhere/],
    ["local", { command: "npx", args: ["-y", "some-server"] }, /program of its own/],
    ["stats", { type: "python", file: "./stats.py" }, /Node/],
    ["caller", { type: "static", tools: { one: { call: "other__tool" } } }, /another server/],
    ["computed", { ...NOTES, transforms: { tools: "./tools.ts" } }, /transforms/],
    ["added", { type: "command", command: "df", tools: { one: { text: "x" } } }, /additions/],
    ["secret", { type: "command", command: "df", args: ["ghp_0123456789abcdefghijABCDEFGHIJ012345"] }, /secret/],
    ["hn", { type: "prompt", prompt: "Hacker News" }, /not been generated/],
  ])("says why a server can't be ejected: %s", async (name, entry, message) => {
    yard = openYard({ [name]: entry })
    await expect(yard.eject(name)).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(message) })
  })

  it("knows no server that is not there", async () => {
    yard = openYard({ notes: NOTES })
    await expect(yard.eject("note")).rejects.toMatchObject({ code: "unknown_server", message: /did you mean "notes"/ })
  })
})
