/** The vocabulary of the Model Context Protocol that several layers share: both eras, no I/O. */
import type { JsonObject } from "./json.ts"

export const MODERN_VERSION = "2026-07-28"
/** Newest first; the first is what we offer when a client asks for something we don't know. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const

export type Era = "modern" | "legacy"

export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const

/**
 * The protocol wants results to be objects. A function that gives something else has it in `{ result }`: its output
 * schema is marked with the second key, its results with the first one in `_meta`, and programs get what is inside.
 */
export const WRAPPED = "toolyard/wrapped"
export const WRAPPED_SCHEMA = "x-toolyard-wrapped"

export const RPC = {
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type RequestId = string | number

export interface RpcRequest {
  jsonrpc: "2.0"
  id: RequestId
  method: string
  params?: JsonObject
}
export interface RpcNotification {
  jsonrpc: "2.0"
  method: string
  params?: JsonObject
}

export interface Implementation extends JsonObject {
  name: string
  version: string
}

/** A tool definition exactly as its source sent it; only `name` is known to be there. */
export interface ToolDefinition extends JsonObject {
  name: string
}
export interface ResourceDefinition extends JsonObject {
  uri: string
}
export interface TemplateDefinition extends JsonObject {
  uriTemplate: string
}
export interface PromptDefinition extends JsonObject {
  name: string
}

/** The questions a server may put to a client while it works. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list"

/** The client capability each question needs. */
export const ASK_CAPABILITY: Record<AskMethod, string> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
}

export function isAskMethod(method: string): method is AskMethod {
  return Object.hasOwn(ASK_CAPABILITY, method)
}

/** How toolyard names itself to servers, and to clients where no single server stands behind an address. */
export const CLIENT_INFO: Implementation = { name: "toolyard", title: "Toolyard", version: "0.1.0" }
