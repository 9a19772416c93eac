/** A response's body, decompressed and never more of it than the cap: what would be more is not even unpacked. */
import { pipeline, type Readable, type Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { YardError } from "../../model/errors.ts"
import { tooLarge } from "./message.ts"

/** What we ask for, and can undo. */
export const ACCEPT_ENCODING = "gzip, br"
/** Nobody packs more than once but to make trouble. */
const MAX_ENCODINGS = 2

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export async function readBody(body: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const stream = decode(body, encoding)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      const bytes = chunk as Buffer
      size += bytes.length
      if (size > maxBytes) throw tooLarge("the response is too large", maxBytes)
      chunks.push(bytes)
    }
  } finally {
    stream.destroy()
    body.destroy()
  }
  return Buffer.concat(chunks, size)
}

export function decode(body: Readable, encoding: string): Readable {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map(name => name.trim())
    .filter(name => name !== "" && name !== "identity")
  // As the fetch standard has it: what we don't know is passed on as it came.
  if (names.some(name => !Object.hasOwn(DECODERS, name))) return body
  if (names.length > MAX_ENCODINGS) {
    throw new YardError("fetch_failed", `the response is compressed ${names.length} times over`)
  }
  let stream = body
  for (const name of names.reverse()) {
    const decoder = DECODERS[name]!()
    // Errors arrive at the reader through the decoder; here is nothing left to say.
    pipeline(stream, decoder, () => {})
    stream = decoder
  }
  return stream
}
