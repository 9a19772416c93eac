import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { AskMethod } from "../model/mcp.ts"
import type { Approval } from "../model/run.ts"
import { openState } from "../state/open.ts"
import type { State } from "../state/types.ts"
import type { ApprovalQuestion, Ending } from "./approval-question.ts"
import { type Approvals, type AskOptions, createApprovals } from "./approvals.ts"

const CALLER: Caller = { surface: "mcp", client: "editor", session: "s1", principal: "local" }
const DIRECT: ApprovalQuestion = { tool: "files__delete", args: { path: "a" }, because: "rule 1 says ask", done: [] }
const ofRun = (callId: number, more: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  ...DIRECT,
  runId: "run1",
  callId,
  done: [{ tool: "files__list", status: "ok" }],
  ...more,
})

/** A caller whose person answers as the test says. */
class PersonCall extends Call {
  readonly asked: JsonObject[] = []
  readonly said: [string, JsonObject | undefined][] = []
  withdrawn = 0
  readonly #answer: ((params: JsonObject) => JsonObject | Promise<JsonObject>) | undefined

  /** Without an answer, the person never gives one. */
  constructor(answer?: (params: JsonObject) => JsonObject | Promise<JsonObject>, elicitation: JsonObject = {}) {
    super(CALLER, { elicitation })
    this.#answer = answer
  }

  override ask(_method: AskMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    this.asked.push(params)
    if (this.#answer) return Promise.resolve(this.#answer(params))
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        this.withdrawn++
        reject(new YardError("cancelled", "withdrawn"))
      }),
    )
  }
  override progress(params: JsonObject): void {
    this.said.push(["progress", params])
  }
  override notify(method: string, params: JsonObject | undefined): void {
    this.said.push([method, params])
  }
}

let folder: string
const hubs = new Set<{ state: State; approvals: Approvals }>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-approvals-"))
})
afterEach(async () => {
  vi.useRealTimers()
  for (const hub of [...hubs]) await stop(hub)
  await rm(folder, { recursive: true })
})

/** A hub of its own on the folder that all share: as another process would be, it shares the files and no more. */
async function openHub(timeoutMs = 60_000) {
  const state = await openState(folder, problem => expect.unreachable(problem))
  const hub = { state, approvals: createApprovals({ store: state.store, bus: state.bus, timeoutMs }) }
  hubs.add(hub)
  return hub
}

async function stop(hub: { state: State; approvals: Approvals }): Promise<void> {
  if (!hubs.delete(hub)) return
  await hub.approvals.close()
  await hub.state.close()
}

/** Asks, and gives the question once it waits, and how it went. */
async function ask(approvals: Approvals, question: ApprovalQuestion, call = new Call(CALLER), options?: AskOptions) {
  const waiting = Promise.withResolvers<Approval>()
  const result = approvals.request(question, call, { ...options, onWaiting: waiting.resolve }).then(
    () => "approved" as const,
    (error: unknown) => error as YardError,
  )
  void result.then(() => waiting.reject(new Error("it did not wait")))
  return { approval: await waiting.promise, result }
}

const settled = (approvals: Approvals, question: ApprovalQuestion, call: Call) =>
  approvals.request(question, call).then(
    () => "approved" as const,
    (error: unknown) => error as YardError,
  )

