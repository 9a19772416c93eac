/** Bodies that consist of fields: URL-encoded, and in parts. */
import { randomUUID } from "node:crypto"
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { BodyContent } from "../operation.ts"
import { isGiven, percentEncode, toText } from "./encode.ts"
import { type ReadBlob, toFile } from "./file.ts"
import { essenceOf, isJson } from "./media-type.ts"
import { toPairs } from "./style.ts"

/** Lists as repeated fields and objects as JSON, unless the description says otherwise. */
export function toUrlEncoded(value: unknown, { encoding }: BodyContent, argument: string): Buffer {
  const pairs = fieldsOf(value, argument).flatMap(([name, item]) => {
    const how = Object.hasOwn(encoding, name) ? encoding[name]! : {}
    const isStyled = how.style !== undefined || how.explode !== undefined || Array.isArray(item)
    if (how.contentType !== undefined && isJson(essenceOf(how.contentType)) && how.style === undefined)
      return [[percentEncode(name), percentEncode(JSON.stringify(item))]]
    if (!isStyled) return [[percentEncode(name), percentEncode(toText(item))]]
    const style = how.style ?? "form"
    return toPairs({ name, style, explode: how.explode ?? style === "form" }, item, percentEncode)
  })
  // In a form, unlike in an address, the commas between items are encoded too.
  return Buffer.from(pairs.map(pair => pair.join("=").replaceAll(",", "%2C")).join("&"))
}

export async function toMultipart(
  value: unknown,
  content: BodyContent,
  argument: string,
  blob: ReadBlob,
): Promise<{ bytes: Buffer; contentType: string }> {
  const boundary = `toolyard-${randomUUID()}`
  const chunks: Buffer[] = []
  for (const [name, item] of fieldsOf(value, argument)) {
    // A list is its items, one part each.
    for (const single of Array.isArray(item) && !isWhole(content, name) ? item.filter(isGiven) : [item]) {
      const part = await toPart(name, single, content, argument, blob)
      const filename = part.filename === undefined ? "" : `; filename="${quoted(part.filename)}"`
      const head = [`Content-Disposition: form-data; name="${quoted(name)}"${filename}`]
      if (part.contentType !== undefined) head.push(`Content-Type: ${oneLine(part.contentType)}`)
      chunks.push(Buffer.from(`--${boundary}\r\n${head.join("\r\n")}\r\n\r\n`), part.bytes, Buffer.from("\r\n"))
    }
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { bytes: Buffer.concat(chunks), contentType: `${essenceOf(content.mediaType)}; boundary=${boundary}` }
}

interface Part {
  bytes: Buffer
  contentType: string | undefined
  filename?: string | undefined
}

async function toPart(
  name: string,
  value: unknown,
  content: BodyContent,
  argument: string,
  blob: ReadBlob,
): Promise<Part> {
  // Several may be named; the first that is a type by itself is taken.
  const declared = encodingOf(content, name)
    ?.contentType?.split(",")
    .map(type => type.trim())
    .find(type => !type.includes("*"))
  const type = declared === undefined ? "" : essenceOf(declared)
  if (content.files.includes(name)) {
    const file = await toFile(value, `${argument}.${name}`, blob)
    const isOwn = isObject(value) && typeof value.contentType === "string"
    const contentType = isOwn ? file.contentType : (declared ?? file.contentType)
    return { bytes: file.bytes, contentType, filename: file.filename ?? name }
  }
  const isDeep = typeof value === "object"
  const text = isJson(type) ? JSON.stringify(value) : toText(value)
  return { bytes: Buffer.from(text), contentType: declared ?? (isDeep ? "application/json" : undefined) }
}

/** A list that is to be written as one value. */
function isWhole(content: BodyContent, name: string): boolean {
  return isJson(essenceOf(encodingOf(content, name)?.contentType ?? "")) && !content.files.includes(name)
}

function encodingOf({ encoding }: BodyContent, name: string): BodyContent["encoding"][string] | undefined {
  return Object.hasOwn(encoding, name) ? encoding[name] : undefined
}

function fieldsOf(value: unknown, argument: string): [string, unknown][] {
  if (isObject(value)) return Object.entries(value as JsonObject).filter(([, item]) => isGiven(item))
  throw new YardError("invalid_arguments", `\`${argument}\` is sent as a form, so it must be an object of its fields`)
}

/** As browsers do it. */
const quoted = (text: string): string => text.replace(/["\r\n]/g, mark => percentEncode(mark))
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, " ")
