/** Clients of protocol 2026-07-28: no session; every request says who asks and what they can do. */
import { type RpcError, toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import {
  ASK_CAPABILITY,
  LOG_LEVELS,
  type LogLevel,
  META,
  MODERN_VERSION,
  type RequestId,
  RPC,
} from "../../model/mcp.ts"
import type { CallContext, Caller } from "../../model/source.ts"
import type { Address } from "./address.ts"
import { admits, type Changes } from "./changes.ts"
import { type Exchange, errorText, notificationText, type Reply, resultText } from "./exchange.ts"
import { checkHeaders, type RequestHeaders } from "./headers.ts"
import { openListenStream } from "./listen.ts"
import { encodeResult, type Methods } from "./methods.ts"
import { type ModernCall, ParkedCalls } from "./parked.ts"
import type { RequestStates } from "./request-state.ts"

/** The methods whose results may ask for input. */
const ASKING: Record<string, "name" | "uri"> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }

export interface ModernRequest {
  address: Address
  id: RequestId
  method: string
  params: JsonObject
  /** Absent where there are none (stdio). */
  headers: RequestHeaders | undefined
  caller: Caller
  controller: AbortController
  reply: Reply
}

export interface ModernDeps {
  methods: Methods
  changes: Changes
  states: RequestStates
}

/** Whether a message belongs to this era: an envelope says so, and so does the version header on what is no handshake. */
export function isModern(message: JsonObject, versionHeader: string | undefined): boolean {
  const meta = isObject(message.params) ? message.params._meta : undefined
  if (isObject(meta) && Object.hasOwn(meta, META.protocolVersion)) return true
  return versionHeader?.trim() === MODERN_VERSION && message.method !== undefined
}

export class Modern {
  readonly #deps: ModernDeps
  readonly #parked = new ParkedCalls()

  constructor(deps: ModernDeps) {
    this.#deps = deps
  }

  close(): void {
    this.#parked.close()
  }

