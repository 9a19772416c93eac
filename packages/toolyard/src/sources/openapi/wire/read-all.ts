/** A body up to a limit; what is beyond it is not read. */
import type { Readable } from "node:stream"

export async function readAll(body: Readable, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      const bytes = chunk as Buffer
      size += bytes.length
      if (size > maxBytes) {
        chunks.push(bytes.subarray(0, bytes.length - (size - maxBytes)))
        return { bytes: Buffer.concat(chunks), isCut: true }
      }
      chunks.push(bytes)
    }
  } finally {
    body.destroy()
  }
  return { bytes: Buffer.concat(chunks, size), isCut: false }
}
