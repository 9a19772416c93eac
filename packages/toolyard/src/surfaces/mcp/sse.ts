/** Event streams: their headers, their frames, and clients that do not read them. */
import type { ServerResponse } from "node:http"

const KEEP_ALIVE_MS = 15_000

/** Names and values by turns. */
export const SSE_HEADERS: readonly string[] = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-cache, no-transform",
  "X-Accel-Buffering",
  "no",
]

/** Sends comments so that nobody in between takes a quiet stream for a dead one. */
export function keepAlive(response: ServerResponse): void {
  const timer = setInterval(() => writeTo(response, ": keep-alive\n\n"), KEEP_ALIVE_MS)
  timer.unref()
  response.once("close", () => clearInterval(timer))
}

/** A client that reads nothing is not waited for: what has piled up for it would be the hub's own end. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Writes to a client, unless it is gone or has stopped reading. */
export function writeTo(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  else response.write(text)
}

export const sseEvent = (text: string): string => `event: message\ndata: ${text}\n\n`
