/** A question to a person, and its end: as they are put, as they are kept, as they are shown. */
import type { Call } from "../model/call.ts"
import type { JsonObject } from "../model/json.ts"
import type { Approval, Decision } from "../model/run.ts"

/** What the caller of `request` says. */
export interface ApprovalQuestion {
  tool: string
  args: JsonObject
  /** Why it is asked: the rule. */
  because: string
  /** Both or neither: a call of a run. Asked again after a restart, they lead to the same question. */
  runId?: string
  callId?: number
  /** What the run has done before. */
  done: Approval["done"]
}

/** A question as it is kept. */
export interface Question extends Approval {
  callId?: number
  /** When it was asked, finer than `askedAt`: calls that are made together are listed in their order. */
  order: number
  /** Within what `always` holds: a run, or one session of one hub. */
  scope: string
  /** The hub at which a direct call waits. A run has none: it outlasts its hub. */
  owner?: string
}

/** How a question ended; the first ending counts. */
export interface Ending {
  id: string
  runId?: string
  callId?: number
  tool: string
  outcome: Decision | "timeout" | "withdrawn"
  /** Who decided, in words for a message. */
  by: string
  reason?: string
  at: string
}

export type Outcome = Pick<Ending, "outcome" | "by" | "reason">

export type Draft = Omit<Question, "id" | "order" | "askedAt" | "expiresAt">

const MAX_NAME = 100
/** What does not show, or turns around what stands beside it: with it a text could look like another. */
export const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u007f-\u009f]/gu

export function toDraft(
  { tool, args, because, runId, callId, done }: ApprovalQuestion,
  { caller: { surface, startedFrom, client, session, principal } }: Call,
  hub: string,
): Draft {
  const from = startedFrom ?? surface
  const caller = client === undefined ? from : `${from} (${oneLine(client)})`
  const shared = { tool, args, because, done, caller }
  if (runId !== undefined) return { ...shared, runId, callId, scope: `run ${runId}` }
  // Stateless clients have no session: `always` then covers what calls itself the same, for the same principal.
  const who = session === undefined ? [principal, surface, client] : [session]
  return { ...shared, scope: JSON.stringify([hub, ...who]), owner: hub }
}

export function toApproval({ callId, order, scope, owner, ...approval }: Question): Approval {
  return approval
}

/** A name that came from outside, for a line of ours. */
export function oneLine(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .toWellFormed()
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
}
