/** What changes at a server is told to the clients that can see it, and to no others. */
import type { Client } from "@modelcontextprotocol/client"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, type Era } from "./mcp-clients.ts"
import { type Json, openStage, type Stage } from "./mcp-stage.ts"

const tool = (name: string): Json => ({ name, inputSchema: { type: "object" } })
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
}
const UPSTREAMS: Era[] = ERAS
const PAIRINGS = ERAS.flatMap(client => UPSTREAMS.map(server => [client, server] as const))

let stage: Stage
let hub: Hub
const entries: Record<string, Json> = {}
/** What each server offers at the moment. */
const offers: Record<string, { tools: Json[]; prompts: Json[]; resources: Json[] }> = {}

function define(name: string, era: Era): void {
  const offer = { tools: [tool("first")], prompts: [], resources: [{ uri: "test://a", name: "a" }] }
  offers[name] = offer
  const complete = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}
  entries[name] = stage.entry({
    era,
    capabilities: CAPABILITIES,
    on: {
      "tools/list": () => ({ ...complete, tools: offer.tools }),
      "prompts/list": () => ({ ...complete, prompts: offer.prompts }),
      "resources/list": () => ({ ...complete, resources: offer.resources }),
      "resources/templates/list": () => ({ ...complete, resourceTemplates: [] }),
      "resources/subscribe": () => ({}),
      "resources/unsubscribe": () => ({}),
      "subscriptions/listen": ({ notifications }, puppet, { id }) => {
        const _meta = { "io.modelcontextprotocol/subscriptionId": id }
        const params = { notifications, _meta }
        puppet.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params })
      },
    },
  })
}

beforeAll(async () => {
  stage = await openStage()
  for (const name of ["legacy", "modern"] as const) define(name, name)
  define("other", "legacy")
  hub = await startHub({ mcpServers: entries })
  await hub.waitUp()
})
afterEach(closeClients)
afterAll(async () => {
  await stopAll()
  await stage.close()
})

interface Listener {
  client: Client
  heard: string[]
}

/** A client that listens for everything at its address. */
async function listen(era: Era, at: string, uris: string[] = []): Promise<Listener> {
  const client = await connect(`${hub.url}/mcp/${at}`, era)
  const heard: string[] = []
  for (const list of ["tools", "prompts", "resources"] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => void heard.push(list))
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri))
  if (era === "legacy") for (const uri of uris) await client.subscribeResource({ uri })
  else {
    await client.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    })
  }
  return { client, heard }
}

async function say(server: string, method: string, params: Json = {}): Promise<void> {
  const puppet = await stage.puppet(entries[server] as Json)
  // A modern server says it on the stream that the hub opened last.
  const stream = puppet.received.filter(message => message.method === "subscriptions/listen").at(-1)
  const _meta = stream ? { "io.modelcontextprotocol/subscriptionId": stream.id } : undefined
  puppet.send({ jsonrpc: "2.0", method, params: { ...params, ...(_meta && { _meta }) } })
}

