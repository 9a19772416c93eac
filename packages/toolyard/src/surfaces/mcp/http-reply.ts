/** An HTTP answer that is plain JSON as long as it can be, and becomes an event stream when something must come before it. */
import type { ServerResponse } from "node:http"
import type { Reply } from "./exchange.ts"
import { keepAlive, SSE_HEADERS, sseEvent, writeTo } from "./sse.ts"
import type { StreamLog, StreamLogs } from "./stream-logs.ts"

export class HttpReply implements Reply {
  readonly #response: ServerResponse
  readonly #headers: readonly string[]
  readonly #logs: StreamLogs | undefined
  #log: StreamLog | undefined
  #streaming = false

  /** `logs`: keeps streams for clients that know how to come back to them. */
  constructor(response: ServerResponse, headers: readonly string[], logs?: StreamLogs) {
    this.#response = response
    this.#headers = headers
    this.#logs = logs
  }

  event(text: string): void {
    if (!this.#streaming) this.stream()
    if (this.#log) this.#log.push(text)
    else writeTo(this.#response, sseEvent(text))
  }

  end(text: string, status = 200): void {
    const response = this.#response
    if (this.#log) {
      this.#log.push(text)
      this.#log.end()
    } else if (response.writableEnded || response.destroyed) {
      return
    } else if (this.#streaming) {
      response.end(sseEvent(text))
    } else {
      // A flat list: node takes it as it is, where it would take an object apart.
      const length = String(Buffer.byteLength(text))
      response.writeHead(status, ["Content-Type", "application/json", "Content-Length", length, ...this.#headers])
      response.end(text)
    }
  }

  /** From now on the answer is a stream. */
  stream(): void {
    this.#streaming = true
    const response = this.#response
    if (response.headersSent || response.destroyed) return
    response.writeHead(200, [...SSE_HEADERS, ...this.#headers])
    response.flushHeaders()
    keepAlive(response)
    this.#log = this.#logs?.open(response)
    this.#log?.prime()
  }
}

/** The answers to a batch, gathered into one array; what comes before them makes the whole a stream. */
export function batchReplies(whole: HttpReply, count: number): Reply {
  const answers: string[] = []
  return {
    event: text => whole.event(text),
    end: text => {
      answers.push(text)
      if (answers.length === count) whole.end(`[${answers.join(",")}]`)
    },
  }
}
