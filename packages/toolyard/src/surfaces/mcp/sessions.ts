/** The legacy sessions that are open, and the end of those that nobody uses any more. */
import type { LegacySession } from "./legacy-session.ts"

const IDLE_MS = 60 * 60 * 1000
const SWEEP_MS = 60 * 1000
const MAX_SESSIONS = 10_000

export class Sessions {
  readonly #sessions = new Map<string, LegacySession>()
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_MS).unref()

  get size(): number {
    return this.#sessions.size
  }

  get(id: string): LegacySession | undefined {
    return this.#sessions.get(id)
  }

  add(session: LegacySession): void {
    if (this.#sessions.size >= MAX_SESSIONS && !this.#sessions.has(session.id)) this.#dropIdlest()
    this.#sessions.set(session.id, session)
  }

  end(session: LegacySession): void {
    this.#sessions.delete(session.id)
    session.end()
  }

  close(): void {
    clearInterval(this.#timer)
    for (const session of [...this.#sessions.values()]) this.end(session)
  }

  #sweep(): void {
    const before = Date.now() - IDLE_MS
    for (const session of [...this.#sessions.values()])
      if (!session.busy && session.lastUsed < before) this.end(session)
  }

  #dropIdlest(): void {
    let idlest: LegacySession | undefined
    for (const session of this.#sessions.values())
      if (!session.busy && (!idlest || session.lastUsed < idlest.lastUsed)) idlest = session
    if (idlest) this.end(idlest)
  }
}
