/** What a server offers when the configuration adds to it. Pure. */
import type { ServerConfig } from "../../model/config.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { Offer } from "../../model/source.ts"
import type { Additions } from "./additions.ts"

/** What is written overrides what is discovered under the same name; what is discovered comes first. */
export function mergeOffers(
  config: ServerConfig,
  additions: Additions,
  inner: Offer | undefined,
  isOverlay: boolean,
): Offer {
  const found = inner && config.discover ? inner : undefined
  const keep = <T>(items: T[] | undefined, written: ReadonlyMap<string, unknown>, key: (item: T) => string): T[] =>
    items?.filter(item => !written.has(key(item))) ?? []
  const definitions = <T>(items: ReadonlyMap<string, { definition: T }>): T[] =>
    [...items.values()].map(({ definition }) => definition)

  const tools = keep(inner?.tools, additions.tools, tool => tool.name).filter(({ name }) => isDiscovered(config, name))
  const offer: Offer = {
    tools: [...tools, ...definitions(additions.tools)],
    resources: [
      ...keep(found?.resources, additions.resources, resource => resource.uri),
      ...definitions(additions.resources),
    ],
    templates: [
      ...keep(found?.templates, additions.templates, template => template.uriTemplate),
      ...definitions(additions.templates),
    ],
    prompts: [...keep(found?.prompts, additions.prompts, prompt => prompt.name), ...definitions(additions.prompts)],
    // A server that was never up may yet have anything: none at all says so.
    capabilities: isOverlay && !inner ? {} : capabilitiesOf(config, additions, inner?.capabilities ?? {}),
  }
  if (inner?.info) offer.info = inner.info
  if (inner?.instructions !== undefined) offer.instructions = inner.instructions
  return offer
}

/** Without discovery, only what the entry names is taken of what there is. */
export const isDiscovered = (config: ServerConfig, tool: string): boolean =>
  config.discover || Object.hasOwn(config.tools, tool)

function capabilitiesOf(
  config: ServerConfig,
  { tools, resources, templates, prompts }: Additions,
  inner: JsonObject,
): JsonObject {
  const { resources: _resources, prompts: _prompts, completions: _completions, ...others } = inner
  const base = config.discover ? inner : others
  const having = (key: string, present: boolean, more: JsonObject = {}): JsonObject =>
    present ? { [key]: { ...(isObject(base[key]) && base[key]), ...more } } : {}
  return {
    ...base,
    ...having("tools", tools.size > 0),
    ...having("resources", resources.size + templates.size > 0, { subscribe: true }),
    ...having("prompts", prompts.size > 0),
    ...having("completions", prompts.size + templates.size > 0),
  }
}
