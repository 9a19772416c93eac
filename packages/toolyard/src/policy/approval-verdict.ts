/** What the end of a question means for the call that waited, and for those who come too late to decide. */
import { YardError } from "../model/errors.ts"
import type { Ending } from "./approval-question.ts"

/** Denial, time-out and withdrawal are different errors: what an agent should do next differs. */
export function checkApproved({ id, tool, outcome, by, reason }: Ending): void {
  const data = { approval: id }
  const why = reason === undefined ? "" : `: ${reason}`
  switch (outcome) {
    case "approve":
    case "always":
      return
    case "deny":
      throw new YardError("approval_denied", `${tool} was denied by ${by}${why}`, { data: { ...data, by, reason } })
    case "timeout":
      throw new YardError("approval_timeout", `${tool} was not approved${why}`, { data })
    case "withdrawn":
      throw new YardError("cancelled", `the question about ${tool} was withdrawn${why}`, { data })
  }
}

const HOW: Record<Ending["outcome"], (ending: Ending) => string> = {
  approve: ({ by }) => `was decided already: approved by ${by}`,
  always: ({ by }) => `was decided already: approved, with all further calls of that tool, by ${by}`,
  deny: ({ by, reason }) => `was decided already: denied by ${by}${reason === undefined ? "" : ` (${reason})`}`,
  timeout: () => "is no longer open: nobody decided in time",
  withdrawn: () => "is no longer open: the call was given up",
}

export function alreadyEnded(ending: Ending): YardError {
  const { id, tool, outcome, at } = ending
  return new YardError("unknown_approval", `${id} (${tool}) ${HOW[outcome](ending)}, ${at}`, { data: ending })
}
