/** Reads a request's body up to a limit. */
import type { IncomingMessage } from "node:http"
import { YardError } from "../../model/errors.ts"

export const MAX_BODY_BYTES = 16 * 1024 * 1024

export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
      // The rest is read and dropped, so that the refusal can still be delivered.
      else chunks.length = 0
    })
    request.on("end", () => {
      if (size > MAX_BODY_BYTES)
        reject(new YardError("payload_too_large", `the body has ${size} bytes; the limit is ${MAX_BODY_BYTES}`))
      else
        resolve(chunks.length === 1 ? (chunks[0] as Buffer).toString("utf8") : Buffer.concat(chunks).toString("utf8"))
    })
    request.on("error", () => reject(new YardError("cancelled", "the client left while sending")))
  })
}
