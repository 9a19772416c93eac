/** What servers and clients say to each other during a call, through the hub, for every pairing of the two protocol eras. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BIN, type Hub, startHub, stopAll } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, type Era, textOf } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

const FIXTURE = fileURLToPath(new URL("../conformance/fixture.mjs", import.meta.url))
const UPSTREAMS = ["legacy-stdio", "modern-stdio", "legacy-http", "modern-http"]
const PAIRINGS = ERAS.flatMap(era => UPSTREAMS.map(server => [era, server] as const))

let hub: Hub
const fixtures: ChildProcess[] = []

beforeAll(async () => {
  const overHttp = async (era: Era): Promise<Json> => {
    const child = spawn(process.execPath, [FIXTURE, "--http", "--era", era], { stdio: ["ignore", "pipe", "inherit"] })
    fixtures.push(child)
    const [line] = await once(createInterface({ input: child.stdout }), "line")
    return { type: "http", url: (JSON.parse(line as string) as { url: string }).url }
  }
  const overStdio = (era: Era): Json => ({ command: process.execPath, args: [FIXTURE, "--stdio", "--era", era] })
  hub = await startHub({
    mcpServers: {
      "legacy-stdio": overStdio("legacy"),
      "modern-stdio": overStdio("modern"),
      "legacy-http": await overHttp("legacy"),
      "modern-http": await overHttp("modern"),
    },
  })
  await hub.waitUp()
})
afterAll(async () => {
  await closeClients()
  await stopAll()
  for (const child of fixtures) child.kill()
})

const at = (server: string): string => `${hub.url}/mcp/${server}`

describe.each(PAIRINGS)("a %s client of %s", (era, server) => {
  it("N8 is asked what the server wants to know of its user", async () => {
    const asked: Json[] = []
    const client = await connect(at(server), era, {
      elicit: params => {
        asked.push(params)
        return { username: "ada", email: "ada@example.com" }
      },
    })
    const result = await client.callTool({ name: "test_elicitation", arguments: { message: "Who are you?" } })
    expect(textOf(result)).toContain('"username":"ada"')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ message: "Who are you?", requestedSchema: { type: "object" } })
  })

  it("N8 is asked for a completion by its model", async () => {
    const client = await connect(at(server), era, { sample: params => `said ${JSON.stringify(params.maxTokens)}` })
    const result = await client.callTool({ name: "test_sampling", arguments: { prompt: "Say something" } })
    expect(textOf(result)).toBe("LLM response: said 100")
  })

  it("N8 is asked for its roots", async () => {
    const client = await connect(at(server), era, { roots: () => ["file:///home/ada/project"] })
    const result = await client.callTool({ name: "test_input_required_result_list_roots", arguments: {} })
    expect(textOf(result)).toBe("Roots: file:///home/ada/project")
  })

  it("N8 is asked three things at once, and one thing after another", async () => {
    const client = await connect(at(server), era, {
      elicit: () => ({ name: "Ada", color: "blue", ok: true }),
      sample: () => "Hello",
      roots: () => ["file:///one"],
    })
    const all = await client.callTool({ name: "test_input_required_result_multiple_inputs", arguments: {} })
    expect(textOf(all)).toBe("Hello Ada")
    const rounds = await client.callTool({ name: "test_input_required_result_multi_round", arguments: {} })
    expect(textOf(rounds)).toBe("Ada likes blue")
    const state = await client.callTool({ name: "test_input_required_result_request_state", arguments: {} })
    expect(textOf(state)).toBe("state-ok")
  })

  it("N8 is asked while it gets a prompt", async () => {
    const client = await connect(at(server), era, { elicit: () => ({ context: "the garden" }) })
    const { messages } = await client.getPrompt({ name: "test_input_required_result_prompt" })
    expect(messages[0]?.content).toMatchObject({ text: "Context: the garden" })
  })

  it("N8 that cannot answer is not asked, and learns why the call failed", async () => {
    const client = await connect(at(server), era)
    const call = client.callTool({ name: "test_elicitation", arguments: { message: "Who?" } })
    const outcome = await call.then(
      result => ({ isError: result.isError, said: textOf(result) }),
      (error: Error) => ({ isError: true, said: error.message }),
    )
    expect(outcome.isError).toBe(true)
    expect(outcome.said).toMatch(/elicitation/i)
  })

  it("N8 hears of progress with its own token", async () => {
    const client = await connect(at(server), era)
    const heard: number[] = []
    const result = await client.callTool(
      { name: "test_tool_with_progress", arguments: {} },
      { onprogress: ({ progress }) => void heard.push(progress) },
    )
    expect(result.isError).toBeFalsy()
    expect(heard).toEqual([0, 50, 100])
  })

  it("N8 is given the log messages it asked for, and none that it did not", async () => {
    const client = await connect(at(server), era)
    const heard: unknown[] = []
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data))
    const call = async (level: "info" | "error"): Promise<void> => {
      if (era === "legacy") await client.setLoggingLevel(level)
      const _meta = era === "modern" ? { "io.modelcontextprotocol/logLevel": level } : {}
      await client.callTool({ name: "test_tool_with_logging", arguments: {}, _meta })
    }
    await call("error")
    expect(heard).toEqual([])
    await call("info")
    expect(heard).toEqual(["Tool execution started", "Tool processing data", "Tool execution completed"])
  })
})

describe("the hub as a client's own child", () => {
  it.each(ERAS)("N8 a %s client over stdio is asked, and hears of progress", async era => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "stdio", "--config", hub.configFile],
    })
    const client = await connect(hub.url, era, { transport, elicit: () => ({ name: "Ada" }) })
    for (const server of UPSTREAMS) {
      const name = `${server}__test_input_required_result_elicitation`
      expect(textOf(await client.callTool({ name, arguments: {} })), server).toBe("Hello, Ada!")
      const heard: number[] = []
      await client.callTool(
        { name: `${server}__test_tool_with_progress`, arguments: {} },
        { onprogress: ({ progress }) => void heard.push(progress) },
      )
      expect(heard, server).toEqual([0, 50, 100])
    }
  })
})

describe("all servers at one address", () => {
  it.each(ERAS)("N8 a %s client is asked by whichever server it calls", async era => {
    const client = await connect(`${hub.url}/mcp/all`, era, { elicit: () => ({ name: "Ada" }) })
    for (const server of UPSTREAMS) {
      const name = `${server}__test_input_required_result_elicitation`
      expect(textOf(await client.callTool({ name, arguments: {} })), server).toBe("Hello, Ada!")
    }
  })

  it.each(ERAS)("N9 a %s client gets every server's prompts under names of their own", async era => {
    const client = await connect(`${hub.url}/mcp/all`, era)
    const { prompts } = await client.listPrompts()
    expect(prompts).toHaveLength(20)
    expect(new Set(prompts.map(prompt => prompt.name)).size).toBe(20)
    for (const server of UPSTREAMS) {
      const name = `${server}__test_prompt_with_arguments`
      const { messages } = await client.getPrompt({ name, arguments: { arg1: "x", arg2: server } })
      expect(messages[0]?.content).toMatchObject({ text: `Prompt with arguments: arg1='x', arg2='${server}'` })
    }
    await expect(client.getPrompt({ name: "test_simple_prompt" })).rejects.toMatchObject({ code: -32602 })
  })

  it.each(ERAS)("N9 a %s client reads by template and completes names and URIs", async era => {
    const client = await connect(`${hub.url}/mcp/all`, era)
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(template => template.uriTemplate)).toEqual(["test://template/{id}/data"])
    const { contents } = await client.readResource({ uri: "test://template/42/data" })
    expect(contents[0]).toMatchObject({ uri: "test://template/42/data", mimeType: "application/json" })
    expect((contents[0] as { text: string }).text).toContain("Data for ID: 42")
    const argument = { name: "arg1", value: "par" }
    const values = ["paris", "park", "party"]
    const prompt = { type: "ref/prompt" as const, name: "modern-http__test_prompt_with_arguments" }
    expect((await client.complete({ ref: prompt, argument })).completion.values).toEqual(values)
    const template = { type: "ref/resource" as const, uri: "test://template/{id}/data" }
    expect((await client.complete({ ref: template, argument })).completion.values).toEqual(values)
  })

  it.each(ERAS)("N9 a %s client reads texts and bytes, and learns what is not there", async era => {
    const client = await connect(`${hub.url}/mcp/all`, era)
    const uris = (await client.listResources()).resources.map(resource => resource.uri)
    expect(uris).toEqual(["test://static-text", "test://static-binary", "test://watched-resource"])
    const { contents } = await client.readResource({ uri: "test://static-binary" })
    expect((contents[0] as { blob: string }).blob).toMatch(/^iVBORw0KGgo/)
    const code = era === "modern" ? -32602 : -32002
    await expect(client.readResource({ uri: "test://nowhere" })).rejects.toMatchObject({ code })
  })
})
