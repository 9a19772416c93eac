/** The body of a request, in the media type that the operation wants. */
import { randomUUID } from "node:crypto"
import { isGiven, isObject, percent, type Style, toPairs, toText } from "./encode.ts"

export interface BodyPlan {
  /** The argument that holds it, if not `body`. */
  argument?: string
  required?: true
  /** In the order of preference. */
  contents: BodyContent[]
}
export interface BodyContent {
  type: string
  /** For forms: how a field is written, where it is not the usual way. */
  fields?: Record<string, { contentType?: string; style?: Style; explode?: boolean }>
  /** Fields that are files: base64 in the arguments, bytes on the wire. */
  files?: string[]
}
export interface Body {
  bytes: Buffer
  contentType: string
}

const FORM = "application/x-www-form-urlencoded"
const isJson = (type: string): boolean => /^(?:application|text)\/(?:.+\+)?json$/.test(type)
const isJsonLines = (type: string): boolean =>
  /^application\/(?:x-)?(?:ndjson|jsonl|json-?lines|json-seq|stream\+json)$/.test(type)
const isText = (type: string): boolean =>
  /^text\/|^[a-z]+\/(?:.+\+)?xml(?:-.+)?$/.test(type) ||
  /^application\/(?:(?:x-)?(?:yaml|javascript|sh|toml)|graphql|sql|jwt|.+\+yaml)$/.test(type)
const essence = (type: string): string => (type.split(";", 1)[0] as string).trim().toLowerCase()

export function toBody(plan: BodyPlan, args: Record<string, unknown>, wanted: string | undefined): Body | undefined {
  const { argument = "body", required, contents } = plan
  const value = args[argument]
  if (value === undefined || (value === null && !required)) {
    if (required) throw new Error(`\`${argument}\` is missing: the request needs a body`)
    return undefined
  }
  // Some APIs offer forms for what has no fields.
  const canHold = (type: string): boolean => isObject(value) || !(type === FORM || type.startsWith("multipart/"))
  const content =
    contents.find(({ type }) => wanted && essence(type) === essence(wanted)) ??
    contents.find(
      ({ files = [] }) => isObject(value) && files.some(file => value[file] !== undefined && value[file] !== null),
    ) ??
    contents.find(({ type }) => canHold(essence(type))) ??
    (contents[0] as BodyContent)
  const type = essence(content.type)
  const as = (text: string, contentType = content.type): Body => ({ bytes: Buffer.from(text), contentType })
  // A type with a star is a family of types: its plainest member is sent.
  if (isJson(type) || type === "*/*")
    return as(JSON.stringify(value), type.includes("*") ? "application/json" : content.type)
  if (type === FORM) return as(toForm(fieldsOf(value, argument), content))
  if (type.startsWith("multipart/")) {
    if (isObject(value)) return toMultipart(fieldsOf(value, argument), content, type)
    // No field is named, so it can only be the file itself.
    return toMultipart([["file", value]], { ...content, files: ["file"] }, type)
  }
  if (isJsonLines(type))
    return as(
      [value]
        .flat()
        .map(line => `${JSON.stringify(line)}\n`)
        .join(""),
    )
  if (isText(type) && typeof value === "object") throw new Error(`\`${argument}\` is sent as ${type}: give it as text`)
  if (isText(type)) return as(toText(value), type === "text/*" ? "text/plain" : content.type)
  const file = toFile(value, argument)
  const isOwn = type.includes("*") || (isObject(value) && typeof value.contentType === "string")
  return { bytes: file.bytes, contentType: isOwn ? file.contentType : content.type }
}

