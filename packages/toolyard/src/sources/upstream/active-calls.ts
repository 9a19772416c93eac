/**
 * The calls under way at one connection, and which of them a message without an address must belong to.
 *
 * A server behind a pipe does not say for which call it asks something. That is clear while all calls under way are one
 * client's. Where they are not, the question is refused: the one answer that can't reach the wrong client. A call that
 * was given up may still ask, because nothing says when the server has let go of it.
 *
 * One thing is taken for granted: a call whose client went away with a question, to come back with the answer or never,
 * does not ask another one meanwhile. Else every such call that is forgotten would stop all others from asking.
 */

import type { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { RequestId } from "../../model/mcp.ts"

/** Questions that one call asks at the same time come within this. */
const TOGETHER_MS = 50
/** A call that was given up counts for this long, unless the server answers it before. */
const ABANDONED_MS = 60_000

export class ActiveCalls {
  /** Oldest first. */
  readonly #calls = new Set<Call>()
  /** The calls that have asked something, how much of it is unanswered, and when they last asked. */
  readonly #asking = new Map<Call, { questions: number; askedAt: number }>()
  /** Calls that their clients no longer wait for, oldest first. */
  readonly #abandoned = new Map<RequestId, { caller: Caller; until: number }>()

  get size(): number {
    return this.#calls.size
  }

  add(call: Call): void {
    this.#calls.add(call)
  }

  delete(call: Call): boolean {
    if (this.#asking.size > 0) this.#asking.delete(call)
    return this.#calls.delete(call)
  }

  /** The client gave the call up; the server may not have noticed yet. */
  abandon(id: RequestId, call: Call): void {
    if (!this.delete(call)) return
    this.#forget()
    this.#abandoned.set(id, { caller: call.caller, until: performance.now() + ABANDONED_MS })
  }

  /** The server answered; whether it was a call that had been given up. */
  settle(id: RequestId): boolean {
    return this.#abandoned.delete(id)
  }

  asking(call: Call, change: 1 | -1): void {
    if (!this.#calls.has(call)) return
    const before = this.#asking.get(call) ?? { questions: 0, askedAt: 0 }
    const askedAt = change === 1 ? performance.now() : before.askedAt
    this.#asking.set(call, { questions: before.questions + change, askedAt })
  }

  only(): Call {
    const recently = performance.now() - TOGETHER_MS
    const all = [...this.#calls]
    const here = all.filter(call => {
      const { questions = 0, askedAt = 0 } = (call.isAway && this.#asking.get(call)) || {}
      return questions === 0 || askedAt > recently
    })
    const candidates = here.length > 0 ? here : all
    const latest = candidates.at(-1)
    if (!latest) throw new YardError("client_cannot", "no call is under way, so there is no client to ask")
    this.#forget()
    const others = [...candidates.slice(0, -1), ...this.#abandoned.values()].map(({ caller }) => caller)
    if (others.some(other => !isSameClient(other, latest.caller))) {
      throw new YardError(
        "client_cannot",
        "calls of several clients are under way, and the server does not say which of them this is for",
        { hint: 'Set `isolation` to "session" for this server, so that each client has its own process.' },
      )
    }
    return latest
  }

  #forget(): void {
    const now = performance.now()
    for (const [id, { until }] of this.#abandoned) {
      if (until > now) return
      this.#abandoned.delete(id)
    }
  }
}

/** A stateless caller without a session is nobody's double, not even its own. */
function isSameClient(one: Caller, other: Caller): boolean {
  return one.session !== undefined && one.session === other.session && one.client === other.client
}
