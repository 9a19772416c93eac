/** Which model is asked when not everything is said: what the command line names, then the configuration, then the key. */
import { YardError } from "../../model/errors.ts"
import { parseModelName } from "./llm/model-name.ts"

export interface ModelChoice {
  /** `provider/name`, or the name alone where a provider is given. */
  model?: string | undefined
  provider?: string | undefined
  /** `llm` of the configuration. */
  llm?: string | undefined
  env: Record<string, string | undefined>
}

/** In the order in which a key is looked for. */
const DEFAULTS = [
  { provider: "anthropic", model: "claude-sonnet-4-5", key: "ANTHROPIC_API_KEY" },
  { provider: "openai", model: "gpt-5", key: "OPENAI_API_KEY" },
]

/** As `provider/name`. Throws when a provider or a model is named that can't be one. */
export function chooseModel({ model, provider, llm, env }: ModelChoice): string {
  if (model !== undefined) return nameOf(model, provider)
  if (provider !== undefined) {
    const preset = DEFAULTS.find(known => known.provider === provider)
    if (preset) return `${provider}/${preset.model}`
    // An unknown provider is told before a missing model.
    parseModelName("any", provider)
    throw new YardError("usage", `no model is named for ${provider}`, { hint: "Name one with --model." })
  }
  if (llm !== undefined) return nameOf(llm)
  const { provider: first, model: name } = DEFAULTS.find(({ key }) => env[key]) ?? (DEFAULTS[0] as (typeof DEFAULTS)[0])
  return `${first}/${name}`
}

function nameOf(name: string, given?: string): string {
  const { provider, model } = parseModelName(name, given)
  return `${provider}/${model}`
}
