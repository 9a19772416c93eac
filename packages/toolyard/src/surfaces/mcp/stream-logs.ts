/**
 * The event streams of one legacy session, kept for a while, so that a client whose connection broke in the middle of a
 * call can come back with `Last-Event-ID` and is given what it missed.
 */
import type { ServerResponse } from "node:http"
import { writeTo } from "./sse.ts"

/** How much of a session's finished and unfinished streams is kept; the oldest finished ones go first. */
const KEEP_BYTES = 8 * 1024 * 1024
const KEEP_MS = 5 * 60 * 1000
/** How soon a client should try again. */
const RETRY_MS = 500

export class StreamLog {
  readonly id: number
  #sink: ServerResponse | undefined
  readonly #frames: string[] = []
  readonly #onGrow: (bytes: number) => void
  #done = false

  constructor(id: number, sink: ServerResponse, onGrow: (bytes: number) => void) {
    this.id = id
    this.#onGrow = onGrow
    this.#attach(sink)
  }

  get done(): boolean {
    return this.#done
  }

  /** The event that gives a client something to come back with before anything has happened. */
  prime(): void {
    this.#sink?.write(`id: ${this.id}_0\nretry: ${RETRY_MS}\ndata: \n\n`)
  }

  push(text: string): void {
    const frame = `id: ${this.id}_${this.#frames.length + 1}\nevent: message\ndata: ${text}\n\n`
    this.#frames.push(frame)
    this.#onGrow(frame.length)
    if (this.#sink) writeTo(this.#sink, frame)
  }

  end(): void {
    this.#done = true
    this.#sink?.end()
  }

  /** Everything after the event with this number, and what is still to come. */
  replay(after: number, sink: ServerResponse): void {
    this.#sink?.end()
    this.#attach(sink)
    for (const frame of this.#frames.slice(after)) sink.write(frame)
    if (this.#done) sink.end()
  }

  #attach(sink: ServerResponse): void {
    this.#sink = sink
    sink.once("close", () => {
      if (this.#sink === sink) this.#sink = undefined
    })
  }
}

export class StreamLogs {
  readonly #streams = new Map<number, { log: StreamLog; bytes: number; at: number }>()
  #next = 1
  #bytes = 0

  open(sink: ServerResponse): StreamLog {
    const id = this.#next++
    const entry = { log: new StreamLog(id, sink, bytes => this.#grow(id, bytes)), bytes: 0, at: Date.now() }
    this.#streams.set(id, entry)
    return entry.log
  }

  /** The stream that an event id belongs to, and the event's number in it. */
  find(eventId: string): { log: StreamLog; after: number } | undefined {
    const [, stream, event] = /^(\d+)_(\d+)$/.exec(eventId) ?? []
    const entry = stream === undefined ? undefined : this.#streams.get(Number(stream))
    return entry && { log: entry.log, after: Number(event) }
  }

  #grow(id: number, bytes: number): void {
    const entry = this.#streams.get(id)
    if (!entry) return
    entry.bytes += bytes
    entry.at = Date.now()
    this.#bytes += bytes
    const tooOld = Date.now() - KEEP_MS
    for (const [other, { log, at, bytes: size }] of this.#streams) {
      if (other === id || !log.done || (this.#bytes <= KEEP_BYTES && at > tooOld)) continue
      this.#streams.delete(other)
      this.#bytes -= size
    }
  }
}
