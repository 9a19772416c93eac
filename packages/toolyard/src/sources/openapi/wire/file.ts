/** A file among the arguments: base64, `{ data, filename?, contentType? }`, a `data:` URL, or content of the yard. */
import { YardError } from "../../../model/errors.ts"
import { isObject } from "../../../model/json.ts"
import type { YardAccess } from "../../../model/source.ts"
import { BINARY, sniffMedia } from "../../static/media.ts"

export interface WireFile {
  bytes: Buffer
  contentType: string
  filename: string | undefined
}

export type ReadBlob = YardAccess["blob"]

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

export async function toFile(value: unknown, argument: string, blob: ReadBlob): Promise<WireFile> {
  const { data, filename, contentType } = isObject(value)
    ? (value as { data?: unknown; filename?: unknown; contentType?: unknown })
    : { data: value }
  if (typeof data !== "string") throw notAFile(argument)
  const { bytes, mediaType } = await toBytes(data, argument, blob)
  return {
    bytes,
    contentType: typeof contentType === "string" ? contentType : (mediaType ?? sniffMedia(bytes) ?? BINARY),
    filename: typeof filename === "string" ? filename : undefined,
  }
}

async function toBytes(data: string, argument: string, blob: ReadBlob): Promise<{ bytes: Buffer; mediaType?: string }> {
  if (data.startsWith("cid://")) {
    const found = await blob(data.slice("cid://".length))
    if (!found) throw new YardError("invalid_arguments", `there is no content under ${data}`)
    return { bytes: Buffer.from(found.bytes), mediaType: found.mediaType }
  }
  const url = /^data:([^;,]*)(?:;[^,;]*)*;base64,/.exec(data)
  const text = (url ? data.slice(url[0].length) : data).replace(/\s+/g, "")
  if (!BASE64.test(text) || text.replace(/=+$/, "").length % 4 === 1) throw notAFile(argument)
  return { bytes: Buffer.from(text, "base64"), ...(url?.[1] && { mediaType: url[1] }) }
}

function notAFile(argument: string): YardError {
  return new YardError("invalid_arguments", `\`${argument}\` is sent as a file, and is not base64`, {
    hint: "Give base64, an object { data, filename, contentType } with base64 in `data`, or a cid:// address.",
  })
}
