/** How many calls may be under way at once, with a bounded queue of those that wait for their turn. */
import type { Call } from "../model/call.ts"
import { YardError } from "../model/errors.ts"

/** For each call under way this many may wait; more are refused at once rather than left hanging. */
const QUEUE_PER_SLOT = 16

export class Slots {
  readonly #server: string
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(server: string, limit: number) {
    this.#server = server
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Takes a slot now if one is free. The fast path: no promise is made. */
  tryTake(): boolean {
    if (this.#used >= this.#limit) return false
    this.#used++
    return true
  }

  take(call: Call): Promise<void> {
    if (this.#waiting.length >= this.#limit * QUEUE_PER_SLOT) {
      throw new YardError(
        "overloaded",
        `${this.#server} has ${this.#used} calls under way and ${this.#waiting.length} waiting`,
        { hint: "Wait for some to finish, or raise `concurrency` for this server in toolyard.json." },
      )
    }
    return new Promise((resolve, reject) => {
      const leave = {
        onAbort: (reason: YardError): void => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1)
          reject(reason)
        },
      }
      const enter = (): void => {
        call.offAbort(leave)
        this.#used++
        resolve()
      }
      this.#waiting.push(enter)
      call.onAbort(leave)
    })
  }

  /** Takes back a slot that was given away for a while, even if all are in use by now. */
  reenter(): void {
    this.#used++
  }

  release(): void {
    this.#used--
    if (this.#used < this.#limit) this.#waiting.shift()?.()
  }
}
