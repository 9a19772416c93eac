/** A script that does what a person must approve, who is asked in the client of either era. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, ASK, type CodeYard, deleting, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"
import type { Json } from "./mcp-stage.ts"

let yard: CodeYard
beforeAll(async () => {
  yard = await openCodeYard({ policy: ASK })
})
afterEach(async () => {
  await closeClients()
  await yard.called()
})
afterAll(async () => {
  await yard.close()
  await stopAll()
})

const deleted = async (): Promise<number> => (await yard.called()).filter(name => name === "delete_note").length
/** The arguments of the calls that wait, of every run. */
async function waiting(): Promise<unknown[]> {
  const response = await fetch(`${yard.hub.url}/api/approvals`)
  return ((await response.json()) as { approvals: { args: unknown }[] }).approvals.map(({ args }) => args)
}

describe.each(ERAS)("a %s client that can ask its user", era => {
  /** A client whose user gives these answers in turn, the last one again and again. */
  async function personAt(...answers: Json[]): Promise<Agent & { asked: Json[] }> {
    const asked: Json[] = []
    const user = (params: Json): Json => {
      asked.push(params)
      return answers[Math.min(asked.length, answers.length) - 1] as Json
    }
    return { ...(await openAgent(yard.hub.url, era, { name: "editor", user })), asked }
  }
  const accept = (decision: string, reason?: string): Json => ({
    action: "accept",
    content: { decision, ...(reason !== undefined && { reason }) },
  })

  it("N2 shows tool, arguments and what the run has done, and the run goes on once they approve", async () => {
    const { execute, asked } = await personAt(accept("approve"))
    const { status, value, calls, runId } = await execute(deleting(7))
    expect({ status, value }).toEqual({ status: "completed", value: ["deleted"] })
    expect(calls.map(({ tool, status: how }) => [tool, how])).toEqual([
      ["notes__list_notes", "ok"],
      ["notes__delete_note", "ok"],
    ])
    expect(asked).toHaveLength(1)
    const message = asked[0]?.message as string
    expect(message).toContain(
      `Run ${runId} of mcp (editor) wants to call notes__delete_note (policy.rules[0] says ask).`,
    )
    expect(message).toContain('"id": 7')
    expect(message).toContain("So far the run has called:\n- notes__list_notes: ok")
    expect(await deleted()).toBe(1)
  })

  it.each<[string, Json, string]>([
    ["declines", { action: "decline" }, "denied"],
    ["denies it", accept("deny", "keep them"), "keep them"],
  ])(
    "N2 gets approval_denied in the script when its user %s, and the server hears nothing",
    async (_how, answer, why) => {
      const { execute } = await personAt(answer)
      const { status, value, calls } = await execute(deleting(1))
      expect({ status, value }).toEqual({ status: "completed", value: ["approval_denied"] })
      expect(calls.at(-1)).toMatchObject({ status: "error", error: { code: "approval_denied" } })
      expect(calls.at(-1)?.error?.message).toContain(why)
      expect(await deleted()).toBe(0)
    },
  )

  it("N2 is asked for each call, until its user says always", async () => {
    const { execute, asked } = await personAt(accept("approve"), accept("always"))
    expect((await execute(deleting(1, 2, 3, 4))).value).toEqual(["deleted", "deleted", "deleted", "deleted"])
    expect(asked).toHaveLength(2)
    expect(await deleted()).toBe(4)
    // For that run only.
    expect((await execute(deleting(5))).value).toEqual(["deleted"])
    expect(asked).toHaveLength(3)
  })

  it("N2 is asked about each of several calls at once", async () => {
    const { execute, asked } = await personAt(accept("approve"), accept("deny"), accept("approve"))
    const { value } = await execute(
      "(await Promise.allSettled([1, 2, 3].map(id => tools.notes.deleteNote({ id })))).map(one => one.status).sort()",
    )
    expect(value).toEqual(["fulfilled", "fulfilled", "rejected"])
    expect(asked).toHaveLength(3)
    expect(await deleted()).toBe(2)
  })

  it("N2 gets the waiting run back when its user puts the question away, which decides nothing", async () => {
    const { execute, resume } = await personAt({ action: "cancel" })
    const { status, approvals, runId } = await execute(deleting(1))
    expect({ status, tools: approvals?.map(({ tool }) => tool) }).toEqual({
      status: "waiting",
      tools: ["notes__delete_note"],
    })
    expect(await resume({ runId, decision: "approve" })).toMatchObject({ status: "completed", value: ["deleted"] })
  })

  it("N2 may be asked longer than it wanted to wait: the answer counts all the same", async () => {
    const { promise: decided, resolve: decide } = Promise.withResolvers<Json>()
    const { promise: asked, resolve: hear } = Promise.withResolvers<void>()
    const user = (): Promise<Json> => {
      hear()
      return decided
    }
    const own = await openAgent(yard.hub.url, era, { user })
    const other = await openAgent(yard.hub.url, era)
    const executing = own.execute({ code: deleting(97), background: 100 })
    await asked
    const { runs } = (await (await fetch(`${yard.hub.url}/api/runs?limit=1`)).json()) as { runs: { runId: string }[] }
    const [{ runId }] = runs as [{ runId: string }]
    // Somebody else who looks is not kept waiting by it.
    await expect.poll(async () => (await other.resume({ runId, waitMs: 0 })).status).toBe("waiting")
    decide(accept("approve"))
    expect(["waiting", "running", "completed"]).toContain((await executing).status)
    await expect.poll(async () => (await own.resume({ runId })).value).toEqual(["deleted"])
  })

  it("N2 asks nobody about a script that is wrong, or about arguments that are", async () => {
    const { execute, asked } = await personAt(accept("approve"))
    expect(await execute("await tools.notes.deleteNote({ id: 'x' })")).toMatchObject({ error: { code: "type_error" } })
    const unchecked = { code: "await tools.notes.deleteNote({ id: 'x' })", check: false }
    expect(await execute(unchecked)).toMatchObject({ error: { code: "invalid_arguments" } })
    expect(asked).toEqual([])
  })
})

