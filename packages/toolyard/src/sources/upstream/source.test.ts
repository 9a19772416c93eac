import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hub, RAW_SERVER, startHub, stopAll } from "../../../../../tests/fixtures/hub.ts"
import { isAlive } from "../../../../../tests/fixtures/processes.ts"
import { until } from "../../../../../tests/fixtures/until.ts"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { SERVER_DEFAULTS, type ServerConfig, type StdioEntry } from "../../model/config.ts"
import { describeSource, memoryCache, testContext } from "../source.contract.ts"
import { UpstreamSource } from "./source.ts"
import { startWatchdog } from "./watchdog.ts"

const CALLER: Caller = { surface: "library", principal: "test" }
const watchdog = startWatchdog()
afterAll(() => watchdog.close())

function configOf(entry: ServerConfig["entry"], more: Partial<ServerConfig> = {}): ServerConfig {
  return {
    ...SERVER_DEFAULTS,
    name: "raw",
    entry,
    hash: "test",
    ...more,
  }
}

const stdio = (...flags: string[]): StdioEntry => ({
  type: "stdio",
  command: process.execPath,
  args: [RAW_SERVER, ...flags],
  env: {},
})

const OFFERED = {
  echo: { tool: "echo", args: { text: "hello there" }, text: "hello there" },
  progress: { tool: "progress", args: { steps: 3 } },
  slow: { tool: "slow", args: { ms: 5000 } },
  failing: { tool: "fail", args: {} },
}
const openBroken = (): UpstreamSource => new UpstreamSource(configOf(stdio("--exit-at-once")), watchdog)

describeSource("stdio, 2025-11-25", {
  ...OFFERED,
  open: () => new UpstreamSource(configOf(stdio()), watchdog),
  openBroken,
})
describeSource("stdio, 2026-07-28", {
  ...OFFERED,
  open: () => new UpstreamSource(configOf(stdio("--modern")), watchdog),
  openBroken,
})

describe("over HTTP", () => {
  let hub: Hub
  beforeAll(async () => {
    hub = await startHub({ mcpServers: { raw: stdio() } })
    await hub.waitUp()
  })
  afterAll(stopAll)
  const http = (type: "http" | "sse", path: string) => (): UpstreamSource =>
    new UpstreamSource(configOf({ type, url: `${hub.url}${path}`, headers: {} }), watchdog)
  const nobody = (type: "http" | "sse") => (): UpstreamSource =>
    new UpstreamSource(configOf({ type, url: "http://127.0.0.1:9/mcp", headers: {} }), watchdog)

  it.each(["http", "sse"] as const)(
    "comes back by itself after a server over %s went away and returned",
    async type => {
      const first = await startHub({ mcpServers: { raw: stdio() } })
      await first.waitUp()
      const { port } = new URL(first.url)
      const path = type === "http" ? "/mcp/raw" : "/mcp/raw/sse"
      const source = new UpstreamSource(configOf({ type, url: `${first.url}${path}`, headers: {} }), watchdog)
      await source.open(testContext())
      await source.call("echo", { text: "once" }, new Call(CALLER))
      await first.kill("SIGKILL")
      await expect(source.call("echo", { text: "twice" }, new Call(CALLER))).rejects.toMatchObject({
        code: expect.stringMatching(/server_down|upstream_crashed/),
      })
      await until(
        () => source.health().state === "down",
        () => "the loss to be noticed",
      )
      await startHub({ mcpServers: { raw: stdio() } }, { args: ["--port", port] })
      await until(
        () => source.health().state === "up",
        () => "the server to be found again",
      )
      expect(JSON.stringify(await source.call("echo", { text: "again" }, new Call(CALLER)))).toContain("again")
      await source.close()
    },
  )

  describeSource("http", { ...OFFERED, open: http("http", "/mcp/raw"), openBroken: nobody("http") })
  describeSource("sse", { ...OFFERED, open: http("sse", "/mcp/raw/sse"), openBroken: nobody("sse") })
})

describe("an upstream over stdio", () => {
  it("finds out the era by itself and remembers it", async () => {
    const cache = memoryCache()
    const source = new UpstreamSource(configOf(stdio("--modern")), watchdog)
    await source.open(testContext(cache))
    expect(source.health().era).toBe("modern")
    await source.close()
    expect(cache.get("upstream:raw:test")).toMatchObject({ era: "modern", offer: { tools: expect.any(Array) } })
  })

  it("G5 lists from the cache before the server is up", async () => {
    const cache = memoryCache()
    const first = new UpstreamSource(configOf(stdio()), watchdog)
    await first.open(testContext(cache))
    const tools = first.list()?.tools
    await first.close()
    const second = new UpstreamSource(configOf(stdio("--hang-init")), watchdog)
    void second.open(testContext(cache))
    expect(second.list()?.tools).toEqual(tools)
    expect(second.health().state).toBe("connecting")
    await second.close()
  })

  it("leaves no process behind when it is closed, whatever the server does about it", async () => {
    const source = new UpstreamSource(configOf(stdio("--ignore-term", "--grandchild")), watchdog)
    await source.open(testContext())
    const text = async (tool: string): Promise<number> => {
      const { content } = await source.call(tool, {}, new Call(CALLER))
      return Number((content as { text: string }[])[0]?.text)
    }
    const pids = [await text("pid"), await text("grandchild")]
    expect(pids.every(isAlive)).toBe(true)
    await source.close()
    expect(pids.filter(isAlive)).toEqual([])
  })

  it("comes back by itself after a crash, and says what happened to the call under way", async () => {
    const source = new UpstreamSource(configOf(stdio()), watchdog)
    await source.open(testContext())
    await expect(source.call("die", {}, new Call(CALLER))).rejects.toMatchObject({
      code: "upstream_crashed",
      message: expect.stringContaining("exit code 7"),
    })
    await until(
      () => source.health().state === "up",
      () => "the server to come back",
    )
    await source.call("echo", { text: "again" }, new Call(CALLER))
    await source.close()
  })

  it("keeps secrets of its entry out of what it tells", async () => {
    const entry = {
      ...stdio("--no-such-thing"),
      command: "sh",
      args: ["-c", 'echo "token is $TOKEN" >&2; exit 1'],
      env: { TOKEN: "s3cr3t-value" },
    }
    const source = new UpstreamSource(configOf(entry), watchdog)
    await source.open(testContext())
    expect(source.health().reason).toContain("token is [TOKEN]")
    expect(JSON.stringify([source.health(), source.logs()])).not.toContain("s3cr3t-value")
    await source.close()
  })

  it("says so when the command is not there", async () => {
    const source = new UpstreamSource(configOf({ ...stdio(), command: "no-such-command-anywhere" }), watchdog)
    await source.open(testContext())
    expect(source.health().reason).toContain("no-such-command-anywhere was not found")
    await source.close()
  })
})
