/** Keeps a model from being paid twice for the same failure: what was read must have changed since. */
import type { YardError } from "../../model/errors.ts"
import type { BootOptions } from "./boot.ts"

export interface InVain {
  /** Fails as before when it reads what was read before. */
  gather: BootOptions["gather"]
  /** What was read last led to this. */
  failed(error: YardError): void
  forget(): void
}

export function createInVain(gather: BootOptions["gather"]): InVain {
  let last = ""
  let known: { reading: string; error: YardError } | undefined
  return {
    async gather(...given) {
      const gathered = await gather(...given)
      const { readingOf } = await import("./store/store.ts")
      last = readingOf(gathered)
      if (known?.reading === last) throw known.error
      return gathered
    },
    failed(error) {
      known = { reading: last, error }
    },
    forget() {
      known = undefined
    },
  }
}
