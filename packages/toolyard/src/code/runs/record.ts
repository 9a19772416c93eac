/** Reads the record of a run: what it had done when the last row was written. */
import { YardError } from "../../model/errors.ts"
import type { RunLog } from "../../model/run.ts"
import type { Blobs, Store } from "../../state/types.ts"
import { type Answer, type CallState, errorIn } from "./call-state.ts"
import { streamOf } from "./journal.ts"
import type { EndRow, Kept, RunRow, SnapshotRow, StartRow } from "./rows.ts"

export interface RunRecord {
  start: StartRow
  calls: Map<number, CallState>
  /** By call, in the order in which the script got them. */
  answers: Map<number, { ok: boolean; answer: Kept }>
  logs: RunLog[]
  isBackground: boolean
  /** The last one. */
  snapshot: SnapshotRow | undefined
  end: EndRow | undefined
}

export async function readKept(kept: Kept, blobs: Blobs): Promise<string | undefined> {
  if ("text" in kept) return kept.text
  const blob = await blobs.get(kept.cid)
  return blob && Buffer.from(blob.bytes).toString("utf8")
}

/** All rows of a run, oldest first. */
export async function readRows(store: Store, runId: string): Promise<RunRow[]> {
  const rows = await store.tail(streamOf(runId), { limit: Number.MAX_SAFE_INTEGER })
  return rows.reverse().map(({ data }) => data as unknown as RunRow)
}

export async function readRecord(store: Store, blobs: Blobs, runId: string): Promise<RunRecord> {
  const [start, ...rows] = await readRows(store, runId)
  if (start?.t !== "start") throw new YardError("unknown_run", `there is no run "${runId}"`)
  const record: RunRecord = {
    start,
    calls: new Map(),
    answers: new Map(),
    logs: [],
    isBackground: start.background === true,
    snapshot: undefined,
    end: undefined,
  }
  for (const row of rows) await add(record, row, blobs)
  return record
}

async function add(record: RunRecord, row: RunRow, blobs: Blobs): Promise<void> {
  switch (row.t) {
    case "background":
      record.isBackground = true
      break
    case "call": {
      const { id, kind, tool, at } = row
      // One that is gone equals no other: a script that makes the call again is found to have made another.
      const payload = (await readKept(row.payload, blobs)) ?? "null"
      record.calls.set(id, { id, kind, tool, at, payload, status: "running" })
      break
    }
    case "waiting":
    case "approved": {
      const state = record.calls.get(row.id)
      if (state) state.status = row.t === "waiting" ? "waiting" : "running"
      break
    }
    case "done": {
      const { id, ok, ms, answer } = row
      const state = record.calls.get(id)
      if (!state) break
      state.status = ok ? "ok" : "error"
      state.ms = ms
      if (!ok) state.error = errorIn((await readKept(answer, blobs)) ?? "{}")
      record.answers.set(id, { ok, answer })
      break
    }
    case "log":
      record.logs.push({ level: row.level, text: row.text })
      break
    case "snapshot":
      record.snapshot = row
      break
    case "end":
      record.end = row
      break
  }
}

/** The last snapshot, if this build can read it and it is still there. Without it, the record alone is enough. */
export async function usableSnapshot(
  { snapshot }: RunRecord,
  engine: string,
  blobs: Blobs,
): Promise<SnapshotRow | undefined> {
  if (!snapshot || snapshot.engine !== engine) return undefined
  return (await blobs.get(snapshot.cid)) && snapshot
}

/** Those that a machine of that time has not got. One that is gone makes its call one that is not known to have ended. */
export async function readAnswers(
  { answers, calls }: RunRecord,
  since: SnapshotRow | undefined,
  blobs: Blobs,
): Promise<Map<number, Answer>> {
  const found = new Map<number, Answer>()
  for (const [id, { ok, answer }] of answers) {
    if (since && id <= since.lastCall && !since.inFlight.includes(id)) continue
    const text = await readKept(answer, blobs)
    const state = calls.get(id)
    if (text !== undefined) found.set(id, { ok, text })
    else if (state) state.status = "running"
  }
  return found
}