  receive(request: ModernRequest): void {
    const { id, method, params, headers, reply } = request
    const refused = checkEnvelope(params) ?? checkHeaders(method, params, headers, request.address)
    if (refused) {
      reply.end(errorText(id, refused), 400)
      return
    }
    try {
      if (method === "server/discover") reply.end(resultText(id, this.#discover(request.address)))
      else if (method === "subscriptions/listen") openListenStream(request, this.#deps.changes)
      else this.#perform(request)
    } catch (error) {
      reply.end(errorText(id, toModernError(method, params, error)))
    }
  }

  #discover(address: Address): string {
    const instructions = address.instructions()
    const found = {
      supportedVersions: [MODERN_VERSION],
      capabilities: address.capabilities(),
      ...(instructions !== undefined && { instructions }),
    }
    return encodeResult("modern", "server/discover", found, address)
  }

  #perform(request: ModernRequest): void {
    const { address, id, method, params, caller, reply } = request
    const key = ASKING[method]
    const boundTo = [caller.principal, address.server ?? "", method, String(key && params[key])]
    const input = key ? this.#input(params, boundTo) : undefined
    if (input?.parked !== undefined) {
      this.#parked.resume(input.parked, input.responses ?? {}, request)
      return
    }
    const call = this.#parked.open(request, (parked, round) => this.#deps.states.seal({ parked, round }, boundTo))
    const exchange = this.#exchange(request, call, {
      seal: state => this.#deps.states.seal({ upstream: state }, boundTo),
      ...(input && { input }),
    })
    const result = this.#deps.methods.perform("modern", address, method, params, exchange)
    if (result === undefined) {
      reply.end(errorText(id, { code: -32601, message: `Method not found: ${method}` }), 404)
    } else if (typeof result === "string") {
      call.finish(answered => resultText(answered, result))
    } else {
      result.then(
        text => {
          if (exchange.isError && call.refused.size > 0)
            call.finish(answered => errorText(answered, missingCapability(call.refused)), 400)
          else call.finish(answered => resultText(answered, text))
        },
        (error: unknown) => {
          const rpc = call.refused.size > 0 ? missingCapability(call.refused) : toModernError(method, params, error)
          call.finish(answered => errorText(answered, rpc), rpc.code === RPC.missingClientCapability ? 400 : undefined)
        },
      )
    }
  }

  #exchange(
    { caller, controller, params }: ModernRequest,
    call: ModernCall,
    { seal, input }: { seal(state: string): string; input?: CallContext["input"] },
  ): Exchange {
    const {
      progressToken,
      [META.protocolVersion]: _version,
      [META.clientCapabilities]: declared,
      [META.clientInfo]: clientInfo,
      [META.logLevel]: logLevel,
      ...meta
    } = params._meta as JsonObject
    const capabilities = declared as JsonObject
    const client = isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined
    const level = logLevel as LogLevel | undefined
    return {
      caller: client === undefined ? caller : { ...caller, client },
      controller,
      seal,
      context: {
        capabilities,
        takesInputRequired: true,
        ...(input && { input }),
        // Log messages are only for those who asked for them on this very request.
        notify: (method, body) => {
          if (method !== "notifications/message" || (level && admits(level, body?.level)))
            call.event(notificationText(method, body))
        },
        ask: (method, body, signal) => {
          const capability = ASK_CAPABILITY[method]
          if (isObject(capabilities[capability])) return call.ask(method, body, signal)
          call.refused.add(capability)
          return Promise.reject(
            new YardError(
              "client_cannot",
              `the client did not declare the capability "${capability}" that ${method} needs`,
            ),
          )
        },
        ...(level && { logLevel: level }),
        ...(progressToken !== undefined && {
          progress: (body: JsonObject) =>
            call.event(notificationText("notifications/progress", { ...body, progressToken })),
        }),
        ...(Object.keys(meta).length > 0 && { meta }),
      },
    }
  }

  /** What a client comes back with: answers, and the state that says what they are answers to. */
  #input(
    params: JsonObject,
    boundTo: string[],
  ): { responses?: JsonObject; state?: string; parked?: string } | undefined {
    const { inputResponses: responses, requestState } = params
    if (responses === undefined && requestState === undefined) return undefined
    if (responses !== undefined && !isObject(responses))
      throw new YardError("invalid_params", "inputResponses must be an object")
    if (requestState === undefined) return { responses }
    if (typeof requestState !== "string") throw new YardError("invalid_params", "requestState must be a string")
    const state = this.#deps.states.open(requestState, boundTo)
    return {
      ...(responses && { responses }),
      ...(typeof state.upstream === "string" && { state: state.upstream }),
      ...(typeof state.parked === "string" && { parked: state.parked }),
    }
  }
}

/** This era has no code of its own for a resource that isn't there. */
function toModernError(method: string, params: JsonObject, error: unknown): RpcError {
  const rpc = toRpcError(error)
  if (method !== "resources/read" || rpc.code !== -32002) return rpc
  return { ...rpc, code: -32602, data: { ...(isObject(rpc.data) && rpc.data), uri: params.uri } }
}

function missingCapability(refused: ReadonlySet<string>): RpcError {
  const requiredCapabilities = Object.fromEntries([...refused].map(capability => [capability, {}]))
  return {
    code: RPC.missingClientCapability,
    message: `The client lacks a capability that this request needs: ${[...refused].join(", ")}`,
    data: { requiredCapabilities },
  }
}

function checkEnvelope(params: JsonObject): RpcError | undefined {
  const meta = isObject(params._meta) ? params._meta : {}
  const missing = [META.protocolVersion, META.clientCapabilities].filter(key => !Object.hasOwn(meta, key))
  const invalid = (message: string, data: JsonObject): RpcError => ({ code: -32602, message, data })
  if (missing.length > 0) return invalid(`_meta is missing ${missing.join(" and ")}`, { missing })
  const wrong = (
    [
      [META.protocolVersion, typeof meta[META.protocolVersion] === "string"],
      [META.clientCapabilities, isObject(meta[META.clientCapabilities])],
      [META.clientInfo, meta[META.clientInfo] === undefined || isObject(meta[META.clientInfo])],
      [META.logLevel, meta[META.logLevel] === undefined || LOG_LEVELS.includes(meta[META.logLevel] as LogLevel)],
    ] as const
  ).find(([, good]) => !good)
  return wrong && invalid(`_meta has an invalid ${wrong[0]}`, { invalid: wrong[0] })
}
