/** What is kept of a run: one row for everything that happens, in the order in which it happened. */
import type { Caller, ReadOnly } from "../../model/caller.ts"
import type { RunError, RunLimits, RunLog, RunStatus, RunUsage } from "../../model/run.ts"

/** A text of JSON, or where it is. */
export type Kept = { text: string } | { cid: string }

export interface StartRow {
  t: "start"
  at: number
  code: string
  script?: string
  /** JSON text. */
  input?: string
  readOnly?: ReadOnly
  check: boolean
  /** Nobody waits for its end: it is to be finished even after a restart. */
  background?: boolean
  saveAs?: string
  limits: RunLimits
  seed: number
  caller: Caller
  /** The run that is run again from its record. */
  replayOf?: string
}

export interface SnapshotRow {
  t: "snapshot"
  cid: string
  /** The build of the engine that can read it. */
  engine: string
  /** The calls that the machine waits for. */
  inFlight: number[]
  /** The last call that it had made, and how many lines it had logged. */
  lastCall: number
  logs: number
  used: { cpuMs: number; calls: number; logBytes: number }
}

export interface EndRow {
  t: "end"
  status: RunStatus
  at: number
  value?: Kept
  error?: RunError
  usage: RunUsage
  script?: string
}

export type RunRow =
  | StartRow
  /** Nobody waits for its end any more. */
  | { t: "background" }
  | { t: "call"; id: number; kind: string; tool: string; at: number; payload: Kept }
  | { t: "waiting"; id: number }
  /** A person has approved it: from now on it may have had its effect. */
  | { t: "approved"; id: number }
  | { t: "done"; id: number; ok: boolean; ms: number; answer: Kept }
  | { t: "log"; level: RunLog["level"]; text: string }
  | SnapshotRow
  | EndRow

/** Every text and blob that a row points to. */
export function keptIn(row: RunRow): Kept[] {
  if (row.t === "call") return [row.payload]
  if (row.t === "done") return [row.answer]
  if (row.t === "snapshot") return [row]
  return row.t === "end" && row.value ? [row.value] : []
}
