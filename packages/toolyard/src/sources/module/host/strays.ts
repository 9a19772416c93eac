/**
 * Errors that a function leaves behind (a timer that throws, a promise that nobody awaits) belong to the call they came
 * from while that is under way: it fails, and nobody else's does.
 */
import { AsyncLocalStorage } from "node:async_hooks"

export interface Strays {
  /** Does the work of one call; rejects also with what it leaves behind. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Gives an error that nobody caught to the call that it came from; whether there is one. */
  claim(error: unknown): boolean
}

export function createStrays(): Strays {
  const storage = new AsyncLocalStorage<{ fail: ((error: unknown) => void) | undefined }>()
  return {
    async during(work) {
      const { promise, reject } = Promise.withResolvers<never>()
      const call: { fail: ((error: unknown) => void) | undefined } = { fail: reject }
      try {
        return await storage.run(call, () => Promise.race([work(), promise]))
      } finally {
        call.fail = undefined
      }
    },
    claim(error) {
      const fail = storage.getStore()?.fail
      fail?.(error)
      return fail !== undefined
    },
  }
}
