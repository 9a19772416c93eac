/** What a command can do with code mode; the same whether a hub runs the scripts or this process does. */
import type { CodeMode, ResumeOptions } from "../../code/code-mode.ts"
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { toYardError } from "../../model/errors.ts"
import type { Approval, Decision, RunReport, RunRequest } from "../../model/run.ts"

export interface FollowOptions extends ResumeOptions {
  /** Fires when nobody wants the answer any more. */
  signal: AbortSignal
}

export interface CodeClient
  extends Pick<CodeMode, "runs" | "run" | "approvals" | "scripts" | "script" | "saveScript" | "removeScript"> {
  /** A run is ended when the signal fires, unless it was to be in the background. */
  execute(request: RunRequest, options: FollowOptions): Promise<RunReport>
  /** The run goes on when the signal fires. */
  resume(runId: string, options: FollowOptions): Promise<RunReport>
  replay(runId: string, signal: AbortSignal): Promise<RunReport>
  decide(id: string, decision: Decision, reason?: string): Promise<Approval[]>
  types(about: { server?: string; tool?: string }): Promise<string>
  /** A run is about to come. */
  warm(): void
}

/** Who decided, in the record and in what a script is told. */
export const DECIDED_BY = "the user of the command line"

export function toCodeClient(code: CodeMode, caller: Caller): CodeClient {
  const callFor = (signal: AbortSignal, more: Partial<Caller> = {}): Call => {
    const call = new Call({ ...caller, ...more })
    const leave = (): void => call.abort(toYardError(signal.reason))
    if (signal.aborted) leave()
    else signal.addEventListener("abort", leave, { once: true })
    return call
  }
  return {
    execute({ readOnly, ...request }, { signal, ...options }) {
      const call = callFor(signal, readOnly === undefined ? {} : { readOnly })
      return code.execute({ ...request, ...(readOnly !== undefined && { readOnly }) }, call, options)
    },
    resume: (runId, { signal, ...options }) => code.resume(runId, callFor(signal), options),
    replay: (runId, signal) => code.replay(runId, callFor(signal)),
    decide: (id, decision, reason) =>
      code.decide(id, decision, { by: DECIDED_BY, ...(reason !== undefined && { reason }) }),
    types: async about => code.types(about),
    warm: () => code.warm(),
    runs: options => code.runs(options),
    run: runId => code.run(runId),
    approvals: () => code.approvals(),
    scripts: () => code.scripts(),
    script: name => code.script(name),
    saveScript: (name, source, description) => code.saveScript(name, source, description),
    removeScript: name => code.removeScript(name),
  }
}