describe("a question", () => {
  it("N2 shows tool, arguments, reason, caller and what the run has done, until it is decided", async () => {
    const { approvals } = await openHub()
    const { approval, result } = await ask(approvals, ofRun(3))
    expect(approval).toEqual({
      ...{ tool: "files__delete", args: { path: "a" }, because: "rule 1 says ask", runId: "run1" },
      ...{ done: [{ tool: "files__list", status: "ok" }], caller: "mcp (editor)" },
      id: expect.stringMatching(/^[0-9a-z]{8}$/),
      askedAt: expect.any(String),
      expiresAt: new Date(Date.parse(approval.askedAt) + 60_000).toISOString(),
    })
    expect(await approvals.list()).toEqual([approval])
    expect(await approvals.get(approval.id)).toEqual(approval)
    expect(await approvals.decide(approval.id, "approve", { by: "ada" })).toEqual([approval])
    expect(await result).toBe("approved")
    expect(await approvals.list()).toEqual([])
    expect(await approvals.get(approval.id)).toBeUndefined()
  })

  it("N2 that is denied, runs out of time or is cancelled ends in three different errors", async () => {
    const { approvals } = await openHub()
    const denied = await ask(approvals, DIRECT)
    await approvals.decide(denied.approval.id, "deny", { by: "ada", reason: "not on a Friday" })
    expect(await denied.result).toMatchObject({
      code: "approval_denied",
      message: "files__delete was denied by ada: not on a Friday",
    })

    const call = new Call(CALLER)
    const cancelled = await ask(approvals, DIRECT, call)
    call.abort(new YardError("cancelled", "the client left"))
    expect(await cancelled.result).toMatchObject({ code: "cancelled", message: "the client left" })

    const { approvals: hasty } = await openHub(20)
    const late = await ask(hasty, DIRECT)
    expect(await late.result).toMatchObject({
      code: "approval_timeout",
      message: "files__delete was not approved: nobody decided within 20 ms",
    })

    expect(await approvals.list()).toEqual([])
    const decide = (id: string) => approvals.decide(id, "approve", { by: "bob" })
    await expect(decide(late.approval.id)).rejects.toThrow("nobody decided in time")
    await expect(decide(cancelled.approval.id)).rejects.toThrow("the call was given up")
    await expect(decide(denied.approval.id)).rejects.toThrow("denied by ada (not on a Friday)")
    await expect(decide("nothing")).rejects.toMatchObject({ code: "unknown_approval" })
  })

  it("is decided by the first, and tells the second how", async () => {
    const [one, two] = [await openHub(), await openHub()]
    const { approval, result } = await ask(one.approvals, DIRECT)
    const answers = await Promise.allSettled([
      one.approvals.decide(approval.id, "deny", { by: "ada" }),
      two.approvals.decide(approval.id, "approve", { by: "bob" }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
    expect(answers[1]).toMatchObject({
      reason: { code: "unknown_approval", message: expect.stringContaining("decided already: denied by ada") },
    })
    expect(await result).toMatchObject({ code: "approval_denied" })
  })

  it("is not asked for a call that has been cancelled before", async () => {
    const { approvals } = await openHub()
    const call = new PersonCall()
    call.abort(new YardError("cancelled", "the client left"))
    expect(await settled(approvals, DIRECT, call)).toMatchObject({ code: "cancelled" })
    expect(call.asked).toEqual([])
  })

  it("keeps its arguments no longer than it is open", async () => {
    const { approvals, state } = await openHub()
    const { approval, result } = await ask(approvals, { ...DIRECT, args: { token: "hunter2" } })
    await approvals.decide(approval.id, "always", { by: "ada" })
    await result
    const kept = ["approvals", "approval-endings", "approval-grants", "approval-owners"].map(ns =>
      state.store.entries(ns),
    )
    expect(JSON.stringify(await Promise.all(kept))).not.toContain("hunter2")
  })

  it("is told of when it is asked and when it is decided", async () => {
    const { approvals } = await openHub()
    const asked = new Promise<Approval>(resolve => approvals.on("asked", resolve))
    const decided = new Promise<Ending>(resolve => approvals.on("decided", resolve))
    const { approval, result } = await ask(approvals, DIRECT)
    expect(await asked).toEqual(approval)
    await approvals.decide(approval.id, "approve", { by: "ada" })
    expect(await decided).toMatchObject({ id: approval.id, outcome: "approve", by: "ada" })
    expect(await result).toBe("approved")
  })
})

describe("the caller's own client", () => {
  const answering = (action: string, content?: JsonObject) => new PersonCall(() => ({ action, content }))

  it("N2 is asked by a form that shows tool, arguments and what the run has done", async () => {
    const { approvals } = await openHub()
    const call = answering("accept", { decision: "approve" })
    expect(await settled(approvals, ofRun(1), call)).toBe("approved")
    const [{ message, requestedSchema }] = call.asked as [{ message: string; requestedSchema: JsonObject }]
    for (const part of ["files__delete", '"path": "a"', "rule 1 says ask", "run1", "- files__list: ok"])
      expect(message).toContain(part)
    expect(requestedSchema).toMatchObject({
      properties: { decision: { enum: ["approve", "always", "deny"] }, reason: { type: "string" } },
      required: ["decision"],
    })
  })

  it.each([
    ["says deny", "accept", { decision: "deny", reason: "no!" }, "denied by the user of editor: no!"],
    ["declines", "decline", undefined, "denied by the user of editor"],
    ["dismisses it", "cancel", undefined, "the question was dismissed"],
    ["accepts without a decision", "accept", {}, "without a decision"],
    ["accepts with what was not offered", "accept", { decision: "yes" }, "without a decision"],
  ])("denies a direct call when the person %s", async (_how, action, content, message) => {
    const { approvals } = await openHub()
    expect(await settled(approvals, DIRECT, answering(action, content))).toMatchObject({
      code: "approval_denied",
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ["dismissed the form", () => ({ action: "cancel" })],
    ["failed", () => Promise.reject(new YardError("upstream_error", "boom"))],
    ["cannot be asked after all", () => Promise.reject(new YardError("client_cannot", "no"))],
  ])("leaves a run's question to others when it %s", async (_how, answer) => {
    const { approvals } = await openHub()
    const call = new PersonCall(answer)
    const { approval, result } = await ask(approvals, ofRun(1), call)
    await vi.waitFor(() => expect(call.asked).toHaveLength(1))
    await approvals.decide(approval.id, "approve", { by: "ada" })
    expect(await result).toBe("approved")
  })

  it("leaves a direct call's question to others when it fails", async () => {
    const { approvals } = await openHub()
    const call = new PersonCall(() => Promise.reject(new YardError("upstream_error", "boom")))
    const { approval, result } = await ask(approvals, DIRECT, call)
    await approvals.decide(approval.id, "deny", { by: "ada" })
    expect(await result).toMatchObject({ code: "approval_denied", message: expect.stringContaining("ada") })
  })

  it("has its form taken back when the question is decided elsewhere", async () => {
    const { approvals } = await openHub()
    const call = new PersonCall()
    const { approval, result } = await ask(approvals, DIRECT, call)
    expect(call.asked).toHaveLength(1)
    await approvals.decide(approval.id, "approve", { by: "ada" })
    expect(await result).toBe("approved")
    expect(call.withdrawn).toBe(1)
  })

  it("is not asked where it shows no forms, or the caller does not want it", async () => {
    const { approvals } = await openHub()
    for (const [call, options] of [
      [new PersonCall(undefined, { url: {} }), {}],
      [new PersonCall(), { ask: "none" }],
    ] as const) {
      const { approval, result } = await ask(approvals, DIRECT, call, options)
      await approvals.decide(approval.id, "approve", { by: "ada" })
      expect(await result).toBe("approved")
      expect(call.asked).toEqual([])
    }
    const forms = new PersonCall(() => ({ action: "accept", content: { decision: "approve" } }), { form: {}, url: {} })
    expect(await settled(approvals, DIRECT, forms)).toBe("approved")
  })

  it("hears where to decide, and again before it loses patience; the call's time stands still", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const { approvals } = await openHub()
    const call = new PersonCall()
    call.wantsProgress = true
    const waits: boolean[] = []
    call.clock = { restart: () => {}, wait: waiting => waits.push(waiting) }
    const { approval, result } = await ask(approvals, DIRECT, call)
    vi.advanceTimersByTime(30_000)
    const message = `waiting for approval of files__delete: \`toolyard approvals approve ${approval.id}\``
    expect(call.said).toEqual([
      ["notifications/message", { level: "notice", logger: "toolyard", data: message }],
      ["progress", { progress: 0, message }],
      ["progress", { progress: 0.001, message }],
      ["progress", { progress: 0.002, message }],
    ])
    expect(waits).toEqual([true])
    await approvals.decide(approval.id, "approve", { by: "ada" })
    await result
    expect(waits).toEqual([true, false])
    vi.advanceTimersByTime(30_000)
    expect(call.said).toHaveLength(4)
  })
})

describe("another hub on the same state", () => {
  it("N2 lists what waits here, and decides it", async () => {
    const [here, there] = [await openHub(), await openHub()]
    const direct = await ask(here.approvals, DIRECT)
    const run = await ask(here.approvals, ofRun(1))
    expect(await there.approvals.list()).toEqual([direct.approval, run.approval])
    await there.approvals.decide(direct.approval.id, "approve", { by: "ada" })
    await there.approvals.decide(run.approval.id, "deny", { by: "ada" })
    expect(await direct.result).toBe("approved")
    expect(await run.result).toMatchObject({ code: "approval_denied" })
  })
})

describe("a restart", () => {
  it("N2 leaves a run's question open, under its id, and ends that of a direct call", async () => {
    const before = await openHub()
    const direct = await ask(before.approvals, DIRECT)
    const run = await ask(before.approvals, ofRun(1))
    await stop(before)
    expect(await direct.result).toMatchObject({ code: "cancelled", message: expect.stringContaining("stopped") })
    expect(await run.result).toMatchObject({ code: "interrupted" })

    const { approvals } = await openHub()
    expect(await approvals.list()).toEqual([run.approval])
    const again = await ask(approvals, ofRun(1))
    expect(again.approval).toEqual(run.approval)
    await approvals.decide(again.approval.id, "approve", { by: "ada" })
    expect(await again.result).toBe("approved")
  })

  it("honours what was decided meanwhile, for that call and those arguments alone", async () => {
    const before = await openHub()
    const [first, second] = [await ask(before.approvals, ofRun(1)), await ask(before.approvals, ofRun(2))]
    await stop(before)
    const meanwhile = await openHub()
    await meanwhile.approvals.decide(first.approval.id, "approve", { by: "ada" })
    await meanwhile.approvals.decide(second.approval.id, "deny", { by: "ada" })
    await stop(meanwhile)

    const { approvals } = await openHub()
    expect(await settled(approvals, ofRun(1), new Call(CALLER))).toBe("approved")
    expect(await settled(approvals, ofRun(2), new Call(CALLER))).toMatchObject({ code: "approval_denied" })
    const other = await ask(approvals, ofRun(1, { args: { path: "b" } }))
    expect(other.approval.id).not.toBe(first.approval.id)
  })

  it("keeps the question of a run that was interrupted, not of one that was cancelled", async () => {
    const { approvals } = await openHub()
    const calls = [new Call(CALLER), new Call(CALLER)] as const
    const interrupted = await ask(approvals, ofRun(1), calls[0])
    const cancelled = await ask(approvals, ofRun(2), calls[1])
    calls[0].abort(new YardError("interrupted", "the hub is being stopped"))
    calls[1].abort(new YardError("cancelled", "the run was cancelled"))
    expect(await interrupted.result).toMatchObject({ code: "interrupted" })
    expect(await cancelled.result).toMatchObject({ code: "cancelled" })
    expect(await approvals.list()).toEqual([interrupted.approval])
  })
})

describe("always", () => {
  it("N2 covers the run's calls of that tool that wait and that come, also after a restart, and no others", async () => {
    const before = await openHub()
    const first = await ask(before.approvals, ofRun(1))
    const beside = await ask(before.approvals, ofRun(2))
    const otherTool = await ask(before.approvals, ofRun(3, { tool: "files__move" }))
    await before.approvals.decide(first.approval.id, "always", { by: "ada" })
    expect(await first.result).toBe("approved")
    expect(await beside.result).toBe("approved")
    expect(await before.approvals.list()).toEqual([otherTool.approval])
    await stop(before)

    const { approvals } = await openHub()
    expect(await settled(approvals, ofRun(4), new Call(CALLER))).toBe("approved")
    const otherRun = await ask(approvals, ofRun(1, { runId: "run2" }))
    expect((await approvals.list()).map(({ id }) => id)).toContain(otherRun.approval.id)
  })

  it.each([
    ["a session", CALLER, { ...CALLER, session: "s2" }],
    ["a client without one", { ...CALLER, session: undefined }, { ...CALLER, session: undefined, client: "other" }],
  ])("covers %s until the hub stops", async (_who, caller, stranger) => {
    const hub = await openHub()
    const { approval, result } = await ask(hub.approvals, DIRECT, new Call(caller))
    await hub.approvals.decide(approval.id, "always", { by: "ada" })
    expect(await result).toBe("approved")
    expect(await settled(hub.approvals, DIRECT, new Call(caller))).toBe("approved")
    await ask(hub.approvals, DIRECT, new Call(stranger))
    await ask(hub.approvals, { ...DIRECT, tool: "files__move" }, new Call(caller))
    await stop(hub)
    await ask((await openHub()).approvals, DIRECT, new Call(caller))
  })
})

describe("a run's id", () => {
  it("decides all that the run waits for, and nothing else", async () => {
    const { approvals } = await openHub()
    const [first, second] = [await ask(approvals, ofRun(1)), await ask(approvals, ofRun(2))]
    const other = await ask(approvals, ofRun(1, { runId: "run2" }))
    expect(await approvals.decide("run1", "approve", { by: "ada" })).toEqual([first.approval, second.approval])
    expect([await first.result, await second.result]).toEqual(["approved", "approved"])
    expect(await approvals.list()).toEqual([other.approval])
    await expect(approvals.decide("run1", "approve", { by: "ada" })).rejects.toMatchObject({ code: "unknown_approval" })
  })
})
