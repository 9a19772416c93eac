/**
 * Asks people about calls that the policy leaves to them, and waits for the answer wherever it is given: in the caller's
 * own client, or anywhere that `decide` is reached from, another hub on the same state included. The first answer counts.
 */
import type { AbortListener, Call } from "../model/call.ts"
import { Emitter } from "../model/emitter.ts"
import { YardError } from "../model/errors.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import type { Approval, Decision } from "../model/run.ts"
import type { Unsubscribe } from "../model/source.ts"
import type { Bus, Store } from "../state/types.ts"
import { askCaller, canAsk, remind } from "./approval-form.ts"
import {
  type ApprovalQuestion,
  type Draft,
  type Ending,
  type Outcome,
  type Question,
  toApproval,
  toDraft,
} from "./approval-question.ts"
import { openRecords } from "./approval-records.ts"
import { alreadyEnded, checkApproved } from "./approval-verdict.ts"

export interface AskOptions {
  /** Whether the caller's own client is asked too; `elicit` where nothing is said. */
  ask?: "elicit" | "none"
  /** Told at once when the question is kept and waits, in the caller's own client or not; not when it was decided already. */
  onWaiting?: (approval: Approval, isAsked: boolean) => void
  /** Told when the caller's own client was asked and decided nothing: others must. */
  onUnanswered?: () => void
}

export interface ApprovalEvents {
  asked: (approval: Approval) => void
  /** A question ended: by a decision, by its time, or because nobody waits for it any more. */
  decided: (ending: Ending) => void
}

export interface Approvals {
  /**
   * Resolves when the call is approved. Rejects with `approval_denied` (a person said no), `approval_timeout` (nobody
   * said anything), or the reason for which the call was aborted. A run that is aborted as `interrupted`, or whose hub
   * stops (`interrupted` too), leaves its question open: it will ask again when it is restored.
   */
  request(question: ApprovalQuestion, call: Call, options?: AskOptions): Promise<void>
  /** By the question's id, or by a run's for all that it waits for; gives what was decided, oldest first. */
  decide(idOrRunId: string, decision: Decision, who: { by: string; reason?: string }): Promise<Approval[]>
  /** What waits for a decision, oldest first. */
  list(): Promise<Approval[]>
  get(id: string): Promise<Approval | undefined>
  /** What happens at this hub, and at others as far as the bus reaches. */
  on<E extends keyof ApprovalEvents>(event: E, listener: ApprovalEvents[E]): Unsubscribe
  close(): Promise<void>
}

export interface ApprovalDeps {
  store: Store
  bus: Bus
  /** How long a question stays open; read anew for each. */
  readonly timeoutMs: number
}

interface Waiter {
  question: Question
  resolve(ending: Ending): void
  reject(error: unknown): void
}

const TOPIC = "approvals"
/** How often the store is looked at: hubs on one machine share it, but no bus. */
const LOOK_MS = 1_000

