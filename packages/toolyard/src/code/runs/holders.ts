/**
 * Which toolyard holds which run. Several may work on one state; a run is taken over only from one that is gone. One is
 * gone when its process is, or, as numbers of processes come back, when it has not been heard of for a while.
 */
import { randomBytes } from "node:crypto"
import type { Store } from "../../state/types.ts"

export interface Holder {
  hub: string
  pid: number
}

export interface Holders {
  readonly me: Holder
  /** Resolves when others can see that this one is there. */
  ready(): Promise<void>
  /** Whether another one that is there holds it. */
  isTaken(holder: Holder): Promise<boolean>
  /** True for exactly one of those who want to take over a run. */
  claim(runId: string): Promise<boolean>
  release(runId: string): Promise<void>
  close(): Promise<void>
}

const HOLDERS = "run-holders"
const CLAIMS = "run-claims"
const LEASE_MS = 15_000
const RENEW_MS = 5_000

export function openHolders(store: Store): Holders {
  const me: Holder = { hub: randomBytes(6).toString("hex"), pid: process.pid }
  const renew = (): Promise<void> => store.set(HOLDERS, me.hub, me.pid, { ttlMs: LEASE_MS })
  let timer: NodeJS.Timeout | undefined
  let said: Promise<void> | undefined

  async function isTaken({ hub, pid }: Holder): Promise<boolean> {
    if (hub === me.hub || !isProcess(pid)) return false
    return (await store.get(HOLDERS, hub)) !== undefined
  }

  return {
    me,
    ready() {
      timer ??= setInterval(() => void renew().catch(() => {}), RENEW_MS).unref()
      said ??= renew().catch(error => {
        said = undefined
        throw error
      })
      return said
    },
    isTaken,
    async claim(runId) {
      const before = await store.get<Holder>(CLAIMS, runId)
      if (before && (await isTaken(before))) return false
      const now = await store.update<Holder>(CLAIMS, runId, known => (known?.hub === before?.hub ? me : known))
      return now?.hub === me.hub
    },
    release: async runId => void (await store.delete(CLAIMS, runId)),
    async close() {
      clearInterval(timer)
      // Else it is found out soon enough.
      if (said) await store.delete(HOLDERS, me.hub).catch(() => {})
    },
  }
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
