/** For the tests of the wire: a server on loopback that writes down what arrives, and operations to call it with. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Call } from "../../../model/call.ts"
import type { JsonObject } from "../../../model/json.ts"
import type { ToolResult } from "../../../model/source.ts"
import type { BodyContent, OperationPlan, ParameterPlan } from "../operation.ts"
import { createAuthorizer } from "./auth.ts"
import { createTokens } from "./oauth.ts"
import { Secrets } from "./secrets.ts"
import { type SendDeps, sendOperation } from "./send.ts"
import { openTransport, type TransportOptions } from "./transport.ts"

export interface Seen {
  method: string
  /** Path and query as they stood in the request line. */
  url: string
  headers: IncomingMessage["headers"]
  body: Buffer
}

export type Respond = (request: Seen, response: ServerResponse, index: number) => void

export interface WireCase {
  origin: string
  seen: Seen[]
  blobs: Map<string, { bytes: Uint8Array; mediaType: string }>
  /** Calls an operation; what is not said of it is plain. */
  send(plan: Partial<OperationPlan>, args?: JsonObject, options?: CaseOptions): Promise<ToolResult>
  close(): Promise<void>
}

export interface CaseOptions extends Partial<Pick<SendDeps, "headers" | "server" | "givesObject" | "streamMs">> {
  call?: Call
  auth?: Record<string, unknown>
  transport?: Partial<TransportOptions>
}

export class ListeningCall extends Call {
  override wantsProgress = true
  readonly heard: JsonObject[] = []

  constructor() {
    super({ surface: "library", principal: "test" })
  }

  override progress(params: JsonObject): void {
    this.heard.push(params)
  }
}

export async function openWireCase(respond: Respond = (_request, response) => response.end()): Promise<WireCase> {
  const seen: Seen[] = []
  const blobs: WireCase["blobs"] = new Map()
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming
      const request = { method, url, headers, body: Buffer.concat(chunks) }
      respond(request, response, seen.push(request) - 1)
    })
  })
  await new Promise<void>(done => server.listen(0, "127.0.0.1", done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const opened: { close(): Promise<void> }[] = []
  const closing = new AbortController()

  return {
    origin,
    seen,
    blobs,
    async send(plan, args = {}, options = {}) {
      const transport = openTransport({ trusts: () => true, ...options.transport })
      opened.push(transport)
      const secrets = new Secrets()
      const tokens = createTokens(transport, closing.signal)
      const call = options.call ?? new Call({ surface: "library", principal: "test" })
      const whole: OperationPlan = {
        id: "test",
        method: "GET",
        path: "/",
        servers: [{ url: origin, variables: {} }],
        parameters: [],
        security: [],
        ...plan,
      }
      return sendOperation(whole, args, {
        transport,
        secrets,
        authorizer: createAuthorizer({ auth: options.auth ?? {}, server: "api", secrets, tokens }),
        call,
        signal: call.signal,
        headers: options.headers ?? {},
        server: options.server,
        givesObject: options.givesObject ?? false,
        streamMs: options.streamMs ?? 10_000,
        blob: async cid => blobs.get(cid),
        async putBlob(bytes, mediaType) {
          const cid = `blob-${blobs.size + 1}`
          blobs.set(cid, { bytes, mediaType })
          return cid
        },
      })
    },
    async close() {
      closing.abort()
      await Promise.all(opened.map(transport => transport.close()))
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

const DEFAULT_STYLE = { path: "simple", header: "simple", query: "form", cookie: "form" } as const

export function parameter(place: ParameterPlan["in"], name: string, more: Partial<ParameterPlan> = {}): ParameterPlan {
  const style = more.style ?? DEFAULT_STYLE[place]
  const explode = style === "form"
  return { argument: name, name, in: place, required: false, style, explode, allowReserved: false, ...more }
}

export function body(mediaType: string, more: Partial<BodyContent> = {}): NonNullable<OperationPlan["body"]> {
  return { argument: "body", required: true, contents: [{ mediaType, encoding: {}, files: [], ...more }] }
}

export function textOf(result: ToolResult): string {
  return (result.content as { text?: string }[]).map(({ text = "" }) => text).join("\n")
}
