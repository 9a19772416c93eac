/** The body of a request, by the media type that the description prefers. */
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { BodyContent, BodyPlan } from "../operation.ts"
import { isGiven, toText } from "./encode.ts"
import { type ReadBlob, toFile } from "./file.ts"
import { toMultipart, toUrlEncoded } from "./form.ts"
import { essenceOf, isForm, isJson, isJsonLines, isMultipart, isText } from "./media-type.ts"

export interface WireBody {
  bytes: Buffer
  contentType: string
}

/** `wanted` is a media type that the caller asked for, as some APIs have a parameter for it. */
export async function toBody(
  plan: BodyPlan,
  args: JsonObject,
  blob: ReadBlob,
  wanted?: string,
): Promise<WireBody | undefined> {
  const value = args[plan.argument]
  if (value === undefined || (value === null && !plan.required)) {
    if (!plan.required) return undefined
    throw new YardError("invalid_arguments", `\`${plan.argument}\` is missing: the request needs a body`)
  }
  const content =
    plan.contents.find(({ mediaType }) => wanted !== undefined && essenceOf(mediaType) === essenceOf(wanted)) ??
    plan.contents.find(({ files }) => isObject(value) && files.some(file => isGiven(value[file]))) ??
    plan.contents.find(({ mediaType }) => canHold(essenceOf(mediaType), value)) ??
    plan.contents[0]!
  return encodeBody(value, content, plan.argument, blob)
}

/** Some descriptions offer forms for what has no fields. */
function canHold(type: string, value: unknown): boolean {
  return isObject(value) || !(isForm(type) || isMultipart(type))
}

async function encodeBody(value: unknown, content: BodyContent, argument: string, blob: ReadBlob): Promise<WireBody> {
  const type = essenceOf(content.mediaType)
  // A type with a star is a family of types: its plainest member is sent.
  if (isJson(type) || type === "*/*") {
    const contentType = type.includes("*") ? "application/json" : content.mediaType
    return { bytes: Buffer.from(JSON.stringify(value)), contentType }
  }
  if (isForm(type)) return { bytes: toUrlEncoded(value, content, argument), contentType: content.mediaType }
  if (isMultipart(type)) {
    if (isObject(value)) return toMultipart(value, content, argument, blob)
    // No field is named, so it can only be the file itself, and that is what everybody calls it.
    return toMultipart({ file: value }, { ...content, files: ["file"] }, argument, blob)
  }
  if (isJsonLines(type)) {
    const lines = Array.isArray(value) ? value : [value]
    return {
      bytes: Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join("")),
      contentType: content.mediaType,
    }
  }
  if (isText(type)) {
    if (isGiven(value) && typeof value === "object")
      throw new YardError("invalid_arguments", `\`${argument}\` is sent as ${type}: give it as text`)
    return { bytes: Buffer.from(toText(value)), contentType: type === "text/*" ? "text/plain" : content.mediaType }
  }
  const file = await toFile(value, argument, blob)
  const isOwn = type.includes("*") || (isObject(value) && typeof value.contentType === "string")
  return { bytes: file.bytes, contentType: isOwn ? file.contentType : content.mediaType }
}
