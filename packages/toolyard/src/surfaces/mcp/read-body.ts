/** Reads a request's body up to a limit. */
import type { IncomingMessage } from "node:http"
import { YardError } from "../../model/errors.ts"

export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** A callback, not a promise: this stands before every single call. */
export function readBody(request: IncomingMessage, done: (problem: YardError | undefined, text: string) => void): void {
  let chunks: Buffer[] = []
  let size = 0
  request.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    // The rest is read and dropped, so that the refusal can still be delivered.
    else chunks = []
  })
  request.on("end", () => {
    const [first] = chunks
    if (size > MAX_BODY_BYTES) {
      done(new YardError("payload_too_large", `the body has ${size} bytes; the limit is ${MAX_BODY_BYTES}`), "")
    } else {
      done(undefined, first && chunks.length === 1 ? first.toString("utf8") : Buffer.concat(chunks).toString("utf8"))
    }
  })
  request.on("error", () => done(new YardError("cancelled", "the client left while sending"), ""))
}
