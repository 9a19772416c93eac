/** The guarded fetch, loaded with the first request: a server that is only listed needs none. */
import type { GuardedFetch, GuardedFetchOptions } from "../../sandbox/fetch/guarded-fetch.ts"

export function createLazyFetch(options: GuardedFetchOptions): GuardedFetch {
  let opened: Promise<GuardedFetch> | undefined
  const open = async (): Promise<GuardedFetch> => {
    const { createGuardedFetch } = await import("../../sandbox/fetch/guarded-fetch.ts")
    return createGuardedFetch(options)
  }
  return {
    async fetch(...given) {
      opened ??= open()
      return (await opened).fetch(...given)
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
