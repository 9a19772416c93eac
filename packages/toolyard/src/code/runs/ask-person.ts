/** Asks a person about a call of a run: the run waits meanwhile, and so do the runs whose scripts run it. */
import type { JsonObject } from "../../model/json.ts"
import type { Approvals } from "../../policy/approvals.ts"
import { RunCall, type RunOfCall } from "./run-call.ts"

export async function askPerson(
  approvals: Approvals,
  question: { tool: string; args: JsonObject; because: string },
  call: RunCall,
): Promise<void> {
  const { run, callId } = call
  const around = runsAround(run)
  let id: string | undefined
  try {
    await approvals.request({ ...question, runId: run.id, callId, done: run.done() }, call, {
      onWaiting(approval, isAsked) {
        id = approval.id
        run.waits(callId, approval, isAsked)
        for (const outer of around) outer.waitsWith(approval, isAsked)
      },
      onUnanswered() {
        run.unanswered(callId)
        for (const outer of around) outer.unanswered(id as string)
      },
    })
  } finally {
    if (id !== undefined) for (const outer of around) outer.goesOn(id)
  }
  await run.approved(callId)
}

function runsAround({ outer }: RunOfCall): RunOfCall[] {
  return outer instanceof RunCall ? [outer.run, ...runsAround(outer.run)] : []
}