describe("a run that somebody else looks at", () => {
  it.each(ERAS)("N2 stays with the client that waits for it, whose user is asked (%s)", async era => {
    const { promise: opened, resolve: open } = Promise.withResolvers<Json>()
    const gate = yard.stage.entry({ tools: [{ name: "wait", inputSchema: {} }], on: { "tools/call": () => opened } })
    const hub = await startHub({ ...yard.config(), mcpServers: { ...yard.entries, gate } })
    await hub.waitUp()
    const user = (): Json => ({ action: "accept", content: { decision: "approve" } })
    const own = await openAgent(hub.url, era, { user })
    const executing = own.execute("await tools.gate.wait({})\nreturn await tools.notes.deleteNote({ id: 1 })")
    const waits = await yard.stage.puppet(gate)
    await waits.seen(({ method }) => method === "tools/call")
    const { runs } = (await (await fetch(`${hub.url}/api/runs`)).json()) as { runs: [{ runId: string }] }
    const other = await openAgent(hub.url, era)
    expect(await other.resume({ runId: runs[0].runId, waitMs: 0 })).toMatchObject({ status: "running" })
    open({ content: [] })
    expect(await executing).toMatchObject({ status: "completed", value: "deleted" })
    await hub.stop()
  })
})

describe("a legacy client that leaves while its user is asked", () => {
  it("N2 ends the run when it cancels the request, and the question is gone", async () => {
    const ending = new AbortController()
    const user = (): Promise<Json> => {
      ending.abort()
      return new Promise(() => {})
    }
    const { execute } = await openAgent(yard.hub.url, "legacy", { user })
    await expect(execute(deleting(98), { signal: ending.signal })).rejects.toThrow()
    await expect.poll(waiting).not.toContainEqual({ id: 98 })
    expect(await deleted()).toBe(0)
  })
})
