/** From a file to a running hub: what is read, what is started, what happens when some of it does not work. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { ApiServer } from "../../packages/toolyard/src/model/api.ts"
import { startHub, stopAll, tempFolder, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, textOf } from "./mcp-clients.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { listed, modern } from "./mcp-wire.ts"
import { openPlace, type Place } from "./run-cli.ts"

const thirdParty = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url))
const echo = { name: "echo", inputSchema: { type: "object" } }
const EVERYTHING = { command: process.execPath, args: [thirdParty("everything")] }

const stages: Stage[] = []
const places: Place[] = []
const newStage = async (): Promise<Stage> => {
  const stage = await openStage()
  stages.push(stage)
  return stage
}
const newPlace = (): Place => {
  const place = openPlace()
  places.push(place)
  return place
}
afterEach(async () => {
  await closeClients()
  await stopAll()
  await Promise.all(places.splice(0).map(place => place.close()))
  await Promise.all(stages.splice(0).map(stage => stage.close()))
})

const namesAt = async (url: string): Promise<unknown[]> =>
  listed((await modern(url, "tools/list")).answer).map(({ name }) => name)

describe("serving", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("T1 holds warm connections, and ends cleanly on %s", async signal => {
    const stage = await newStage()
    const entry = stage.entry({ tools: [echo], on: { "tools/call": () => text("warm") } })
    const place = newPlace()
    place.configure({ one: entry })
    const hub = await place.serve(["--no-auth"])
    const { url } = hub.line
    const puppet = await stage.puppet(entry)
    for (let time = 0; time < 3; time++)
      expect((await modern(`${url}/mcp`, "tools/call", { name: "one__echo" })).answer.result).toMatchObject(
        text("warm"),
      )
    expect(stage.puppets(entry)).toHaveLength(1)
    expect(place.has(".toolyard/hub.json")).toBe(true)
    hub.child.kill(signal)
    expect((await hub.ended).code).toBe(0)
    await puppet.gone
    expect(place.has(".toolyard/hub.json")).toBe(false)
  })

  it("T4 starts with no configuration at all, and behaves", async () => {
    const place = newPlace()
    const { line } = await place.serve(["--no-auth"])
    for (const path of ["servers", "tools", "search?q=x"])
      expect(Object.values((await (await fetch(`${line.url}/api/${path}`)).json()) as Json)).toEqual([[]])
    for (const era of ERAS) expect((await (await connect(`${line.url}/mcp`, era)).listTools()).tools).toEqual([])
    expect((await modern(`${line.url}/mcp`, "tools/call", { name: "any" })).answer.error?.code).toBe(-32602)
    expect(await (await fetch(`${line.url}/mcp`, { headers: { Accept: "text/html" } })).text()).toContain(
      "toolyard add",
    )
    expect(await (await fetch(`${line.url}/readyz`)).json()).toMatchObject({ ready: true, down: [] })
  })

  it("C2 connects to nothing that is not configured, and to nothing that is switched off", async () => {
    const stage = await newStage()
    const entry = stage.entry({ tools: [echo] }, { enabled: false })
    const hub = await startHub({ mcpServers: { off: entry } })
    const [server] = await hub.servers()
    expect(server).toMatchObject({ name: "off", state: "disabled", tools: 0 })
    expect(await namesAt(`${hub.url}/mcp`)).toEqual([])
    const { answer } = await modern(`${hub.url}/mcp/off`, "tools/list")
    expect(answer.error?.message).toContain("off is disabled")
    await hub.stop()
    expect(stage.puppets(entry)).toEqual([])
  })
})

describe("configuration", () => {
  it("T3 reads the shape that Claude Code uses, from the user and from the project, with variables", async () => {
    const stage = await newStage()
    const entry = stage.entry({ tools: [echo] })
    const place = newPlace()
    const shared = join(place.base, ".config", "toolyard")
    mkdirSync(shared, { recursive: true })
    const user = { mcpServers: { mine: entry, both: { command: "false" } } }
    writeFileSync(join(shared, "toolyard.json"), JSON.stringify(user))
    place.write(".mcp.json", {
      mcpServers: {
        both: { type: "stdio", command: "${NODE_PROGRAM}", args: entry.args, env: {} },
        fallback: { command: "${NO_SUCH:-}${NODE_PROGRAM}", args: entry.args },
        unset: { command: "${NO_SUCH_VARIABLE}" },
      },
    })
    const { line } = await place.serve(["--no-auth"], { env: { NODE_PROGRAM: process.execPath } })
    const { servers } = (await (await fetch(`${line.url}/api/servers`)).json()) as { servers: Json[] }
    expect(servers.map(({ name }) => name).toSorted()).toEqual(["both", "fallback", "mine", "unset"])
    const unset = servers.find(({ name }) => name === "unset")
    expect(unset).toMatchObject({ state: "disabled", reason: expect.stringContaining("NO_SUCH_VARIABLE") })
    await until(async () => (await namesAt(`${line.url}/mcp`)).length === 3, "three servers")
    expect((await namesAt(`${line.url}/mcp`)).toSorted()).toEqual(["both__echo", "fallback__echo", "mine__echo"])
  })

  it("T3 serves servers over stdio, HTTP and SSE alike", async () => {
    const stage = await newStage()
    const inner = await startHub({
      mcpServers: { one: stage.entry({ tools: [echo], on: { "tools/call": () => text("reached") } }) },
    })
    await inner.waitUp()
    const outer = await startHub({
      mcpServers: {
        everything: EVERYTHING,
        http: { type: "http", url: `${inner.url}/mcp/one` },
        sse: { type: "sse", url: `${inner.url}/mcp/one/sse` },
      },
    })
    await outer.waitUp()
    for (const era of ERAS) {
      const client = await connect(`${outer.url}/mcp`, era)
      for (const server of ["http", "sse"])
        expect(textOf(await client.callTool({ name: `${server}__echo`, arguments: {} }))).toBe("reached")
      const sum = await client.callTool({ name: "everything__get-sum", arguments: { a: 2, b: 3 } })
      expect(textOf(sum)).toContain("5")
    }
  })
})

describe("a server that does not work", () => {
  it("C4 that is down at the start gives no tools and a warning, and the rest works", async () => {
    const stage = await newStage()
    const hub = await startHub({
      mcpServers: {
        missing: { command: "no-such-program-anywhere" },
        crashing: { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] },
        refused: { url: "http://127.0.0.1:9/mcp" },
        fine: stage.entry({ tools: [echo], on: { "tools/call": () => text("fine") } }),
      },
    })
    await hub.waitUp("fine")
    // Each is down from time to time only: between two looks it may be at its next attempt.
    const down = new Map<string, ApiServer>()
    await until(async () => {
      for (const server of await hub.servers()) if (server.state === "down") down.set(server.name, server)
      return down.size === 3
    }, "three servers to be down")
    expect(await namesAt(`${hub.url}/mcp`)).toEqual(["fine__echo"])
    expect((await modern(`${hub.url}/mcp`, "tools/call", { name: "fine__echo" })).answer.result).toMatchObject(
      text("fine"),
    )
    for (const server of down.values())
      expect(server).toMatchObject({ tools: 0, reason: expect.any(String), nextRetryAt: expect.any(String) })
    expect(down.get("crashing")?.reason).toContain("no licence")
    for (const name of ["missing", "crashing", "refused"]) expect(hub.stderr()).toContain(`${name} is down`)
    const { answer } = await modern(`${hub.url}/mcp/missing`, "tools/call", { name: "anything" })
    expect(answer.result).toMatchObject({ isError: true })
    expect(textOf(answer.result as Json)).toContain("no-such-program-anywhere")
  })

  it.each(ERAS)(
    "C4 that goes down during a call makes it an error result that the model can act on (%s)",
    async era => {
      const stage = await newStage()
      const entry = stage.entry({ tools: [echo], on: { "tools/call": (_params, puppet) => puppet.drop() } })
      const hub = await startHub({ mcpServers: { fragile: entry } })
      await hub.waitUp()
      const client = await connect(`${hub.url}/mcp`, era)
      const result = await client.callTool({ name: "fragile__echo", arguments: {} })
      expect(result.isError).toBe(true)
      expect(result._meta?.["toolyard/error"]).toMatchObject({ code: "upstream_crashed" })
      expect(textOf(result)).toContain("restarted")
      await hub.waitUp("fragile")
      expect(stage.puppets(entry).length).toBeGreaterThan(1)
    },
  )
})

describe("starting again", () => {
  it("G5 lists at once what was known, before the server is there; another entry is another server", async () => {
    const stage = await newStage()
    let slow = false
    const tools = [echo, { name: "second", inputSchema: { type: "object" }, "x-kept": [1, { deep: "\ud83d" }] }]
    const entry = stage.entry({
      tools,
      on: {
        initialize: ({ protocolVersion }) =>
          slow
            ? undefined
            : { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "puppet", version: "1" } },
      },
    })
    const folder = tempFolder()
    const first = await startHub({ mcpServers: { one: entry } }, { folder })
    await first.waitUp()
    const before = (await modern(`${first.url}/mcp/one`, "tools/list")).answer.result
    await first.stop()
    slow = true
    const second = await startHub({ mcpServers: { one: entry } }, { folder })
    const after = (await modern(`${second.url}/mcp/one`, "tools/list")).answer.result
    expect(JSON.stringify(after?.tools)).toBe(JSON.stringify(before?.tools))
    expect((await second.servers())[0]).toMatchObject({ state: "connecting", tools: 2 })
    await second.stop()
    const third = await startHub({ mcpServers: { one: { ...entry, env: { CHANGED: "yes" } } } }, { folder })
    expect((await third.servers())[0]).toMatchObject({ state: "connecting", tools: 0 })
  })

  it("C6 gives every tool the same id in the same place, whichever server is up first", async () => {
    const stage = await newStage()
    const tools = ["a b", "a_b", "a/b", "x".repeat(80), `${"x".repeat(80)}y`].map(name => ({
      name,
      inputSchema: { type: "object" },
    }))
    let held = "early"
    const entry = (name: string): Json =>
      stage.entry({
        tools,
        on: {
          initialize: async ({ protocolVersion }) => {
            if (held === name) await new Promise(resolve => setTimeout(resolve, 200))
            return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: "1" } }
          },
        },
      })
    const config = { mcpServers: { early: entry("early"), late: entry("late") } }
    const lists: unknown[][] = []
    for (held of ["early", "late", "neither"]) {
      const hub = await startHub(config)
      await hub.waitUp()
      lists.push(await namesAt(`${hub.url}/mcp`))
      await hub.stop()
    }
    expect(lists[1]).toEqual(lists[0])
    expect(lists[2]).toEqual(lists[0])
    expect(new Set(lists[0]).size).toBe(10)
    for (const id of lists[0] as string[]) expect(id).toMatch(/^(?=.{1,64}$)(early|late)__[A-Za-z0-9_-]+$/)
  })
})

describe("servers of other people", () => {
  it("N9 filesystem and memory work side by side, under one policy and one search", async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, "note.txt"), "written by hand")
    const hub = await startHub({
      mcpServers: {
        files: { command: process.execPath, args: [thirdParty("filesystem"), folder] },
        memory: {
          command: process.execPath,
          args: [thirdParty("memory")],
          env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
        },
      },
      policy: { rules: [{ match: "memory__delete_*", do: "deny" }] },
    })
    await hub.waitUp()
    for (const era of ERAS) {
      const client = await connect(`${hub.url}/mcp`, era)
      const read = await client.callTool({
        name: "files__read_text_file",
        arguments: { path: join(folder, "note.txt") },
      })
      expect(textOf(read)).toBe("written by hand")
      const entities = [{ name: `Ada ${era}`, entityType: "person", observations: ["counts"] }]
      expect((await client.callTool({ name: "memory__create_entities", arguments: { entities } })).isError).toBeFalsy()
      expect(textOf(await client.callTool({ name: "memory__read_graph", arguments: {} }))).toContain(`Ada ${era}`)
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names.filter(name => name.startsWith("memory__delete_"))).toEqual([])
      expect((await client.callTool({ name: "memory__delete_entities", arguments: { entityNames: [] } })).isError).toBe(
        true,
      )
    }
    expect(existsSync(join(folder, "memory.jsonl"))).toBe(true)
    const search = await (await fetch(`${hub.url}/api/search?q=read+a+text+file&limit=3`)).json()
    expect((search as { results: Json[] }).results.map(({ id }) => id)).toContain("files__read_text_file")
  })
})
