/** Calls that a person must approve, through the hub as built: asked in the client of either era, decided anywhere. */
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Approvals, createApprovals } from "../../packages/toolyard/src/policy/approvals.ts"
import { openState } from "../../packages/toolyard/src/state/open.ts"
import { type Hub, startHub, stopAll, until } from "../fixtures/hub.ts"
import { closeClients, connect, ERAS, type Era, textOf } from "./mcp-clients.ts"
import { type Json, openStage, type Stage, text } from "./mcp-stage.ts"
import { modern, openSession, request } from "./mcp-wire.ts"

const TOOL: Json = {
  name: "delete",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}
const ARGS = { path: "notes.txt" }

let stage: Stage
let hub: Hub
let entry: Json
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  stage = await openStage()
  entry = stage.entry({ tools: [TOOL], on: { "tools/call": () => text("deleted") } })
  hub = await startHub(config())
  await hub.waitUp()
})
afterEach(async () => {
  await closeClients()
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await stopAll()
  await stage.close()
})

const config = (): object => ({ mcpServers: { files: entry }, policy: { rules: [{ match: "files__*", do: "ask" }] } })
const at = (): string => `${hub.url}/mcp/files`
const calls = async (): Promise<number> =>
  (await stage.puppet(entry)).received.filter(({ method }) => method === "tools/call").length

/** The approvals of a hub's state as another process on it has them. */
async function approvalsOf({ folder }: Hub): Promise<Approvals> {
  const state = await openState(join(folder, ".toolyard"), problem => expect.unreachable(problem))
  const approvals = createApprovals({ store: state.store, bus: state.bus, timeoutMs: 60_000 })
  closing.push(async () => {
    await approvals.close()
    await state.close()
  })
  return approvals
}

async function onlyQuestion(approvals: Approvals) {
  await until(async () => (await approvals.list()).length === 1, "one question")
  return (await approvals.list())[0]!
}

interface Answer {
  action: "accept" | "decline" | "cancel"
  content?: Record<string, string>
}

/** A client whose user gives this answer. */
async function personAt(era: Era, name: string, answer: Answer) {
  const client = await connect(at(), era, { name, capabilities: { elicitation: {} } })
  const asked: Json[] = []
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params as Json)
    return { ...answer }
  })
  const call = async (args: Json = ARGS) => {
    const result = await client.callTool({ name: "delete", arguments: args })
    const error = (result._meta as Json | undefined)?.["toolyard/error"] as { code: string } | undefined
    return { said: textOf(result), code: error?.code }
  }
  return { asked, call }
}

describe.each(ERAS)("a %s client that can ask its user", era => {
  it("N2 shows the call to its user, and gets the result once they approve", async () => {
    const before = await calls()
    const { asked, call } = await personAt(era, "editor", { action: "accept", content: { decision: "approve" } })
    expect(await call()).toEqual({ said: "deleted", code: undefined })
    expect(asked).toHaveLength(1)
    expect(asked[0]?.message).toContain("mcp (editor) wants to call files__delete (policy.rules[0] says ask)")
    expect(asked[0]?.message).toContain('"path": "notes.txt"')
    expect(await calls()).toBe(before + 1)
  })

  it.each<[string, Answer, string]>([
    ["denies it", { action: "accept", content: { decision: "deny", reason: "keep it" } }, "by the user of e: keep it"],
    ["declines", { action: "decline" }, "denied by the user of e"],
    ["dismisses the question", { action: "cancel" }, "the question was dismissed"],
  ])("N2 gets a denial that says why when its user %s, and the server hears nothing", async (_how, answer, why) => {
    const before = await calls()
    const { call } = await personAt(era, "e", answer)
    const { said, code } = await call()
    expect(code).toBe("approval_denied")
    expect(said).toContain(why)
    expect(await calls()).toBe(before)
  })

  it("is asked again the next time, unless its user said always", async () => {
    const once = await personAt(era, `once-${era}`, { action: "accept", content: { decision: "approve" } })
    await once.call()
    await once.call()
    expect(once.asked).toHaveLength(2)
    const always = await personAt(era, `always-${era}`, { action: "accept", content: { decision: "always" } })
    await always.call()
    expect(await always.call()).toEqual({ said: "deleted", code: undefined })
    expect(always.asked).toHaveLength(1)
  })

  it("asks nobody about arguments that are wrong anyway", async () => {
    const { asked, call } = await personAt(era, "editor", { action: "accept", content: { decision: "approve" } })
    expect((await call({ path: 5 })).code).toBe("invalid_arguments")
    expect(asked).toEqual([])
  })
})

