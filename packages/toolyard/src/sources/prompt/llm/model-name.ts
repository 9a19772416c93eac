/** Which model is meant, and whether it can be asked at all: known before anything is fetched or spent. */
import { YardError } from "../../../model/errors.ts"

export const PROVIDERS = ["anthropic", "openai", "openai-compatible"] as const
export type Provider = (typeof PROVIDERS)[number]

export interface ModelName {
  provider: Provider
  /** As the provider knows it; may have slashes of its own. */
  model: string
}

const KEYS: Record<Provider, string | undefined> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  // Servers of one's own often want none.
  "openai-compatible": undefined,
}
const EXAMPLE = 'Write it as provider/model, for example "anthropic/claude-sonnet-4-5".'

/** `anthropic/claude-…`; where the provider is given besides, the whole name is the model's. */
export function parseModelName(name: string, provider?: string): ModelName {
  const text = name.trim()
  const slash = text.indexOf("/")
  const own = text.slice(0, Math.max(0, slash))
  // With both `--provider openai` and `openai/gpt-…`, the name says it twice.
  const isTwice = provider !== undefined && own === provider
  const chosen = provider ?? own
  const model = provider === undefined || isTwice ? text.slice(slash + 1) : text
  if (chosen === "") throw new YardError("usage", `the model "${text}" has no provider`, { hint: EXAMPLE })
  if (!isProvider(chosen)) {
    throw new YardError("usage", `"${chosen}" is not a provider of models; there are ${PROVIDERS.join(", ")}`, {
      hint: EXAMPLE,
    })
  }
  if (model === "") throw new YardError("usage", `no model is named after "${chosen}/"`, { hint: EXAMPLE })
  return { provider: chosen, model }
}

/** The key to use; `undefined` where none is needed. */
export function findKey(
  provider: Provider,
  given: string | undefined,
  env: Record<string, string | undefined>,
): string | undefined {
  const variable = KEYS[provider]
  const key = (given || (variable && env[variable]) || "").trim()
  if (key !== "") {
    if (/^[\x21-\x7e]+$/.test(key)) return key
    throw new YardError("usage", `the key for ${provider} has characters that no key has`, {
      hint: "Copy the key again, without spaces or line breaks.",
    })
  }
  if (variable === undefined) return undefined
  throw new YardError("usage", `there is no key for ${provider}`, {
    hint: `Set ${variable}, or give the key with \`--api-key\`.`,
  })
}

/** Where the provider is asked; `undefined` for its own address. */
export function checkBaseUrl(provider: Provider, baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || baseUrl.trim() === "") {
    if (provider !== "openai-compatible") return undefined
    throw new YardError("usage", "openai-compatible needs the address of the server", {
      hint: "Give it with `--base-url`, for example http://127.0.0.1:11434/v1.",
    })
  }
  const text = baseUrl.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new YardError("usage", `the base URL for ${provider} is not an http or https address without a password`, {
      hint: "Give the whole address, for example http://127.0.0.1:11434/v1.",
    })
  }
  // Every provider has its API below this path, and many write the address without it.
  return url.pathname === "/" ? `${url.origin}/v1` : text.replace(/\/+$/, "")
}

function isProvider(name: string): name is Provider {
  return (PROVIDERS as readonly string[]).includes(name)
}
