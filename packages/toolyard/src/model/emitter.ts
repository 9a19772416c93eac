/** A typed set of listeners. A listener that throws does not keep the others from hearing. */
export class Emitter<Events extends { [K in keyof Events]: (...args: never[]) => void }> {
  readonly #listeners = new Map<keyof Events, Set<Events[keyof Events]>>()

  on<E extends keyof Events>(event: E, listener: Events[E]): () => void {
    let listeners = this.#listeners.get(event)
    if (!listeners) {
      listeners = new Set()
      this.#listeners.set(event, listeners)
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  emit<E extends keyof Events>(event: E, ...args: Parameters<Events[E]>): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        ;(listener as (...args: Parameters<Events[E]>) => void)(...args)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
