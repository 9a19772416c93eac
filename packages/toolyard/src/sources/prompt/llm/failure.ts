/** What is said when a provider fails: which one, how, and what to do, but never the key or what was asked. */
import { APICallError } from "ai"
import { YardError } from "../../../model/errors.ts"

export interface FailureContext {
  /** `provider/model`. */
  name: string
  key: string | undefined
}

const MAX_CHARS = 300

export function isTemporary(error: unknown): error is APICallError {
  if (!APICallError.isInstance(error)) return false
  const status = error.statusCode
  return status === undefined ? error.isRetryable : status === 408 || status === 429 || status >= 500
}

/** What the provider asks to wait, in ms. */
export function waitAskedFor(error: APICallError): number | undefined {
  const headers = error.responseHeaders ?? {}
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "")
  if (ms >= 0) return ms
  const after = headers["retry-after"]
  if (after === undefined) return undefined
  const seconds = Number(after)
  const wait = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

export function toFailure(error: unknown, { name, key }: FailureContext): YardError {
  if (error instanceof YardError) return error
  if (!APICallError.isInstance(error)) {
    return new YardError("generation_failed", `${name} could not be asked: ${clean(messageOf(error), key)}`)
  }
  const { statusCode: status } = error
  const said = clean(error.message, key)
  if (status === undefined) {
    return new YardError("generation_failed", `${name} could not be reached: ${said}`, {
      hint: "Check the network, and the base URL if there is one.",
    })
  }
  return new YardError("generation_failed", `${name} answered ${status}: ${said}`, {
    ...hintFor(status),
    data: { status },
  })
}

function hintFor(status: number): { hint?: string } {
  if (status === 401 || status === 403)
    return { hint: "The key was not accepted: check it, and what it may be used for." }
  if (status === 404) return { hint: "Check the name of the model, and the base URL if there is one." }
  if (status === 413) return { hint: "The documentation is too long for this model; name fewer pages in the prompt." }
  if (status === 429) return { hint: "The provider's limit is reached; try again later." }
  return {}
}

/** Providers like to repeat the key, or the end of it. */
function clean(text: string, key: string | undefined): string {
  const hidden = key === undefined ? text : text.replaceAll(key, "[key]")
  return hidden
    .replace(/\b(?:sk|pk|key|xai|gsk)-[\w*.-]{6,}/gi, "[key]")
    .replace(/\s+/g, " ")
    .slice(0, MAX_CHARS)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
