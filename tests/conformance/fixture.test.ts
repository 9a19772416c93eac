/** The suite itself can only reach the fixture over HTTP: what a hub sees of it over stdio is promised here. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Client, type ClientCapabilities, ProtocolError } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, describe, expect, it } from "vitest"

const FIXTURE = fileURLToPath(new URL("./fixture.mjs", import.meta.url))
const ALL: ClientCapabilities = { elicitation: {}, sampling: {}, roots: {} }
const open: Client[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map(client => client.close()))
})

/** A client that answers every question it says it can answer; the others it refuses. */
async function connect(era: "legacy" | "modern", refuse: string[] = []): Promise<Client> {
  const versionNegotiation = { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } as const
  const client = new Client({ name: "test", version: "1" }, { capabilities: ALL, versionNegotiation })
  const answer = <T>(method: string, result: T) => {
    if (refuse.includes(method)) throw new ProtocolError(-32601, `No ${method} here`)
    return result
  }
  client.setRequestHandler("elicitation/create", () =>
    answer("elicitation/create", { action: "accept" as const, content: { name: "Alice", ok: true, color: "blue" } }),
  )
  client.setRequestHandler("sampling/createMessage", () =>
    answer("sampling/createMessage", {
      role: "assistant" as const,
      content: { type: "text" as const, text: "Hello" },
      model: "test",
    }),
  )
  client.setRequestHandler("roots/list", () => answer("roots/list", { roots: [{ uri: "file:///test" }] }))
  open.push(client)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [FIXTURE, "--stdio", "--era", era] }),
  )
  return client
}

/** One request line to a fresh fixture over stdio, and its answer; then stdin is closed. */
async function exchange(era: string, request: object): Promise<{ answer: Record<string, unknown>; code: number }> {
  const child = spawn(process.execPath, [FIXTURE, "--stdio", "--era", era], { stdio: ["pipe", "pipe", "inherit"] })
  const exited = once(child, "exit")
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, ...request })}\n`)
  const [line] = await once(child.stdout.setEncoding("utf8"), "data")
  child.stdin.end()
  const [code] = await exited
  return { answer: JSON.parse(line), code }
}

const discover = {
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
}
const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
}

describe("the conformance fixture over stdio", () => {
  it("knows only the handshake when it is legacy, and ends with its stdin", async () => {
    expect(await exchange("legacy", discover)).toMatchObject({ answer: { id: 1, error: { code: -32601 } }, code: 0 })
    const { answer } = await exchange("legacy", initialize)
    expect(answer).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } })
  })

  it("knows only discovery when it is modern, and ends with its stdin", async () => {
    expect(await exchange("modern", discover)).toMatchObject({
      answer: { id: 1, result: { supportedVersions: expect.arrayContaining(["2026-07-28"]) } },
      code: 0,
    })
    expect(await exchange("modern", initialize)).toMatchObject({ answer: { id: 1, error: { code: -32022 } } })
  })

  it.each(["legacy", "modern"] as const)("gets an answer to every question it asks (%s)", async era => {
    const client = await connect(era)
    const { tools } = await client.listTools()
    const asking = tools.filter(tool => tool.name.startsWith("test_input_required_result_"))
    expect(asking).toHaveLength(8)
    for (const { name } of asking) {
      const result = await client.callTool({ name, arguments: {} })
      expect(result, name).toMatchObject({ content: [{ type: "text" }] })
      expect(result.isError, name).toBeFalsy()
    }
    const prompt = await client.getPrompt({ name: "test_input_required_result_prompt" })
    expect(prompt.messages).toHaveLength(1)
  })

  it("goes on when an older client refuses one of two questions", async () => {
    const client = await connect("legacy", ["elicitation/create"])
    const result = await client.callTool({ name: "test_input_required_result_capabilities", arguments: {} })
    expect(result.content).toEqual([{ type: "text", text: "1 of 2 questions were answered." }])
  })

  it("fails the call when an older client refuses the one question that matters", async () => {
    const client = await connect("legacy", ["sampling/createMessage"])
    const result = await client.callTool({ name: "test_missing_capability", arguments: {} })
    expect(result.isError).toBe(true)
  })
})
