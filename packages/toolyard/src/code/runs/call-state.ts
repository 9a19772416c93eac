/** One call of a run, as it stands. */
import type { YardError } from "../../model/errors.ts"
import type { RunCallInfo } from "../../model/run.ts"

export interface CallState {
  readonly id: number
  /** tool, fetch, search, results or timer */
  readonly kind: string
  readonly tool: string
  readonly at: number
  /** JSON text, as the script made it. */
  readonly payload: string
  status: RunCallInfo["status"]
  ms?: number
  error?: { code: string; message: string }
}

/** What the script gets for a call: JSON text, of a `ToolError` if it failed. */
export interface Answer {
  ok: boolean
  text: string
}

/** Timers and look-ups are not what a reader of a run wants to see. */
export const isListed = ({ kind }: CallState): boolean => kind === "tool" || kind === "fetch"

export const isDone = ({ status }: CallState): boolean => status === "ok" || status === "error"

export function toCallInfo({ id, tool, status, ms, error }: CallState): RunCallInfo {
  return { id, tool, status, ...(ms !== undefined && { ms }), ...(error && { error }) }
}

/** What becomes a `ToolError` in the script, as JSON text. */
export function toToolError({ kind, payload, tool }: CallState, error: YardError): string {
  const { code, message, data } = error
  const [server, name] = kind === "tool" ? ((JSON.parse(payload) ?? []) as [string, string]) : [undefined, tool]
  const own = (data as { toolError?: { code: string; data?: unknown } } | undefined)?.toolError
  const about = own ?? { code, data }
  return JSON.stringify({ server, tool: name, code: about.code, message, data: about.data })
}

/** What of it is shown. */
export function errorIn(toolError: string): { code: string; message: string } {
  const { code = "interrupted", message = "what it answered is no longer there" } = JSON.parse(toolError) as {
    code?: string
    message?: string
  }
  return { code, message }
}
