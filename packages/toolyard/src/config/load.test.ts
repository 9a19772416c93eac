import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ServerConfig, YardConfig } from "../model/config.ts"
import { DEFAULT_LIMITS } from "../model/run.ts"
import { type LoadOptions, loadConfig, unreadableFiles } from "./load.ts"

let home: string
let project: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "config-"))
  project = join(home, "code", "project")
  mkdirSync(project, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string, content: unknown): string {
  const file = path.startsWith("~") ? join(home, path.slice(2)) : join(project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}
const load = (options: LoadOptions = {}) => loadConfig({ cwd: project, home, env: {}, ...options })
const loadProject = (content: unknown, options: LoadOptions = {}) => {
  write("toolyard.json", content)
  return load(options)
}
const server = (config: YardConfig, name: string): ServerConfig => {
  const found = config.servers.find(each => each.name === name)
  if (!found) throw new Error(`no server ${name}`)
  return found
}
const USER = "~/.config/toolyard/toolyard.json"

describe("finding the files", () => {
  it("T4 starts with zero servers and no problem when there is no file", async () => {
    const sandbox = { ...DEFAULT_LIMITS, network: [] }
    const empty = { root: project, files: [], servers: [], problems: [], surface: "auto", sandbox }
    expect(await load()).toEqual({ ...empty, policy: { default: "allow", rules: [], askTimeoutMs: 600_000 } })
  })

  it("finds the project's file from a folder inside the project, and takes its folder as root", async () => {
    const file = write("toolyard.json", {})
    const config = await load({ cwd: join(project, "deep", "down") })
    expect(config).toMatchObject({ root: project, files: [file] })
  })

  it("does not look above the home folder", async () => {
    write("toolyard.json", {})
    expect((await load({ home: join(project, "me"), cwd: join(project, "me", "x") })).files).toEqual([])
  })

  it("reads .mcp.json only where there is no toolyard.json beside it", async () => {
    write(".mcp.json", { mcpServers: { old: { command: "a" } } })
    expect((await load()).servers.map(each => each.name)).toEqual(["old"])
    write("toolyard.json", { mcpServers: { new: { command: "a" } } })
    expect((await load()).servers.map(each => each.name)).toEqual(["new"])
  })

  it("reads nothing but an explicit file", async () => {
    write(USER, { mcpServers: { user: { command: "a" } } })
    const file = write("other/some.json", { mcpServers: { only: { command: "a" } } })
    const config = await load({ file: "other/some.json" })
    expect(config).toMatchObject({ files: [file], root: dirname(file), servers: [{ name: "only" }], problems: [] })
  })

  it("says so when an explicit file is not there", async () => {
    const config = await load({ file: "nowhere.json" })
    expect(config.problems).toMatchObject([{ severity: "error", message: "there is no such file" }])
  })

  it("takes the user's file from XDG_CONFIG_HOME", async () => {
    const file = write("~/xdg/toolyard/toolyard.json", {})
    expect((await load({ env: { XDG_CONFIG_HOME: join(home, "xdg") } })).files).toEqual([file])
    expect((await load({ env: { XDG_CONFIG_HOME: "xdg" } })).files).toEqual([])
  })

  it("reports a folder in the place of a file", async () => {
    mkdirSync(join(project, "toolyard.json"))
    expect((await load()).problems).toMatchObject([{ severity: "error", message: "this is not a regular file" }])
  })

  // Only root can give a file away.
  it.runIf(process.getuid?.() === 0)("passes over a stranger's file in a folder above, and says so", async () => {
    const file = write("toolyard.json", { mcpServers: { evil: { command: "a" } } })
    chownSync(file, 4242, 4242)
    mkdirSync(join(project, "mine"))
    const config = await load({ cwd: join(project, "mine") })
    expect(config).toMatchObject({ servers: [], problems: [{ severity: "warning", file }] })
    expect((await load()).servers).toHaveLength(1)
  })
})

describe("merging", () => {
  it("T3 puts the project's entries over the user's, name by name", async () => {
    const user = write(USER, { mcpServers: { a: { command: "user" }, b: { command: "user" } }, surface: "code" })
    const config = await loadProject({ mcpServers: { b: { url: "http://127.0.0.1/" }, c: { command: "project" } } })
    expect(config.servers.map(each => each.name)).toEqual(["b", "c", "a"])
    expect(server(config, "b").entry).toEqual({ type: "http", url: "http://127.0.0.1/", headers: {} })
    expect(config.files).toEqual([join(project, "toolyard.json"), user])
    expect(config.surface).toBe("code")
  })

  it("asks the project's policy rules before the user's, and lets the project's default win", async () => {
    write(USER, { policy: { default: "deny", rules: [{ match: ["u"], do: "allow" }], askTimeoutMs: 5000 } })
    const rules = [{ match: "p", annotations: { destructiveHint: true }, caller: "cli", do: "ask" }]
    expect((await loadProject({ policy: { default: "ask", rules } })).policy).toEqual({
      default: "ask",
      rules: [
        { match: ["p"], annotations: { destructiveHint: true }, caller: ["cli"], do: "ask" },
        { match: ["u"], do: "allow" },
      ],
      askTimeoutMs: 5000,
    })
    expect((await loadProject({})).policy.default).toBe("deny")
  })
})

describe("entries", () => {
  it("T3 reads stdio, HTTP and SSE servers as Claude Code writes them, with or without a type", async () => {
    const { servers, problems } = await loadProject({
      mcpServers: {
        stdio: { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" } },
        bare: { command: "npx" },
        local: { type: "local", command: "npx" },
        http: { type: "http", url: "https://example.org/mcp", headers: { "X-Key": "k" } },
        url: { url: "https://example.org/mcp" },
        long: { type: "streamable-http", url: "https://example.org/mcp" },
        camel: { type: "streamableHttp", url: "https://example.org/mcp" },
        sse: { type: "sse", url: "https://example.org/sse" },
      },
    })
    expect(problems).toEqual([])
    expect(servers.every(each => each.enabled)).toBe(true)
    const url = "https://example.org/mcp"
    expect(servers.map(each => each.entry)).toEqual([
      { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: project },
      { type: "stdio", command: "npx", args: [], env: {}, cwd: project },
      { type: "stdio", command: "npx", args: [], env: {}, cwd: project },
      { type: "http", url, headers: { "X-Key": "k" } },
      { type: "http", url, headers: {} },
      { type: "http", url, headers: {} },
      { type: "http", url, headers: {} },
      { type: "sse", url: "https://example.org/sse", headers: {} },
    ])
  })

  it("knows every type of the design", async () => {
    const later = {
      math: { type: "module", file: "./servers/math.ts" },
      stats: { type: "python", file: "./servers/stats.py" },
      disk: { type: "command", command: "df", args: ["-h", "{{path}}"] },
      notes: { type: "static", tools: { t: { text: "hi" } }, resources: {}, prompts: {} },
      petstore: { type: "openapi", spec: "./petstore.yaml", auth: { key: "k" } },
      shop: { type: "graphql", url: "https://shop.example/graphql" },
      hn: { type: "prompt", prompt: "Hacker News" },
    }
    const sandbox = { timeoutMs: 30000, memoryMb: 64, network: [] }
    const config = await loadProject({ $schema: "x", mcpServers: later, sandbox, llm: "a/b", surface: "direct" })
    expect(config.problems).toEqual([])
    const { petstore, shop, hn } = later
    expect(Object.fromEntries(config.servers.map(each => [each.name, each.entry]))).toEqual({
      math: { type: "module", file: join(project, "servers/math.ts"), env: {} },
      stats: { type: "python", file: join(project, "servers/stats.py"), env: {} },
      disk: { type: "command", command: "df", args: ["-h", "{{path}}"], cwd: project, env: {}, parameters: {} },
      notes: { type: "static" },
      petstore,
      shop,
      hn,
    })
  })

  it("keeps what an entry adds and computes, with paths that hold wherever the hub was started", async () => {
    const tools = { hello: { text: "Hello {{name}}" }, old: { enabled: false } }
    const resources = { "variable://motto": "Be brief", "file://./notes.md": { mimeType: "text/markdown" } }
    const transforms = { tools: "./computed.ts", resources: "cid://bafy" }
    const config = await loadProject({
      mcpServers: { a: { command: "x", tools, resources, prompts: { p: { text: "?" } }, transforms, discover: false } },
    })
    expect(config.problems).toEqual([])
    expect(server(config, "a")).toMatchObject({
      additions: {
        tools: { hello: { text: "Hello {{name}}" } },
        resources: { "variable://motto": { text: "Be brief" }, "file://./notes.md": { mimeType: "text/markdown" } },
        prompts: { p: { text: "?" } },
      },
      tools: { old: { enabled: false } },
      transforms: { tools: join(project, "computed.ts"), resources: "cid://bafy" },
      discover: false,
    })
  })

  it("says of a static tool that it gives nothing", async () => {
    const { problems } = await loadProject({ mcpServers: { s: { type: "static", tools: { t: { title: "T" } } } } })
    expect(problems).toMatchObject([
      { severity: "warning", key: "mcpServers.s.tools.t", message: expect.stringContaining("what calling it gives") },
    ])
  })

  it("takes a configuration that a program gives, and reads no file", async () => {
    write("toolyard.json", { mcpServers: { fromFile: { command: "x" } } })
    const config = await load({ content: { mcpServers: { given: { type: "module", file: "a.ts" }, bad: 1 } } })
    expect(config.servers.map(({ name, entry }) => [name, entry.type])).toEqual([
      ["given", "module"],
      ["bad", "unknown"],
    ])
    expect(config).toMatchObject({ root: project, files: [], problems: [{ file: "the given configuration" }] })
  })

  it("fills in the defaults", async () => {
    const config = await loadProject({ mcpServers: { a: { command: "x" } } })
    expect(server(config, "a")).toEqual({
      name: "a",
      entry: { type: "stdio", command: "x", args: [], env: {}, cwd: project },
      enabled: true,
      rename: {},
      readOnly: false,
      timeoutMs: 60000,
      concurrency: 64,
      isolation: "shared",
      network: [],
      tools: {},
      additions: { tools: {}, resources: {}, prompts: {} },
      transforms: {},
      discover: true,
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })

  it("takes the limits of runs from the project's file, then from the user's, then the defaults", async () => {
    write(USER, { sandbox: { memoryMb: 128, maxCalls: 5, network: ["a.example"] } })
    const { sandbox, problems } = await loadProject({ sandbox: { memoryMb: 32, timeoutMs: 1000 } })
    expect(problems).toEqual([])
    expect(sandbox).toEqual({
      ...DEFAULT_LIMITS,
      timeoutMs: 1000,
      memoryMb: 32,
      maxCalls: 5,
      network: ["a.example"],
    })
  })

  it("G11 takes the hosts that scripts may reach for the sake of one server", async () => {
    const config = await loadProject({ mcpServers: { s: { command: "x", network: ["api.example"] } } })
    expect(server(config, "s").network).toEqual(["api.example"])
  })

  it("T14 takes include and exclude under both of their names", async () => {
    const entry = { command: "x", include: ["a*"], includeTools: ["b", "a*"], excludeTools: "c" }
    expect(server(await loadProject({ mcpServers: { s: entry } }), "s")).toMatchObject({
      include: ["a*", "b"],
      exclude: ["c"],
    })
  })

  it("keeps what an entry says of its tools and limits", async () => {
    const tools = { t: { enabled: false, timeoutMs: 5, annotations: { readOnlyHint: true }, inputSchema: {} } }
    const more = { rename: { a: "b" }, readOnly: "strict", timeoutMs: 1, concurrency: 2, isolation: "session" }
    const { enabled, timeoutMs, annotations } = tools.t
    const config = await loadProject({ mcpServers: { s: { command: "x", description: "d", tools, ...more } } })
    const kept = { ...more, description: "d", tools: { t: { enabled, timeoutMs, annotations } } }
    expect(server(config, "s")).toMatchObject(kept)
  })

  it("resolves relative commands and folders against the root", async () => {
    const mcpServers = { a: { command: "./bin/a", cwd: "sub" }, b: { command: "../b" }, c: { command: "/c", cwd: "/" } }
    const entries = (await loadProject({ mcpServers }, { cwd: join(project, "x") })).servers.map(each => each.entry)
    expect(entries).toMatchObject([
      { command: join(project, "bin/a"), cwd: join(project, "sub") },
      { command: join(dirname(project), "b"), cwd: project },
      { command: "/c", cwd: "/" },
    ])
  })

  it("leaves a server out of service when the entry says so, under both names of the key", async () => {
    const mcpServers = { a: { command: "x", enabled: false }, b: { command: "${UNSET}", disabled: true } }
    const config = await loadProject({ mcpServers })
    const off = { enabled: false, disabledReason: "switched off in the configuration" }
    expect(config).toMatchObject({ servers: [off, off], problems: [] })
  })

  it("T3 expands variables, and disables only the server whose variable is not set", async () => {
    const mcpServers = {
      a: { command: "npx", args: ["${SET}", "${UNSET:-fallback}"], env: { K: "${SET}" } },
      b: { url: "https://${HOST:-example.org}/mcp", headers: { Authorization: "Bearer ${SET}" } },
      c: { command: "npx", env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" } },
      d: { url: "${BASE}/${PATHNAME}" },
    }
    const config = await loadProject({ mcpServers }, { env: { SET: "value" } })
    expect(server(config, "a").entry).toMatchObject({ args: ["value", "fallback"], env: { K: "value" } })
    expect(server(config, "b").entry).toMatchObject({
      url: "https://example.org/mcp",
      headers: { Authorization: "Bearer value" },
    })
    const reason = "variable GITHUB_TOKEN is not set"
    expect(server(config, "c")).toMatchObject({ enabled: false, disabledReason: reason })
    expect(server(config, "d").disabledReason).toBe("variables BASE, PATHNAME are not set")
    expect(config.problems.find(({ message }) => message === reason)).toMatchObject({
      severity: "warning",
      key: "mcpServers.c.env.GITHUB_TOKEN",
      fix: "Set GITHUB_TOKEN, or give it a default: ${GITHUB_TOKEN:-…}.",
    })
  })

  it("gives the same hash to the same meaning, and another to every other", async () => {
    const hashOf = async (entry: unknown, env = {}) =>
      server(await loadProject({ mcpServers: { s: entry } }, { env }), "s").hash
    const base = await hashOf({ command: "x", env: { A: "1", B: "2" }, args: ["a", "b"] })
    expect(await hashOf({ args: ["a", "b"], env: { B: "2", A: "${ONE}" }, command: "x" }, { ONE: "1" })).toBe(base)
    expect(await hashOf({ command: "x", env: { A: "1", B: "2" }, args: ["a", "b"], timeoutMs: 60000 })).toBe(base)
    const others = [
      { command: "x", env: { A: "1", B: "2" }, args: ["b", "a"] },
      { command: "x", env: { A: "1", B: "3" }, args: ["a", "b"] },
      { command: "x", env: { A: "1", B: "2" }, args: ["a", "b"], exclude: ["t"] },
      { command: "x", env: { A: "1", B: "2" }, args: ["a", "b"], enabled: false },
      { command: "x", env: { A: "1", B: "2" }, args: ["a", "b"], tools: { t: { title: "T" } } },
      { command: "x", env: { A: "1", B: "2" }, args: ["a", "b"], discover: false },
      { command: "x", env: { A: "1", B: "2" }, args: "a" },
    ]
    const hashes = []
    for (const entry of others) hashes.push(await hashOf(entry))
    expect(new Set([base, ...hashes]).size).toBe(others.length + 1)
  })
})

it("tells which files could not be used at all, so that a reload can keep what was there", async () => {
  const user = write(USER, "{ half")
  const config = await loadProject({ mcpServers: { a: { command: 1 } } })
  expect(unreadableFiles(config)).toEqual([user])
})
