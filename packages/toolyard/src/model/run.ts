/** A run: one execution of a script in the sandbox, as it is kept, listed and answered. */
import type { ReadOnly } from "./caller.ts"
import type { JsonObject } from "./json.ts"

/**
 * `running`: it works. `waiting`: a person must decide something. `completed`, `failed`, `cancelled`: it has ended.
 */
export type RunStatus = "running" | "waiting" | "completed" | "failed" | "cancelled"

/** What a script may use up. Each has a key of the same name under `sandbox` in toolyard.json. */
export interface RunLimits {
  /** Wall time, without the time that a person takes to decide. */
  readonly timeoutMs: number
  /** Time that the script itself computes. */
  readonly cpuMs: number
  readonly memoryMb: number
  /** Tool calls and fetches over the whole run. */
  readonly maxCalls: number
  readonly maxCallsInFlight: number
  readonly maxLogBytes: number
  /** Of the value, of one call's arguments, and of one answer that enters the sandbox. */
  readonly maxResultBytes: number
}

export const DEFAULT_LIMITS: RunLimits = {
  timeoutMs: 30_000,
  cpuMs: 10_000,
  memoryMb: 64,
  maxCalls: 10_000,
  maxCallsInFlight: 256,
  maxLogBytes: 1_000_000,
  maxResultBytes: 10_000_000,
}

export interface RunRequest {
  /** TypeScript; exactly one of `code` and `script`. */
  code?: string
  /** A saved script, `name` or `name@version`. */
  script?: string
  input?: unknown
  readOnly?: ReadOnly
  timeoutMs?: number
  /** True: answer at once. A number: answer after so many ms if it has not ended by then. */
  background?: boolean | number
  /** False to run without the type check. */
  check?: boolean
  /** Keep the code as this script when the run has completed. */
  saveAs?: string
}

export interface RunCallInfo {
  /** Counts from 1 within the run. */
  id: number
  /** The tool's id, or `fetch`. */
  tool: string
  status: "waiting" | "running" | "ok" | "error"
  ms?: number
  /** Present when it failed. */
  error?: { code: string; message: string }
}

/** A call with all that is known of it. */
export interface RunCallDetails extends RunCallInfo {
  args: unknown
  /** What the script got. */
  result?: unknown
  startedAt: string
  endedAt?: string
}

export interface RunError {
  /** A code of the error table. */
  code: string
  message: string
  hint?: string
  /** Where in the script, counting from 1. */
  line?: number
  column?: number
  stack?: string
  data?: unknown
}

export interface RunLog {
  level: "debug" | "info" | "log" | "warn" | "error"
  text: string
}

export interface RunUsage {
  ms: number
  cpuMs: number
  calls: number
}

/** A question that a run, or a direct call, waits for a person to decide. */
export interface Approval {
  id: string
  /** Absent for a direct call. */
  runId?: string
  tool: string
  args: JsonObject
  /** Why it is asked: the rule. */
  because: string
  /** What the run has done before. */
  done: { tool: string; status: string }[]
  askedAt: string
  expiresAt: string
  /** Who asks: surface and client. */
  caller: string
}

/** `approve` this one call, or `always`: this and every further call of that tool in the same run. */
export type Decision = "approve" | "always" | "deny"

/** What `execute`, `resume` and `POST /api/runs` give. */
export interface RunReport {
  runId: string
  status: RunStatus
  /** Absent until it has completed, and when the script gave nothing. */
  value?: unknown
  error?: RunError
  logs: string[]
  calls: RunCallInfo[]
  usage: RunUsage
  /** What a person is asked, while `waiting`. */
  approvals?: Approval[]
  /** Where the whole is when something here was shortened, or how to go on. */
  more?: string
  /** The saved script, when `saveAs` was given. */
  script?: string
}

/** What `GET /api/runs` lists. */
export interface RunSummary {
  runId: string
  status: RunStatus
  startedAt: string
  endedAt?: string
  /** The first line of the code, or the script's name. */
  title: string
  calls: number
  error?: RunError
}

/** What `GET /api/runs/{id}` gives. */
export interface RunDetails extends Omit<RunReport, "calls" | "logs"> {
  startedAt: string
  endedAt?: string
  code: string
  script?: string
  input?: unknown
  logs: RunLog[]
  calls: RunCallDetails[]
}

/** What happens while a run works, for those who watch it. */
export type RunEvent =
  | { type: "log"; level: RunLog["level"]; text: string }
  | { type: "call"; call: RunCallInfo }
  | { type: "status"; status: RunStatus; approvals?: Approval[] }

/** A saved script. */
export interface SavedScript {
  name: string
  version: number
  code: string
  description?: string
  /** JSON Schema of `input`. */
  inputSchema: JsonObject
  savedAt: string
}
