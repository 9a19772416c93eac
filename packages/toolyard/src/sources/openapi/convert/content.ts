/** The media types a body may be sent as, and what its schema becomes in the arguments for each. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { BodyContent } from "../operation.ts"
import { follow, type Located } from "../read/resolve.ts"
import { isBinary } from "../schema/keywords.ts"
import { outlineProperties } from "../schema/outline.ts"
import type { SourceOperation } from "./source-operation.ts"

export interface Body {
  required: boolean
  contents: BodyContent[]
  schema: Located
  declared: JsonObject
  /** Where examples of the whole may be. */
  media: JsonObject
}

/** In the order of preference: what is easiest to write, and to get right. */
const PREFERENCE = [
  /^application\/json\b/i,
  /\+json\b|\/json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^multipart\//i,
  /^\*\/\*|^application\/\*/,
  /^text\/plain\b/i,
  /^application\/(?:x-ndjson|jsonl)/i,
  /^text\//i,
  /xml/i,
]

/** What is no object in a form, and what is bytes or text as a whole. */
export function shaped(mediaType: string, schema: Located, source: SourceOperation): Located {
  const target = follow(source.description, schema)?.value
  const empty = !isObject(target) || Object.keys(target).length === 0
  if (isForm(mediaType)) return empty ? { ...schema, value: { type: "object" } } : schema
  if (isJson(mediaType) || /^(?:\*|application)\/\*|^text\/|xml|yaml|csv|html|graphql|javascript/i.test(mediaType)) {
    // XML is written by whoever calls: its schema says what is in it, not how it is written.
    const isText = /^text\/|xml|yaml|csv|html|graphql|javascript/i.test(mediaType)
    if (isText && !isJson(mediaType)) return { ...schema, value: { type: "string", description: `${mediaType} text` } }
    return schema
  }
  return { ...schema, value: { type: "string", format: "byte", description: `${mediaType}, in base64` } }
}

export function toContent(mediaType: string, schema: Located, source: SourceOperation, encoding: unknown): BodyContent {
  const fields = isForm(mediaType) ? outlineProperties(source.description, schema) : []
  const files = fields.filter(field => isFile(field.schema, source)).map(({ name }) => name)
  const written = isObject(encoding) ? encoding : {}
  return {
    mediaType,
    encoding: Object.fromEntries(
      Object.entries(written).flatMap(([name, value]) => (isObject(value) ? [[name, toEncoding(value)]] : [])),
    ),
    files: /^multipart\//i.test(mediaType) ? files : [],
  }
}

function toEncoding(value: JsonObject): BodyContent["encoding"][string] {
  const { contentType, style, explode, headers } = value
  return {
    ...(typeof contentType === "string" && { contentType }),
    ...(isFormStyle(style) && { style }),
    ...(typeof explode === "boolean" && { explode }),
    ...(isObject(headers) && { headers }),
  }
}

type FormStyle = "form" | "spaceDelimited" | "pipeDelimited" | "deepObject"

function isFormStyle(style: unknown): style is FormStyle {
  return style === "form" || style === "spaceDelimited" || style === "pipeDelimited" || style === "deepObject"
}

function isFile(field: Located, source: SourceOperation): boolean {
  const schema = follow(source.description, field)
  if (!schema || !isObject(schema.value)) return false
  if (isBinary(schema.value) && schema.value.format !== "byte") return true
  const { items } = schema.value
  return schema.value.type === "array" && isObject(items) && isFile({ ...schema, value: items }, source)
}

export function sorted(types: readonly string[]): string[] {
  const rank = (type: string) => {
    const index = PREFERENCE.findIndex(pattern => pattern.test(type))
    // Bytes come before XML and other text, which needs more skill to write, but after all forms.
    return index === -1 ? 5.5 : index
  }
  return [...types].sort((a, b) => rank(a) - rank(b))
}

export function isForm(mediaType: string): boolean {
  return /^multipart\/|^application\/x-www-form-urlencoded/i.test(mediaType)
}

function isJson(mediaType: string): boolean {
  return /[/+]json\b|jsonl|ndjson/i.test(mediaType)
}
