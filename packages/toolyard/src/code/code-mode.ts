/** Code mode as surfaces see it: scripts that run, runs that last, scripts that are kept. */
import type { Call } from "../model/call.ts"
import type {
  Approval,
  Decision,
  RunDetails,
  RunEvent,
  RunReport,
  RunRequest,
  RunSummary,
  SavedScript,
} from "../model/run.ts"

export interface ExecuteOptions {
  /** Answer after so long even if the run still works; it goes on. */
  waitMs?: number
  /** Answer only when the run has ended, also when it waits for people who are asked elsewhere. */
  toTheEnd?: boolean
  /** Told what happens while the answer is awaited. */
  watch?: (event: RunEvent) => void
}

export interface ResumeOptions extends ExecuteOptions {
  decision?: Decision
  /** Why it was denied, in a person's words. */
  reason?: string
  cancel?: boolean
}

export interface CodeMode {
  /** A script that fails is a report with `error`, not a rejection; rejects for a bad request only. */
  execute(request: RunRequest, call: Call, options?: ExecuteOptions): Promise<RunReport>
  /** Waits for a run, decides what it waits for, or ends it. */
  resume(runId: string, call: Call, options?: ResumeOptions): Promise<RunReport>
  /** Runs the same script on the same input again; answers come from the record, no tool is called. */
  replay(runId: string, call: Call): Promise<RunReport>
  /** Newest first; `before` is the last id of the page before. */
  runs(options?: { limit?: number; before?: string }): Promise<RunSummary[]>
  run(runId: string): Promise<RunDetails>
  approvals(): Promise<Approval[]>
  /** By the approval's id, or by the run's (all that wait in it). */
  decide(id: string, decision: Decision, options: { by: string; reason?: string }): Promise<Approval[]>
  scripts(): Promise<SavedScript[]>
  /** `name`, or `name@version` for an older one. */
  script(name: string): Promise<SavedScript>
  saveScript(name: string, source: { code: string } | { runId: string }, description?: string): Promise<SavedScript>
  removeScript(name: string): Promise<void>
  /** Declarations (`.d.ts`) of everything, of one server, or of one tool. Names as configured or as in TypeScript. */
  types(options?: { server?: string; tool?: string }): string
  /** A typed client (`.ts`) for programs outside; it finds the hub at `url`, `TOOLYARD_URL` or the default address. */
  client(options: { server?: string; tool?: string; url?: string }): string
  /** Gets the sandbox and the compiler ready. */
  warm(): void
  close(): Promise<void>
}
