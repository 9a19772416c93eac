/**
 * The calls under way at one connection, and which of them a message without an address must belong to.
 *
 * A server behind a pipe does not say for which call it asks something. That is clear while all calls under way are one
 * client's. Where they are not, a call that has been waiting for an answer for a while is not the one that asks now: its
 * handler stands still. If doubt remains, the question is refused: the one answer that can't reach the wrong client.
 */

import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"

/** Questions that one call asks at the same time come within this. */
const TOGETHER_MS = 50

interface Activity {
  questions: number
  askedAt: number
}

export class ActiveCalls {
  /** Oldest first. */
  readonly #calls = new Map<Call, Activity>()

  get size(): number {
    return this.#calls.size
  }

  add(call: Call): void {
    if (!this.#calls.has(call)) this.#calls.set(call, { questions: 0, askedAt: 0 })
  }

  delete(call: Call): void {
    this.#calls.delete(call)
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
    const { session } = latest.caller
    if (
      candidates.length > 1 &&
      (session === undefined || candidates.some(({ caller }) => caller.session !== session))
    ) {
      throw new YardError(
        "client_cannot",
        "calls of several clients are under way, and the server does not say which of them this is for",
        { hint: 'Set `isolation` to "session" for this server, so that each client has its own process.' },
      )
    }
    return latest
  }
}
