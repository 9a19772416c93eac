/** One question over the wire: sent again while the provider says "later", within bounds. Loaded with the libraries. */
import { setTimeout as sleep } from "node:timers/promises"
import { APICallError, generateText, type JSONSchema7, jsonSchema, NoObjectGeneratedError, Output } from "ai"
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import type { ModelUsage } from "../model.ts"
import type { RawAnswer } from "./answer.ts"
import { isTemporary, toFailure, waitAskedFor } from "./failure.ts"
import { openProvider, type ProviderAccess, type ProviderSettings } from "./provider.ts"

export interface Limits {
  /** For one attempt, up to the last byte. */
  timeoutMs: number
  /** After the first attempt. */
  retries: number
  /** Before the first retry; doubled for each one more. */
  backoffMs: number
  /** A provider that asks for more is not waited for. */
  maxWaitMs: number
}

export interface Question {
  instructions: string
  prompt: string
  schema: JsonObject
  signal?: AbortSignal | undefined
}

export interface Reply extends RawAnswer {
  usage: Omit<ModelUsage, "step">
}

export async function ask(access: ProviderAccess, question: Question, limits: Limits): Promise<Reply> {
  const name = `${access.provider}/${access.model}`
  const started = performance.now()
  let isSchemaSent = true
  for (let attempt = 0; ; ) {
    try {
      const settings = await openProvider(access, isSchemaSent)
      const reply = await askOnce(settings, question, limits.timeoutMs)
      return { ...reply, usage: { ...reply.usage, ms: Math.round(performance.now() - started) } }
    } catch (error) {
      if (question.signal?.aborted) throw new YardError("cancelled", `asking ${name} was cancelled`)
      if (isTimeout(error)) {
        throw new YardError("generation_failed", `${name} did not answer within ${limits.timeoutMs} ms`)
      }
      if (isSchemaSent && knowsNoSchemas(error, access)) {
        isSchemaSent = false
        continue
      }
      const wait = isTemporary(error) ? (waitAskedFor(error) ?? limits.backoffMs * 2 ** attempt) : undefined
      if (wait === undefined || attempt >= limits.retries || wait > limits.maxWaitMs) {
        throw toFailure(error, { name, key: access.key })
      }
      attempt++
      await sleep(wait, undefined, { signal: question.signal }).catch(() => {
        throw new YardError("cancelled", `asking ${name} was cancelled`)
      })
    }
  }
}

async function askOnce(settings: ProviderSettings, question: Question, timeoutMs: number): Promise<Reply> {
  // The library would write its remarks to the hub's stderr.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const clock = AbortSignal.timeout(timeoutMs)
  try {
    const result = await generateText({
      ...settings,
      instructions: question.instructions,
      prompt: question.prompt,
      output: Output.object({ schema: jsonSchema(question.schema as JSONSchema7), name: "answer" }),
      // Ours are bounded, and don't wait for minutes.
      maxRetries: 0,
      abortSignal: question.signal ? AbortSignal.any([question.signal, clock]) : clock,
    })
    return toReply(result)
  } catch (error) {
    // It is ours to judge what was said, and to ask again.
    if (NoObjectGeneratedError.isInstance(error)) return toReply(error)
    throw clock.aborted && !question.signal?.aborted ? clock.reason : error
  }
}

interface Outcome {
  text?: string | undefined
  finishReason?: string | undefined
  usage?: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined
  response?: { id?: string; headers?: Record<string, string> } | undefined
}

function toReply({ text = "", finishReason = "unknown", usage, response }: Outcome): Reply {
  const requestId = response?.headers?.["request-id"] ?? response?.headers?.["x-request-id"] ?? response?.id
  return {
    text,
    finishReason,
    usage: {
      ms: 0,
      ...(usage?.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
      ...(usage?.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
      ...(requestId !== undefined && { requestId }),
    },
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError"
}

/** Some servers take `json_object` only. */
function knowsNoSchemas(error: unknown, { provider }: ProviderAccess): boolean {
  if (provider !== "openai-compatible" || !APICallError.isInstance(error)) return false
  return (
    (error.statusCode === 400 || error.statusCode === 422) &&
    /response_format|json_schema/i.test(error.responseBody ?? "")
  )
}
