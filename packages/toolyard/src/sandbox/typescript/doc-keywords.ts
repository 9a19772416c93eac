/**
 * Constraints in doc comments (`@minimum 1`, `@format email` …) as keywords of JSON Schema. They stand in a property's
 * own comment, or in the text of a `@param`, in braces: `@param n - how many {@minimum 1} {@maximum 10}`.
 */
import type { JsonObject } from "../../model/json.ts"
import type { DocComment, DocTag } from "./doc-comment.ts"

const NUMBERS = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
])
const TEXTS = new Set(["pattern", "format", "title", "contentMediaType", "contentEncoding"])
const OTHERS = new Set(["uniqueItems", "integer", "type", "asType", "default", "example", "examples", "deprecated"])

/** Whether the tag says something about the values of what it stands at. */
export function isKeywordTag(name: string): boolean {
  return NUMBERS.has(name) || TEXTS.has(name) || OTHERS.has(name)
}

export function withDoc(schema: JsonObject, doc: DocComment | undefined): JsonObject {
  if (!doc) return schema
  // What the type says of itself (names of an enum's values) is kept beside what the property says.
  const own = "const" in schema || "enum" in schema ? schema.description : undefined
  const description = [doc.text, own].filter(Boolean).join("\n")
  return withTags({ ...schema, ...(description && { description }) }, doc.tags)
}

export function withTags(schema: JsonObject, tags: readonly DocTag[]): JsonObject {
  const result = { ...schema }
  for (const { name, text } of tags) {
    if (NUMBERS.has(name)) {
      const value = Number(text)
      if (text !== "" && Number.isFinite(value)) result[name] = value
    } else if (TEXTS.has(name)) {
      const value = name === "pattern" ? text.replace(/^\/(.*)\/$/s, "$1") : text
      if (value !== "" && (name !== "pattern" || isPattern(value))) result[name] = value
    } else if (name === "uniqueItems") result.uniqueItems = text !== "false"
    else if (name === "integer" || ((name === "type" || name === "asType") && /^\{?integer\}?$/.test(text))) {
      if (result.type === "number") result.type = "integer"
      else if (Array.isArray(result.type)) result.type = result.type.map(type => (type === "number" ? "integer" : type))
    } else if (name === "default" && text !== "") result.default = toValue(text)
    else if ((name === "example" || name === "examples") && text !== "") {
      const value = toValue(text)
      const before = Array.isArray(result.examples) ? result.examples : []
      result.examples = [...before, ...(name === "examples" && Array.isArray(value) ? value : [value])]
    } else if (name === "deprecated") result.deprecated = true
  }
  return result
}

/** Takes `{@minimum 1}` and the like out of a text. */
export function takeInlineTags(text: string): DocComment {
  const tags: DocTag[] = []
  let rest = ""
  for (let i = 0; i < text.length; ) {
    const tag = /^\{@(\w+)\s*/.exec(text.slice(i))
    const end = tag && isKeywordTag(tag[1] ?? "") ? closingBrace(text, i) : -1
    if (!tag || end === -1) {
      rest += text[i++]
      continue
    }
    tags.push({ name: tag[1] ?? "", text: text.slice(i + tag[0].length, end).trim() })
    i = end + 1
  }
  return {
    text: rest
      .replace(/[ \t]{2,}/g, " ")
      .replace(/\n[ \t]+/g, "\n")
      .trim(),
    tags,
  }
}

/** Patterns have braces of their own. */
function closingBrace(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text[i] === "{") depth++
    else if (text[i] === "}" && --depth === 0) return i
  }
  return -1
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u")
    return true
  } catch {
    return false
  }
}

/** JSON where it is some, the text itself otherwise. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
