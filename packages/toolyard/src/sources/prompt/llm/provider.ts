/** The libraries that speak to the providers, loaded when the first question is asked. */
import type { LanguageModel } from "ai"
import type { Provider } from "./model-name.ts"

export interface ProviderAccess {
  provider: Provider
  model: string
  key: string | undefined
  baseUrl: string | undefined
}

export type ProviderSettings = {
  model: LanguageModel
  maxOutputTokens?: number
  providerOptions?: Record<string, Record<string, string | boolean>>
}

/** Enough for any plan; models with less are given what they have. */
const MAX_OUTPUT_TOKENS = 16_000

/** `isSchemaSent` is false for servers that know JSON, but no schemas. */
export async function openProvider(access: ProviderAccess, isSchemaSent: boolean): Promise<ProviderSettings> {
  const { provider, model, key, baseUrl } = access
  const options = { ...(key !== undefined && { apiKey: key }), ...(baseUrl !== undefined && { baseURL: baseUrl }) }
  if (provider === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic")
    return { model: createAnthropic(options)(model), maxOutputTokens: MAX_OUTPUT_TOKENS }
  }
  if (provider === "openai") {
    const { createOpenAI } = await import("@ai-sdk/openai")
    // Strict schemas know no optional fields. What is asked is nobody's to keep.
    return {
      model: createOpenAI(options)(model),
      providerOptions: { openai: { strictJsonSchema: false, store: false } },
    }
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
  const name = "compatible"
  const open = createOpenAICompatible({
    ...options,
    name,
    baseURL: baseUrl ?? "",
    supportsStructuredOutputs: isSchemaSent,
  })
  return { model: open(model), providerOptions: { [name]: { strictJsonSchema: false } } }
}