export function createApprovals(deps: ApprovalDeps): Approvals {
  const { store, bus } = deps
  const records = openRecords(store)
  const emitter = new Emitter<ApprovalEvents>()
  const waiters = new Set<Waiter>()
  let looking: NodeJS.Timeout | undefined
  let closed = false

  // Ids only, since arguments may hold secrets. Whoever misses a message finds out when it looks.
  const tell = (event: keyof ApprovalEvents, id: string): void => void bus.publish(TOPIC, { event, id }).catch(() => {})

  async function hear({ event, id }: JsonObject): Promise<void> {
    if (typeof id !== "string") return
    if (event === "asked") {
      const question = await records.find(id)
      if (question) emitter.emit("asked", toApproval(question))
      return
    }
    const ending = await records.endingOf(id)
    if (!ending) return
    for (const waiter of waiters) if (waiter.question.id === id) waiter.resolve(ending)
    emitter.emit("decided", ending)
  }

  async function look(): Promise<void> {
    if ([...waiters].some(({ question }) => question.owner !== undefined)) await records.renew()
    for (const { question, resolve } of waiters) {
      const ending = await records.endingOf(question.id)
      if (ending) resolve(ending)
    }
  }

  // A store that fails now may work at the next look; if it never does, the question fails when its time is up.
  const unsubscribe = bus.subscribe(TOPIC, message => {
    if (isObject(message)) hear(message).catch(() => {})
  })

  async function end(question: Question, how: Outcome): Promise<{ ending: Ending; first: boolean }> {
    const ended = await records.end(question, how)
    if (ended.first) tell("decided", question.id)
    return ended
  }

  const settle = (waiter: Waiter, how: Outcome): Promise<void> =>
    end(waiter.question, how).then(({ ending }) => waiter.resolve(ending), waiter.reject)

  /** A run's question outlasts its hub; that of a direct call goes with it. */
  async function stop(waiter: Waiter): Promise<void> {
    const message = "the hub is being stopped"
    if (waiter.question.runId === undefined)
      await settle(waiter, { outcome: "withdrawn", by: "toolyard", reason: message })
    else waiter.reject(new YardError("interrupted", `${message}; the question stays open`))
  }

  /** Everything that can end the question is set up here, and taken down when one of them has. */
  async function wait(question: Question, call: Call, { ask, onUnanswered }: AskOptions): Promise<Ending> {
    const { promise, resolve, reject } = Promise.withResolvers<Ending>()
    const waiter: Waiter = { question, resolve, reject }
    const over = new AbortController()
    const { clock } = call
    const listener: AbortListener = {
      onAbort(error) {
        if (question.runId !== undefined && error.code === "interrupted") reject(error)
        else void settle(waiter, { outcome: "withdrawn", by: question.caller, reason: error.message })
      },
    }
    const [askedAt, expiresAt] = [Date.parse(question.askedAt), Date.parse(question.expiresAt)]
    const reason = `nobody decided within ${expiresAt - askedAt} ms`
    const timer = setTimeout(
      () => void settle(waiter, { outcome: "timeout", by: "toolyard", reason }),
      expiresAt - Date.now(),
    )
    waiters.add(waiter)
    looking ??= setInterval(() => void look().catch(() => {}), LOOK_MS).unref()
    clock?.wait(true)
    const reminding = remind(question, call)
    call.onAbort(listener)
    if (closed) void stop(waiter)
    else if (ask !== "none" && !call.aborted && canAsk(call))
      void askCaller(question, call, over.signal).then(how => (how ? settle(waiter, how) : onUnanswered?.()))
    try {
      return await promise
    } finally {
      over.abort()
      clearTimeout(timer)
      clearInterval(reminding)
      call.offAbort(listener)
      clock?.wait(false)
      waiters.delete(waiter)
      if (waiters.size === 0) {
        clearInterval(looking)
        looking = undefined
      }
    }
  }

  /** The grant first, so that what is asked from now on is covered; then what was asked before. */
  async function grant({ scope, tool }: Draft, { by }: Ending): Promise<void> {
    await records.grant(scope, tool)
    for (const other of await records.list())
      if (other.scope === scope && other.tool === tool) await end(other, { outcome: "approve", by })
  }

  return {
    async request(asked, call, options = {}) {
      if (call.aborted) throw call.aborted
      const draft = toDraft(asked, call, records.owner)
      if (await records.isGranted(draft.scope, draft.tool)) return
      if (draft.owner !== undefined) await records.renew()
      const found = await records.ask(draft, deps.timeoutMs)
      let ending: Ending
      if ("ending" in found) ending = found.ending
      else {
        options.onWaiting?.(toApproval(found.question), options.ask !== "none" && canAsk(call))
        tell("asked", found.question.id)
        ending = await wait(found.question, call, options).catch((error: unknown) => {
          throw call.aborted ?? error
        })
      }
      if (call.aborted) throw call.aborted
      checkApproved(ending)
      if (ending.outcome === "always") await grant(draft, ending)
    },

    async decide(key, decision, { by, reason }) {
      const known = await records.find(key)
      const questions = known ? [known] : (await records.list()).filter(({ runId }) => runId === key)
      const decided: Approval[] = []
      let earlier = questions.length === 0 ? await records.endingOf(key) : undefined
      for (const question of questions) {
        const { ending, first } = await end(question, { outcome: decision, by, reason })
        if (first) decided.push(toApproval(question))
        else earlier = ending
      }
      if (decided.length > 0) return decided
      throw earlier ? alreadyEnded(earlier) : new YardError("unknown_approval", `nothing waits under "${key}"`)
    },

    list: async () => (await records.list()).map(toApproval),
    async get(id) {
      const question = await records.find(id)
      return question && toApproval(question)
    },
    on: (event, listener) => emitter.on(event, listener),

    async close() {
      closed = true
      unsubscribe()
      await Promise.all([...waiters].map(stop))
      await records.release()
    },
  }
}
