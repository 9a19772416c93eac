/** Clients of protocol 2026-07-28: no session; every request says who asks and what they can do. */

import type { Caller } from "../../model/caller.ts"
import { type RpcError, toRpcError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { LOG_LEVELS, type LogLevel, META, MODERN_VERSION, type RequestId, RPC } from "../../model/mcp.ts"
import type { Address } from "./address.ts"
import type { Changes } from "./changes.ts"
import { errorText, type Reply, resultText } from "./exchange.ts"
import { checkHeaders, type RequestHeaders } from "./headers.ts"
import { openListenStream } from "./listen.ts"
import { encodeResult, type Methods } from "./methods.ts"
import { ModernCall, type ParkedCalls } from "./modern-call.ts"
import type { RequestStates } from "./request-state.ts"

/** The methods whose results may ask for input, and the parameter that says what they are about. */
const ASKING: Record<string, "name" | "uri"> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }

export interface ModernRequest {
  address: Address
  id: RequestId
  method: string
  params: JsonObject
  /** Absent where there are none (stdio). */
  headers: RequestHeaders | undefined
  caller: Caller
  reply: Reply
}

/** What a transport needs in order to end a request that its client no longer waits for. */
export interface Cancellable {
  abort(reason: YardError): void
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
  readonly #parked: ParkedCalls = new Map()

  constructor(deps: ModernDeps) {
    this.#deps = deps
  }

  close(): void {
    for (const call of [...this.#parked.values()]) call.abort(new YardError("cancelled", "the hub is being stopped"))
  }

  /** Answers the request; gives what is still under way then, so that it can be cancelled. */
  receive(request: ModernRequest): Cancellable | undefined {
    const { id, method, params, headers, address, reply } = request
    try {
      const refused = checkEnvelope(params) ?? checkHeaders(method, params, headers, address)
      if (refused) reply.end(errorText(id, refused), 400)
      else if (method === "server/discover") reply.end(resultText(id, this.#discover(address)))
      else if (method === "subscriptions/listen") return openListenStream(request, this.#deps.changes)
      else return this.#perform(request)
    } catch (error) {
      reply.end(errorText(id, toModernError(method, params, error)))
    }
    return undefined
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

  #perform({ address, id, method, params, caller, reply }: ModernRequest): Cancellable | undefined {
    const key = ASKING[method]
    const boundTo = [caller.principal, address.key, method, String(key && params[key])]
    const input = key && this.#input(params, boundTo)
    if (input?.parked !== undefined) {
      const parked = this.#parked.get(input.parked)
      if (!parked)
        throw new YardError("invalid_params", "the call that these answers are for is no longer waiting", {
          hint: TRY_ANEW,
        })
      parked.resume(input.responses ?? {}, { id, reply })
      return parked
    }
    const call = new ModernCall(
      caller,
      params._meta as JsonObject,
      { id, reply },
      this.#parked,
      this.#deps.states,
      boundTo,
    )
    if (input) call.input = input
    const result = this.#deps.methods.perform("modern", address, method, params, call)
    if (result === undefined) {
      reply.end(errorText(id, { code: -32601, message: `Method not found: ${method}` }), 404)
      return undefined
    }
    if (typeof result === "string") {
      reply.end(resultText(id, result))
      return undefined
    }
    result.then(
      text => {
        if (call.isError && call.refused) call.finish(at => errorText(at, missingCapability(call.refused)), 400)
        else call.finish(at => resultText(at, text))
      },
      (error: unknown) => {
        const rpc = call.refused ? missingCapability(call.refused) : toModernError(method, params, error)
        call.finish(at => errorText(at, rpc), rpc.code === RPC.missingClientCapability ? 400 : undefined)
      },
    )
    return call
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
    if (requestState === undefined) return { ...(responses && { responses }) }
    if (typeof requestState !== "string") throw new YardError("invalid_params", "requestState must be a string")
    const state = this.#deps.states.open(requestState, boundTo)
    return {
      ...(responses && { responses }),
      ...(typeof state.upstream === "string" && { state: state.upstream }),
      ...(typeof state.parked === "string" && { parked: state.parked }),
    }
  }
}

const TRY_ANEW = "Send the request again without requestState."

/** This era has no code of its own for a resource that isn't there. */
function toModernError(method: string, params: JsonObject, error: unknown): RpcError {
  const rpc = toRpcError(error)
  if (method !== "resources/read" || rpc.code !== -32002) return rpc
  return { ...rpc, code: -32602, data: { ...(isObject(rpc.data) && rpc.data), uri: params.uri } }
}

function missingCapability(refused: ReadonlySet<string> = new Set()): RpcError {
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
  if (missing.length > 0)
    return { code: -32602, message: `_meta is missing ${missing.join(" and ")}`, data: { missing } }
  const { clientInfo, logLevel } = META
  let wrong: string | undefined
  if (typeof meta[META.protocolVersion] !== "string") wrong = META.protocolVersion
  else if (!isObject(meta[META.clientCapabilities])) wrong = META.clientCapabilities
  else if (meta[clientInfo] !== undefined && !isObject(meta[clientInfo])) wrong = clientInfo
  else if (meta[logLevel] !== undefined && !LOG_LEVELS.includes(meta[logLevel] as LogLevel)) wrong = logLevel
  return wrong === undefined
    ? undefined
    : { code: -32602, message: `_meta has an invalid ${wrong}`, data: { invalid: wrong } }
}