function toForm(fields: [string, unknown][], { fields: known = {} }: BodyContent): string {
  const pairs = fields.flatMap(([name, item]) => {
    const { contentType, style, explode } = Object.hasOwn(known, name) ? known[name]! : {}
    if (contentType !== undefined && isJson(essence(contentType)) && style === undefined)
      return [[percent(name), percent(JSON.stringify(item))]]
    if (style === undefined && explode === undefined && !Array.isArray(item))
      return [[percent(name), percent(toText(item))]]
    const used = style ?? "form"
    return toPairs({ name, style: used, explode: explode ?? used === "form" }, item, percent)
  })
  // In a form, unlike in an address, the commas between items are encoded too.
  return pairs.map(pair => pair.join("=").replaceAll(",", "%2C")).join("&")
}

function toMultipart(fields: [string, unknown][], content: BodyContent, type: string): Body {
  const boundary = `part-${randomUUID()}`
  const chunks: Buffer[] = []
  for (const [name, item] of fields) {
    const isFile = content.files?.includes(name) === true
    const known = content.fields && Object.hasOwn(content.fields, name) ? content.fields[name] : undefined
    const declared = known?.contentType
      ?.split(",")
      .map(one => one.trim())
      .find(one => !one.includes("*"))
    const kind = essence(declared ?? "")
    const isWhole = isJson(essence(known?.contentType ?? "")) && !isFile
    // A list is its items, one part each.
    for (const single of Array.isArray(item) && !isWhole ? item.filter(isGiven) : [item]) {
      const file = isFile ? toFile(single, name) : undefined
      const isOwn = isObject(single) && typeof single.contentType === "string"
      const plain = declared ?? (typeof single === "object" ? "application/json" : undefined)
      const contentType = file ? (isOwn ? file.contentType : (declared ?? file.contentType)) : plain
      const filename = file ? `; filename="${quoted(file.filename ?? name)}"` : ""
      const head = [`Content-Disposition: form-data; name="${quoted(name)}"${filename}`]
      if (contentType !== undefined) head.push(`Content-Type: ${contentType.replace(/[\r\n]+/g, " ")}`)
      const text = isJson(kind) ? JSON.stringify(single) : toText(single)
      chunks.push(Buffer.from(`--${boundary}\r\n${head.join("\r\n")}\r\n\r\n`))
      chunks.push(file?.bytes ?? Buffer.from(text), Buffer.from("\r\n"))
    }
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { bytes: Buffer.concat(chunks), contentType: `${type}; boundary=${boundary}` }
}

/** Base64, a `data:` URL, or `{ data, filename?, contentType? }`. */
function toFile(value: unknown, name: string): { bytes: Buffer; contentType: string; filename?: string } {
  const { data, filename, contentType } = (isObject(value) ? value : { data: value }) as Record<string, unknown>
  const url = typeof data === "string" ? /^data:([^;,]*)(?:;[^,;]*)*;base64,/.exec(data) : undefined
  const text = typeof data === "string" ? data.slice(url?.[0].length ?? 0).replace(/\s+/g, "") : "?"
  const isBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1
  if (!isBase64) throw new Error(`\`${name}\` is sent as a file, and is not base64`)
  const bytes = Buffer.from(text, "base64")
  return {
    bytes,
    contentType: typeof contentType === "string" ? contentType : url?.[1] || mediaTypeOf(bytes),
    ...(typeof filename === "string" && { filename }),
  }
}

/** By the first bytes. */
export function mediaTypeOf(bytes: Buffer): string {
  const head = bytes.toString("latin1", 0, 16)
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(head)) return "image/webp"
  if (/^RIFF.{4}WAVE/s.test(head)) return "audio/wav"
  if (/^ID3|^\xff[\xfb\xf3\xf2]/.test(head)) return "audio/mpeg"
  return "application/octet-stream"
}

function fieldsOf(value: unknown, argument: string): [string, unknown][] {
  if (isObject(value)) return Object.entries(value).filter(([, item]) => isGiven(item))
  throw new Error(`\`${argument}\` is sent as a form, so it must be an object of its fields`)
}

const quoted = (text: string): string => text.replace(/["\r\n]/g, percent)
