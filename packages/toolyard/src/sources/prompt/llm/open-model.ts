/** A language model behind one question: an answer that fits a schema, or an error that says why there is none. */
import * as z from "zod"
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import type { Model, ModelUsage } from "../model.ts"
import { readAnswer } from "./answer.ts"
import type { Limits } from "./ask.ts"
import { checkBaseUrl, findKey, parseModelName } from "./model-name.ts"

export interface ModelOptions extends Partial<Limits> {
  /** `provider/model`, or the model alone when the provider is given. */
  model: string
  provider?: string | undefined
  /** Else it is `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` of the environment. */
  apiKey?: string | undefined
  baseUrl?: string | undefined
  env?: Record<string, string | undefined>
  /** Told of every exchange, the ones that were of no use included. */
  usage?: (usage: ModelUsage) => void
}

const LIMITS: Limits = { timeoutMs: 180_000, retries: 3, backoffMs: 1000, maxWaitMs: 30_000 }
/** The first answer, and one more when it can't be used. */
const ATTEMPTS = 2

/** Throws at once for what can't work: an unknown provider, a missing key, a bad address. Nothing is sent yet. */
export function openModel(options: ModelOptions): Model {
  const { env = process.env, usage } = options
  const { provider, model } = parseModelName(options.model, options.provider)
  const baseUrl = checkBaseUrl(provider, options.baseUrl)
  const access = { provider, model, key: findKey(provider, options.apiKey, env), baseUrl }
  const limits = {
    timeoutMs: options.timeoutMs ?? LIMITS.timeoutMs,
    retries: options.retries ?? LIMITS.retries,
    backoffMs: options.backoffMs ?? LIMITS.backoffMs,
    maxWaitMs: options.maxWaitMs ?? LIMITS.maxWaitMs,
  }
  const name = `${provider}/${model}`
  return {
    name,
    async generate({ step, instructions, prompt, schema, signal }) {
      const { ask } = await import("./ask.ts")
      const wanted = z.toJSONSchema(schema, { target: "draft-7" }) as JsonObject
      const rules = `${instructions}\n\nAnswer with one JSON object and nothing else. It fits this JSON Schema:\n${JSON.stringify(wanted)}`
      let fault = ""
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const again =
          attempt === 0 ? "" : `\n\nYour last answer could not be used: ${fault}. Answer again, with that put right.`
        const question = {
          instructions: rules.toWellFormed(),
          prompt: (prompt + again).toWellFormed(),
          schema: wanted,
          signal,
        }
        const reply = await ask(access, question, limits)
        usage?.({ step, ...reply.usage })
        const answer = readAnswer(reply, schema)
        if ("value" in answer) return answer.value
        fault = answer.fault
      }
      throw new YardError("generation_failed", `${name} gave no usable answer for "${step}": ${fault}`)
    },
  }
}
