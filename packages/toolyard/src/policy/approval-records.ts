/**
 * What is kept of the questions to people: those that are open, how each ended, and what was granted for longer. The
 * arguments, which may hold secrets, are kept for as long as a question is open.
 */
import { createHash, randomUUID } from "node:crypto"
import type { Store } from "../state/types.ts"
import type { Draft, Ending, Outcome, Question } from "./approval-question.ts"

const QUESTIONS = "approvals"
const ENDINGS = "approval-endings"
const GRANTS = "approval-grants"
const OWNERS = "approval-owners"

/** A hub that has not been heard of for so long is gone, and so are the callers that waited at it. */
const LEASE_MS = 5_000
/** How long endings and grants are remembered: for those who decide too late, and for runs whose hub is down. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000
/** No letters that look like digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

export type ApprovalRecords = ReturnType<typeof openRecords>

export function openRecords(store: Store) {
  const owner = randomUUID()

  const isOpen = async (question: Question): Promise<boolean> => {
    if (Date.parse(question.expiresAt) <= Date.now()) return false
    if (question.owner === undefined || question.owner === owner) return true
    return (await store.get(OWNERS, question.owner)) !== undefined
  }

  return {
    /** The name of this hub among those that share the store. */
    owner,

    /** Says that this hub is there; to be repeated while direct calls wait at it. */
    renew: () => store.set(OWNERS, owner, true, { ttlMs: LEASE_MS }),
    release: () => store.delete(OWNERS, owner),

    /**
     * Opens a question. A run that was restored asks the same again: it finds the question as it was, or its ending.
     * What a run asks is told by all of it, so that a decision never holds for other arguments than were shown.
     */
    async ask(draft: Draft, timeoutMs: number): Promise<{ question: Question } | { ending: Ending }> {
      const { runId, callId, tool, args } = draft
      const isSame = (other: Question | Ending): boolean =>
        runId !== undefined && other.runId === runId && other.callId === callId && other.tool === tool
      const seed = runId === undefined ? randomUUID() : JSON.stringify([runId, callId, tool, args])
      for (let attempt = 0; ; attempt++) {
        const id = toId(`${attempt} ${seed}`)
        const ending = await store.get<Ending>(ENDINGS, id)
        if (ending && isSame(ending)) return { ending }
        // Ids are short: one that means something else already is passed over.
        if (ending) continue
        const now = Date.now()
        const order = performance.timeOrigin + performance.now()
        const fresh: Question = { ...draft, id, order, askedAt: toTime(now), expiresAt: toTime(now + timeoutMs) }
        let isNew = false
        const change = (known: Question | undefined): Question => {
          // The time of the known one may have run out while no hub was there to end it.
          isNew = known === undefined || Date.parse(known.expiresAt) <= now
          return isNew || known === undefined ? fresh : known
        }
        const question = (await store.update(QUESTIONS, id, change, { ttlMs: timeoutMs })) ?? fresh
        if (isNew || isSame(question)) return { question }
      }
    },

    async find(id: string): Promise<Question | undefined> {
      const question = await store.get<Question>(QUESTIONS, id)
      return question && (await isOpen(question)) ? question : undefined
    },

    /** Oldest first. */
    async list(): Promise<Question[]> {
      const found: Question[] = []
      for (const { value } of await store.entries<Question>(QUESTIONS)) if (await isOpen(value)) found.push(value)
      return found.sort((a, b) => a.order - b.order)
    },

    /** Gives the ending that counts, which may be an earlier one. */
    async end({ id, runId, callId, tool }: Question, how: Outcome): Promise<{ ending: Ending; first: boolean }> {
      const ours: Ending = { id, runId, callId, tool, ...how, at: toTime(Date.now()) }
      let first = false
      const ending = await store.update<Ending>(
        ENDINGS,
        id,
        known => {
          first = known === undefined
          return known ?? ours
        },
        { ttlMs: KEEP_MS },
      )
      await store.delete(QUESTIONS, id)
      return { ending: ending ?? ours, first }
    },

    endingOf: (id: string) => store.get<Ending>(ENDINGS, id),

    grant: (scope: string, tool: string) => store.set(GRANTS, toKey(scope, tool), true, { ttlMs: KEEP_MS }),
    isGranted: async (scope: string, tool: string) => (await store.get(GRANTS, toKey(scope, tool))) !== undefined,
  }
}

const toTime = (ms: number): string => new Date(ms).toISOString()

const toKey = (scope: string, tool: string): string => JSON.stringify([scope, tool])

function toId(seed: string): string {
  const bytes = createHash("sha256").update(seed).digest().subarray(0, 8)
  return [...bytes].map(byte => ALPHABET[byte % ALPHABET.length]).join("")
}
