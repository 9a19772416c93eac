/** Sends a request, follows where that is safe, and reads the whole answer. */
import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { Answer } from "./answer.ts"

export interface HttpRequest {
  method: string
  origin: string
  /** With the query; encoded already. */
  path: string
  headers: Map<string, string>
  body: Buffer | undefined
}

const MAX_BYTES = 50_000_000

/** Redirects are followed on the same host only: secrets go nowhere else. */
export async function follow(request: HttpRequest, signal: AbortSignal): Promise<Answer> {
  for (let hops = 0; ; hops++) {
    const answer = await send(request, signal)
    const { location } = answer.headers
    const from = request.origin + request.path
    if (hops === 5 || ![301, 302, 303, 307, 308].includes(answer.status) || !location) return answer
    if (!URL.canParse(location, from)) return answer
    const url = new URL(location, from)
    const isUpgrade = url.hostname === new URL(from).hostname && request.origin.startsWith("http:") && url.port === ""
    if (url.origin !== request.origin && !(isUpgrade && url.protocol === "https:")) return answer
    request = { ...request, origin: url.origin, path: url.pathname + url.search }
    const becomesGet =
      answer.status === 303 ? request.method !== "HEAD" : answer.status < 303 && request.method === "POST"
    if (!becomesGet) continue
    const kept = [...request.headers].filter(([name]) => !name.startsWith("content-"))
    request = { ...request, method: "GET", body: undefined, headers: new Map(kept) }
  }
}

function send({ method, origin, path, headers, body }: HttpRequest, signal: AbortSignal): Promise<Answer> {
  const { protocol, hostname, port } = new URL(origin)
  const open = protocol === "https:" ? requestHttps : requestHttp
  // Without it, a body that comes with DELETE would be taken for the next request.
  const length = body === undefined ? {} : { "content-length": body.length }
  const all = { ...Object.fromEntries(headers), ...length }
  const host = hostname.replace(/^\[|\]$/g, "")
  return new Promise((resolve, reject) => {
    const request = open({ method, host, port, path, headers: all, signal }, response => {
      read(response).then(bytes => {
        const url = origin + path
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, url })
      }, reject)
    })
    request.on("error", error => {
      reject(
        new Error(`${method} ${origin} could not be reached: ${signal.aborted ? "it took too long" : error.message}`),
      )
    })
    request.end(body)
  })
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES / 1e6} MB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** In milliseconds, where the API is busy and it makes sense to try again. */
export function delayBefore({ status, headers }: Answer, tries: number): number | undefined {
  if ((status !== 429 && status !== 503) || tries === 3) return undefined
  const asked = headers["retry-after"] ?? ""
  const until = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now()
  const delay = Number.isNaN(until) ? 500 * 2 ** tries : Math.max(0, until)
  return delay > 20_000 ? undefined : delay
}
