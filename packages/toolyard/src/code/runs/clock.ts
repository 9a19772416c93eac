/** The wall clock of a run: it stands still while a person is asked. */
export class RunClock {
  readonly #onTime: () => void
  #left: number
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, onTime: () => void) {
    this.#left = ms
    this.#onTime = onTime
  }

  start(): void {
    if (this.#timer) return
    this.#since = Date.now()
    this.#timer = setTimeout(this.#onTime, this.#left)
  }

  stop(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#left = Math.max(1, this.#left - (Date.now() - this.#since))
  }
}