describe("a modern client, by hand", () => {
  it("N2 is given the question as a result, and comes back with the answer", async () => {
    const params = {
      name: "delete",
      arguments: ARGS,
      _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } },
    }
    const { result } = (await modern(at(), "tools/call", params)).answer
    expect(result?.resultType).toBe("input_required")
    const [[key, question]] = Object.entries(result?.inputRequests as Json) as [[string, Json]]
    expect(question).toMatchObject({ method: "elicitation/create", params: { requestedSchema: { type: "object" } } })
    const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } }
    const { answer } = await modern(at(), "tools/call", {
      ...params,
      inputResponses,
      requestState: result?.requestState,
    })
    expect(answer.result).toMatchObject({ ...text("deleted"), resultType: "complete" })
  })
})

describe.each(ERAS)("a %s client that can't ask", era => {
  it.each([
    ["approve", { said: "deleted" }],
    ["deny", { code: "approval_denied" }],
  ] as const)("N2 waits for a decision from another process (%s)", async (decision, expected) => {
    const approvals = await approvalsOf(hub)
    const client = await connect(at(), era, { name: "plain" })
    const calling = client.callTool({ name: "delete", arguments: ARGS })
    const question = await onlyQuestion(approvals)
    expect(question).toMatchObject({ tool: "files__delete", args: ARGS, caller: "mcp (plain)", done: [] })
    await approvals.decide(question.id, decision, { by: "ada" })
    const result = await calling
    const error = (result._meta as Json | undefined)?.["toolyard/error"] as { code: string } | undefined
    expect({ said: textOf(result), code: error?.code }).toMatchObject(expected)
    expect(await approvals.list()).toEqual([])
  })
})

describe("a question", () => {
  it("N2 is taken back from the client when another process decides it", async () => {
    const approvals = await approvalsOf(hub)
    const session = await openSession(at(), { capabilities: { elicitation: {} } })
    const calling = session.request("tools/call", { name: "delete", arguments: ARGS })
    const { id } = await onlyQuestion(approvals)
    await approvals.decide(id, "approve", { by: "ada" })
    const { messages, answer } = await calling
    const asked = messages.find(({ method }) => method === "elicitation/create")
    expect(messages).toContainEqual(
      expect.objectContaining({ method: "notifications/cancelled", params: { requestId: asked?.id } }),
    )
    expect(answer.result).toMatchObject(text("deleted"))
  })

  it("N2 ends with the call when the client cancels it, which is no denial", async () => {
    const approvals = await approvalsOf(hub)
    const session = await openSession(at(), { capabilities: { elicitation: {} } })
    const calling = session.post(request("tools/call", { name: "delete", arguments: ARGS }, "mine"))
    const { id } = await onlyQuestion(approvals)
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "mine" } })
    expect((await calling).answer.error).toMatchObject({ data: { code: "cancelled" } })
    expect(await approvals.list()).toEqual([])
    await expect(approvals.decide(id, "approve", { by: "ada" })).rejects.toThrow("the call was given up")
  })

  it("of a direct call is gone when its hub was killed and started again", async () => {
    const killed = await startHub(config())
    await killed.waitUp()
    const approvals = await approvalsOf(killed)
    const session = await openSession(`${killed.url}/mcp/files`)
    const calling = session.request("tools/call", { name: "delete", arguments: ARGS }).catch(() => "broken off")
    const { id } = await onlyQuestion(approvals)
    await killed.kill("SIGKILL")
    expect(await calling).toBe("broken off")
    await startHub(config(), { folder: killed.folder })
    await until(async () => (await approvals.list()).length === 0, "the question to go")
    await expect(approvals.decide(id, "approve", { by: "ada" })).rejects.toMatchObject({ code: "unknown_approval" })
  })
})
