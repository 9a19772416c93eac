/** A call that a script makes: it passes on to the run's own caller what that caller can take. */
import { Call } from "../../model/call.ts"
import type { Caller } from "../../model/caller.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import type { AskMethod } from "../../model/mcp.ts"
import type { Approval } from "../../model/run.ts"
import type { StartRow } from "./rows.ts"

/** The run as its calls see it. */
export interface RunOfCall {
  readonly id: string
  /** How many runs stand around this one. */
  readonly depth: number
  /** Whoever waits for the run at the moment. */
  readonly outer: Call | undefined
  /** What it has done before. */
  done(): Approval["done"]
  /** `isAsked`: whoever waits for the run is asked, and will decide or leave it to others. */
  waits(callId: number, approval: Approval, isAsked?: boolean): void
  /** A script that it runs waits, and it with it, until `goesOn` with the approval's id. */
  waitsWith(approval: Approval, isAsked: boolean): void
  goesOn(approvalId: string): void
  /** By the call's own id, or by that of the approval that it waits with. */
  unanswered(id: number | string): void
  /** Resolves when it is written down that the call may be made. */
  approved(callId: number): Promise<void>
}

/** Who calls in a run: it may do what its own caller may, or less. */
export function toRunCaller({ caller, readOnly = false }: Pick<StartRow, "caller" | "readOnly">): Caller {
  const { surface, readOnly: own = false } = caller
  const both = [readOnly, own]
  return {
    ...caller,
    surface: "run",
    ...(surface !== "run" && { startedFrom: surface }),
    readOnly: both.includes("strict") ? "strict" : both.includes(true),
  }
}

export class RunCall extends Call {
  readonly run: RunOfCall
  readonly callId: number

  constructor(run: RunOfCall, callId: number, caller: Caller) {
    super(caller, run.outer?.capabilities ?? {})
    this.run = run
    this.callId = callId
    this.logLevel = run.outer?.logLevel
  }

  override get isAway(): boolean {
    return this.run.outer?.isAway ?? false
  }

  override notify(method: string, params: JsonObject | undefined): void {
    this.run.outer?.notify(method, params)
  }

  override ask(method: AskMethod, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    const { outer } = this.run
    if (outer) return outer.ask(method, params, signal)
    return Promise.reject(new YardError("client_cannot", `nobody waits for run ${this.run.id} who could answer`))
  }
}
