/** Tells from its content whether a document describes an API so that no model is needed to understand it. */
import { isObject } from "../../../model/json.ts"
import type { FoundDescription } from "../model.ts"

/** What such files are called. */
const NAME =
  /(?:^|[/._-])(?:openapi|swagger|api-docs|apidocs)[\w.-]*\.(?:json|ya?ml)$|\/v\d\/api-docs$|\.graphqls?$|[._-]postman_collection\.json$/i
const MAYBE = /openapi|swagger|api-?docs|graphql|postman/i
const YAML_TOP = /^(?:["']?)(openapi|swagger)(?:["']?)\s*:\s*["']?\d/m
const YAML_PARTS = /^(?:["']?)(?:paths|webhooks|components)(?:["']?)\s*:/m
const SDL_START = /^(?:type|interface|enum|input|scalar|union|directive|schema|extend)\b|^"/
const SDL_ROOT =
  /^(?:extend\s+)?type\s+(?:Query|Mutation)\s*(?:(?:implements\b|@)[^{]{0,500})?\{|^schema\s*(?:@[^{]{0,500})?\{/m

export function describesApi(text: string): FoundDescription["kind"] | undefined {
  const first = firstLine(text)
  if (first.startsWith("{")) return kindOfJson(text)
  // A Markdown page with an example in it is none.
  if (/^```/m.test(text)) return undefined
  if (/^["']?[\w-]+["']?\s*:/.test(first) && YAML_TOP.test(text) && YAML_PARTS.test(text)) return "openapi"
  if (SDL_START.test(first) && SDL_ROOT.test(text)) return "graphql"
  return undefined
}

/** Whether an address plainly leads to a description. */
export function isDescriptionName(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && NAME.test(url.pathname)
}

/** Those of a text's addresses and relative links that plainly lead to descriptions. */
export function descriptionLinks(text: string, base: URL, urls: readonly URL[]): URL[] {
  const found = [...urls]
  for (const [, target = ""] of text.matchAll(/\]\(\s*<?([^\s()<>[\]]{4,1000})/g)) {
    if (MAYBE.test(target) && URL.canParse(target, base.href)) found.push(new URL(target, base))
  }
  return found.filter(isDescriptionName)
}

function kindOfJson(text: string): FoundDescription["kind"] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""))
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const { openapi, swagger, paths, webhooks, components, data, info, item, log } = value
  if ((isVersion(openapi) || isVersion(swagger)) && [paths, webhooks, components].some(isObject)) return "openapi"
  if (isObject(value.__schema) || (isObject(data) && isObject(data.__schema))) return "graphql"
  if (
    isObject(info) &&
    Array.isArray(item) &&
    (info._postman_id !== undefined || /postman/i.test(String(info.schema)))
  ) {
    return "postman"
  }
  if (isObject(log) && Array.isArray(log.entries)) return "har"
  return undefined
}

function isVersion(value: unknown): boolean {
  return (typeof value === "string" && /^\d/.test(value)) || typeof value === "number"
}

/** The first line that says something: no comment, no document mark. */
function firstLine(text: string): string {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const plain = line.replace(/^\ufeff/, "").trim()
    if (plain !== "" && !plain.startsWith("#") && plain !== "---" && !plain.startsWith("%YAML")) return plain
  }
  return ""
}