describe.each(PAIRINGS)("a %s client of a %s server", (era, server) => {
  it("C6 is told of a tool that came and of one that went, and so is nobody elsewhere", async () => {
    const offer = offers[server]!
    const here = await listen(era, server)
    const all = await listen(era, "all")
    const elsewhere = await listen(era, "other")
    const names = async (): Promise<string[]> => (await here.client.listTools()).tools.map(({ name }) => name)
    expect(await names()).toEqual(["first"])

    offer.tools.push(tool("late"))
    await say(server, "notifications/tools/list_changed")
    await until(() => here.heard.includes("tools") && all.heard.includes("tools"), "both to be told")
    expect(await names()).toEqual(["first", "late"])
    const ids = (await all.client.listTools()).tools.map(({ name }) => name)
    expect(ids.filter(id => id.startsWith(`${server}__`))).toEqual([`${server}__first`, `${server}__late`])

    here.heard.length = 0
    offer.tools.pop()
    await say(server, "notifications/tools/list_changed")
    await until(() => here.heard.includes("tools"), "the client to be told of the removal")
    expect(await names()).toEqual(["first"])
    expect(elsewhere.heard).toEqual([])
    expect(here.heard).not.toContain("prompts")
  })

  it("N8 is told of prompts and resources, each by its own name", async () => {
    const offer = offers[server]!
    const here = await listen(era, server)
    offer.prompts.push({ name: "greet" })
    await say(server, "notifications/prompts/list_changed")
    await until(() => here.heard.includes("prompts"), "the client to be told of prompts")
    expect((await here.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"])
    offer.resources.push({ uri: "test://b", name: "b" })
    await say(server, "notifications/resources/list_changed")
    await until(() => here.heard.includes("resources"), "the client to be told of resources")
    offer.prompts.pop()
    offer.resources.pop()
    await say(server, "notifications/prompts/list_changed")
    await say(server, "notifications/resources/list_changed")
    await until(() => here.heard.length >= 4, "the client to be told of what went")
  })

  it("N8 is told of updates of the resources it subscribed to, and no others", async () => {
    const [ada, bob] = [await listen(era, server, ["test://a"]), await listen(era, server)]
    const puppet = await stage.puppet(entries[server] as Json)
    const wants = (message: { method?: string; params: Json }): boolean =>
      (message.method === "resources/subscribe" && message.params.uri === "test://a") ||
      JSON.stringify(message.params.notifications ?? {}).includes("test://a")
    await puppet.seen(wants)
    await say(server, "notifications/resources/updated", { uri: "test://other" })
    await say(server, "notifications/resources/updated", { uri: "test://a" })
    await until(() => ada.heard.length > 0, "the subscriber to be told")
    expect(ada.heard).toEqual(["test://a"])
    expect(bob.heard).toEqual([])
  })
})

describe("log messages that belong to no call", () => {
  it("N8 reach each session from the level on that it asked for", async () => {
    const puppet = await stage.puppet(entries.legacy as Json)
    const heard: Record<string, unknown[]> = { debug: [], error: [] }
    for (const level of ["debug", "error"] as const) {
      const client = await connect(`${hub.url}/mcp/legacy`, "legacy")
      client.setNotificationHandler("notifications/message", ({ params }) => void heard[level]!.push(params.data))
      await client.setLoggingLevel(level)
    }
    // The server is asked for the most that anybody wants.
    await puppet.seen(({ method, params }) => method === "logging/setLevel" && params.level === "debug")
    for (const level of ["debug", "warning", "error", "emergency"])
      puppet.send({ jsonrpc: "2.0", method: "notifications/message", params: { level, data: level } })
    await until(
      () => heard.debug!.length === 4 && heard.error!.length === 2,
      () => JSON.stringify(heard),
    )
    expect(heard).toEqual({ debug: ["debug", "warning", "error", "emergency"], error: ["error", "emergency"] })
  })
})

describe("an edited entry", () => {
  it("N8 keeps the subscriptions of clients: the server that takes its place is told of them", async () => {
    define("edited", "legacy")
    const own = await startHub({ mcpServers: { edited: entries.edited } })
    await own.waitUp()
    const client = await connect(`${own.url}/mcp/edited`, "legacy")
    const heard: string[] = []
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri))
    await client.subscribeResource({ uri: "test://a" })
    own.configure({ mcpServers: { edited: { ...entries.edited, timeoutMs: 30_000 } } })
    const next = await stage.puppet(entries.edited as Json, 1)
    await next.seen(({ method }) => method === "resources/subscribe")
    next.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "test://a" } })
    await until(() => heard.length > 0, "the subscriber to be told")
    expect(heard).toEqual(["test://a"])
  })
})

describe("the configuration", () => {
  it("C6 an added server's tools appear in the same place in every hub, and clients are told", async () => {
    const late = stage.entry({ tools: [tool("x"), tool("y")] })
    const config = { mcpServers: { a: stage.entry({ tools: [tool("z")] }), b: stage.entry({ tools: [tool("w")] }) } }
    const other = await startHub(config)
    await other.waitUp()
    const client = await connect(`${other.url}/mcp`, "legacy")
    let told = false
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      told = true
    })
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names()).toEqual(["a__z", "b__w"])
    const grown = { mcpServers: { ...config.mcpServers, late } }
    other.configure(grown)
    await until(async () => told && (await names()).length === 4, "the new server's tools")
    expect(await names()).toEqual(["a__z", "b__w", "late__x", "late__y"])
    await client.close()

    const again = await startHub(grown)
    await again.waitUp()
    const second = await connect(`${again.url}/mcp`, "modern")
    expect((await second.listTools()).tools.map(({ name }) => name)).toEqual(["a__z", "b__w", "late__x", "late__y"])
  })
})
