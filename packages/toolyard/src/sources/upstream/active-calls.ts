/**
 * The calls under way at one connection, and which of them a message without an address must belong to.
 *
 * A server behind a pipe does not say for which call it asks something. That is clear while all calls under way are one
 * client's. Where they are not, a call that has been waiting for an answer for a while is not the one that asks now: its
 * handler stands still. A call that was given up may still ask, because nothing says when the server has let go of it.
 * If doubt remains, the question is refused: the one answer that can't reach the wrong client.
 */

import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import type { RequestId } from "../../model/mcp.ts"

/** Questions that one call asks at the same time come within this. */
const TOGETHER_MS = 50
/** A call that was given up counts for this long, unless the server answers it before. */
const ABANDONED_MS = 60_000

interface Activity {
  questions: number
  askedAt: number
}

export class ActiveCalls {
  /** Oldest first. */
  readonly #calls = new Map<Call, Activity>()
  /** Calls that their clients no longer wait for, oldest first. */
  readonly #abandoned = new Map<RequestId, { session: string | undefined; until: number }>()

  get size(): number {
    return this.#calls.size
  }

  add(call: Call): void {
    if (!this.#calls.has(call)) this.#calls.set(call, { questions: 0, askedAt: 0 })
  }

  delete(call: Call): void {
    this.#calls.delete(call)
  }

  /** The client gave the call up; the server may not have noticed yet. */
  abandon(id: RequestId, call: Call): void {
    if (!this.#calls.delete(call)) return
    this.#forget()
    this.#abandoned.set(id, { session: call.caller.session, until: performance.now() + ABANDONED_MS })
  }

  /** The server answered; whether it was a call that had been given up. */
  settle(id: RequestId): boolean {
    return this.#abandoned.delete(id)
  }

  asking(call: Call, change: 1 | -1): void {
    const activity = this.#calls.get(call)
    if (!activity) return
    activity.questions += change
    if (change === 1) activity.askedAt = performance.now()
  }

  only(): Call {
    const recently = performance.now() - TOGETHER_MS
    const all = [...this.#calls]
    const awake = all.filter(([, { questions, askedAt }]) => questions === 0 || askedAt > recently)
    const candidates = (awake.length > 0 ? awake : all).map(([call]) => call)
    const latest = candidates.at(-1)
    if (!latest) throw new YardError("client_cannot", "no call is under way, so there is no client to ask")
    this.#forget()
    const { session } = latest.caller
    const sessions = [...candidates.map(({ caller }) => caller), ...this.#abandoned.values()].map(one => one.session)
    if (sessions.length > 1 && (session === undefined || sessions.some(other => other !== session))) {
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
