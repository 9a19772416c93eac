/** A script that does what a person must approve, whose client can't ask them: it decides by `resume`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, ASK, type CodeYard, deleting, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"

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

describe.each(ERAS)("a %s client that can't ask", era => {
  const open = (): Promise<Agent> => openAgent(yard.hub.url, era, { name: "plain" })

  it("N2 gets the waiting run: what is asked, what was done, and how to decide", async () => {
    const { execute, resume } = await open()
    const { status, isError, approvals, calls, more, text, runId } = await execute(deleting(7))
    expect({ status, isError }).toEqual({ status: "waiting", isError: false })
    expect(approvals).toMatchObject([
      {
        runId,
        tool: "notes__delete_note",
        args: { id: 7 },
        because: "policy.rules[0] says ask",
        done: [{ tool: "notes__list_notes", status: "ok" }],
      },
    ])
    expect(calls.at(-1)).toMatchObject({ tool: "notes__delete_note", status: "waiting" })
    expect(more).toContain(`resume with { runId: "${runId}", decision: "approve" | "always" | "deny" }`)
    expect(text).toContain('waits for approval of notes__delete_note with {"id":7}')
    expect(await deleted()).toBe(0)
    // Looked at again, it still waits.
    expect(await resume({ runId })).toMatchObject({ status: "waiting" })
    expect(await resume({ runId, decision: "approve" })).toMatchObject({ status: "completed", value: ["deleted"] })
    expect(await deleted()).toBe(1)
    expect(await resume({ runId })).toMatchObject({ status: "completed", value: ["deleted"] })
  })

  it("N2 may deny with a reason, which the script is told", async () => {
    const { execute, resume } = await open()
    const { runId } = await execute("await tools.notes.deleteNote({ id: 1 })")
    const { status, error } = await resume({ runId, decision: "deny", reason: "not on a Friday" })
    expect({ status, code: error?.code, line: error?.line }).toEqual({
      status: "failed",
      code: "approval_denied",
      line: 1,
    })
    expect(error?.message).toContain("not on a Friday")
    expect(await deleted()).toBe(0)
  })

  it("N2 decides call by call, or with always for all further calls of that tool in the run", async () => {
    const { execute, resume } = await open()
    const { runId } = await execute(deleting(1, 2, 3))
    expect(await resume({ runId, decision: "approve" })).toMatchObject({ status: "waiting" })
    expect(await deleted()).toBe(1)
    expect(await resume({ runId, decision: "always" })).toMatchObject({
      status: "completed",
      value: ["deleted", "deleted", "deleted"],
    })
  })

  it("N2 may cancel a run that waits: nothing waits any more, and nothing was done", async () => {
    const { execute, resume } = await open()
    const { runId } = await execute(deleting(99))
    expect(await waiting()).toContainEqual({ id: 99 })
    expect(await resume({ runId, cancel: true })).toMatchObject({ status: "cancelled", error: { code: "cancelled" } })
    await expect.poll(waiting).not.toContainEqual({ id: 99 })
    expect(await deleted()).toBe(0)
  })

  it("N2 is told when nothing waits for the decision that it brings", async () => {
    const { execute, call } = await open()
    const { runId } = await execute("1")
    expect(await call("resume", { runId, decision: "approve" })).toMatchObject({ code: "unknown_approval" })
  })
})

describe("a question that nobody decides", () => {
  it.each(ERAS)("N2 times out as approval_timeout in the script, which is no denial (%s)", async era => {
    const hub = await startHub(yard.config({ policy: { ...ASK, askTimeoutMs: 300 } }))
    await hub.waitUp()
    const { execute, resume } = await openAgent(hub.url, era)
    const { runId } = await execute(deleting(1))
    await expect.poll(async () => (await resume({ runId })).status, { timeout: 5_000 }).toBe("completed")
    expect(await resume({ runId })).toMatchObject({ value: ["approval_timeout"] })
    await hub.stop()
  })
})
