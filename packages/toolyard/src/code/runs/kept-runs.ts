/** The runs that are kept: their list, their details, and how long they stay. */
import { YardError } from "../../model/errors.ts"
import type { RunCallDetails, RunDetails, RunError, RunStatus, RunSummary } from "../../model/run.ts"
import type { Blobs, Store } from "../../state/types.ts"
import { type CallState, isListed, toCallInfo } from "./call-state.ts"
import type { Holder } from "./holders.ts"
import { streamOf } from "./journal.ts"
import { type RunRecord, readKept, readRecord, readRows } from "./record.ts"
import { type Kept, keptIn } from "./rows.ts"
import { dropBlob } from "./run-blobs.ts"

/** What the list of runs holds of each. */
export interface ListedRun {
  run: string
  at: number
  title: string
  status: RunStatus
  holder: Holder
  endedAt?: number
  calls?: number
  error?: RunError
  /** Nothing of it is a blob: it can be forgotten without reading its record. */
  isPlain?: true
}

export interface KeptRuns {
  /** Adds it to the list, or changes what stands there. */
  put(row: ListedRun): Promise<void>
  get(runId: string): Promise<ListedRun | undefined>
  /** Newest first. */
  list(options: { limit?: number; before?: string }): Promise<RunSummary[]>
  details(runId: string): Promise<RunDetails>
  /** The value of a run as JSON text. */
  value(runId: string): Promise<string>
  record(runId: string): Promise<RunRecord>
  /** Those that have not ended, as far as is known, oldest first. */
  unfinished(): Promise<ListedRun[]>
  /** Forgets the oldest, but none that has not ended. */
  prune(keep?: number): Promise<void>
}

const RUNS = "runs"
const KEEP_RUNS = 1_000

export function openKeptRuns(store: Store, blobs: Blobs): KeptRuns {
  const record = (runId: string): Promise<RunRecord> => readRecord(store, blobs, runId)

  /** Oldest first: ids begin with the time of the start. */
  const all = async (): Promise<ListedRun[]> => (await store.entries<ListedRun>(RUNS)).map(({ value }) => value)

  async function forget({ run: runId, isPlain }: ListedRun): Promise<void> {
    const cids = new Set<string>()
    for (const row of isPlain ? [] : await readRows(store, runId))
      for (const kept of keptIn(row)) if ("cid" in kept) cids.add(kept.cid)
    for (const cid of cids) await dropBlob(store, blobs, runId, cid)
    await store.trim(streamOf(runId), { maxRows: 0 })
    await store.delete(RUNS, runId)
  }

  return {
    put: row => store.set(RUNS, row.run, row),
    get: runId => store.get<ListedRun>(RUNS, runId),
    async list({ limit = 50, before }) {
      const newestFirst = (await all()).reverse()
      const page = newestFirst.filter(({ run }) => before === undefined || run < before)
      return page.slice(0, limit).map(toSummary)
    },
    details: async runId => toDetails(runId, await record(runId), blobs),
    async value(runId) {
      const { end } = await record(runId)
      if (!end?.value) throw new YardError("unknown_run", `run "${runId}" has no value`)
      const text = await readKept(end.value, blobs)
      if (text === undefined) throw new YardError("unknown_run", `the value of run "${runId}" is no longer there`)
      return text
    },
    record,
    unfinished: async () => (await all()).filter(({ endedAt }) => endedAt === undefined),
    async prune(keep = KEEP_RUNS) {
      const old = (await all()).reverse().slice(keep)
      for (const run of old) if (run.endedAt !== undefined) await forget(run)
    },
  }
}

function toSummary({ run, at, title, status, endedAt, calls = 0, error }: ListedRun): RunSummary {
  return {
    runId: run,
    status,
    startedAt: new Date(at).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    title,
    calls,
    ...(error && { error }),
  }
}

async function toDetails(runId: string, record: RunRecord, blobs: Blobs): Promise<RunDetails> {
  const { start, end, logs } = record
  const listed = [...record.calls.values()].filter(isListed)
  const isWaiting = listed.some(({ status }) => status === "waiting")
  const calls: RunCallDetails[] = []
  for (const state of listed) calls.push(await toCallDetails(state, record.answers.get(state.id), blobs))
  const value = end?.value && (await readKept(end.value, blobs))
  return {
    runId,
    status: end?.status ?? (isWaiting ? "waiting" : "running"),
    startedAt: new Date(start.at).toISOString(),
    ...(end && { endedAt: new Date(end.at).toISOString() }),
    code: start.code,
    ...(start.script !== undefined && { script: start.script }),
    ...(start.input !== undefined && { input: JSON.parse(start.input) as unknown }),
    ...(value !== undefined && { value: JSON.parse(value) as unknown }),
    ...(end?.error && { error: end.error }),
    logs,
    calls,
    usage: end?.usage ?? { ms: Date.now() - start.at, cpuMs: 0, calls: calls.length },
  }
}

async function toCallDetails(
  state: CallState,
  done: { ok: boolean; answer: Kept } | undefined,
  blobs: Blobs,
): Promise<RunCallDetails> {
  const { payload, kind, at, ms } = state
  const asked = JSON.parse(payload) as unknown
  const [, , args] = kind === "tool" && Array.isArray(asked) ? asked : [0, 0, asked]
  const text = done?.ok ? await readKept(done.answer, blobs) : undefined
  return {
    ...toCallInfo(state),
    args: args ?? {},
    ...(text !== undefined && text !== "" && { result: JSON.parse(text) as unknown }),
    startedAt: new Date(at).toISOString(),
    ...(done && ms !== undefined && { endedAt: new Date(at + ms).toISOString() }),
  }
}
