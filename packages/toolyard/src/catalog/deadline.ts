/** The time of one call: it runs while the server works and stands still while a person is asked. */
import type { Call, CallClock } from "../model/call.ts"
import { YardError } from "../model/errors.ts"
import type { Slots } from "../policy/limits.ts"

export class Deadline implements CallClock {
  readonly #call: Call
  readonly #slots: Slots
  readonly #what: string
  readonly #ms: number
  #timer: NodeJS.Timeout | undefined
  /** How many questions are with a person. */
  #waits = 0

  constructor(call: Call, slots: Slots, what: string, ms: number) {
    this.#call = call
    this.#slots = slots
    this.#what = what
    this.#ms = ms
    this.#timer = setTimeout(expire, ms, this)
  }

  restart(): void {
    if (this.#waits === 0) this.#timer?.refresh()
  }

  /** Who waits for a person holds no slot: questions that nobody answers must not stop the server for the others. */
  wait(waiting: boolean): void {
    this.#waits += waiting ? 1 : -1
    if (!this.#timer) return
    if (waiting && this.#waits === 1) {
      clearTimeout(this.#timer)
      this.#slots.release()
    } else if (!waiting && this.#waits === 0) {
      this.#timer = setTimeout(expire, this.#ms, this)
      this.#slots.reenter()
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waits === 0) this.#slots.release()
  }

  expire(): void {
    this.#call.abort(
      new YardError("timeout", `${this.#what} did not answer within ${this.#ms} ms`, {
        hint: "Raise `timeoutMs` for this server or tool in toolyard.json, or ask for less.",
        data: { timeoutMs: this.#ms },
      }),
    )
  }
}

const expire = (deadline: Deadline): void => deadline.expire()
