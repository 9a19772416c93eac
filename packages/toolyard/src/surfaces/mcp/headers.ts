/** The headers in which a 2026-07-28 client repeats parts of the body, for those who route by them: they must agree. */
import type { RpcError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import { META, MODERN_VERSION, RPC, type ToolDefinition } from "../../model/mcp.ts"
import {
  decodeHeader,
  type HeaderDeclaration,
  headerDeclarations,
  headerText,
  valueAt,
} from "../../model/mcp-headers.ts"
import type { Address } from "./address.ts"

export type RequestHeaders = Record<string, string | string[] | undefined>

/** Which field `Mcp-Name` repeats. */
const NAMED: Record<string, string> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }

/** The version first: header against body, then body against what we speak, then the other headers. */
export function checkHeaders(
  method: string,
  params: JsonObject,
  headers: RequestHeaders | undefined,
  address: Address,
): RpcError | undefined {
  const version = (params._meta as JsonObject)[META.protocolVersion] as string
  if (headers) {
    const header = text(headers["mcp-protocol-version"])
    if (header === undefined) return mismatch("MCP-Protocol-Version is missing")
    if (header !== version) return mismatch(`MCP-Protocol-Version is ${header} but the body says ${version}`)
  }
  if (version !== MODERN_VERSION) {
    return {
      code: RPC.unsupportedVersion,
      message: `Unsupported protocol version: ${version}`,
      data: { supported: [MODERN_VERSION], requested: version },
    }
  }
  return (
    headers &&
    (checkMethod(method, params, headers) ??
      (method === "tools/call" ? checkParams(params, headers, address) : undefined))
  )
}

function checkMethod(method: string, params: JsonObject, headers: RequestHeaders): RpcError | undefined {
  const header = text(headers["mcp-method"])
  if (header === undefined) return mismatch("Mcp-Method is missing")
  if (header !== method) return mismatch(`Mcp-Method is ${header} but the body says ${method}`)
  const field = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined
  const value = field && params[field]
  if (typeof value !== "string") return undefined
  const name = text(headers["mcp-name"])
  if (name === undefined) return mismatch(`Mcp-Name is missing; the body has ${field} ${JSON.stringify(value)}`)
  const decoded = decodeHeader(name)
  if (decoded === undefined) return mismatch("Mcp-Name is not canonical base64")
  return decoded === value
    ? undefined
    : mismatch(`Mcp-Name is ${JSON.stringify(decoded)} but the body has ${field} ${JSON.stringify(value)}`)
}

const declarations = new WeakMap<ToolDefinition, HeaderDeclaration[]>()

function checkParams(params: JsonObject, headers: RequestHeaders, address: Address): RpcError | undefined {
  const definition = typeof params.name === "string" ? address.tool(params.name)?.definition : undefined
  if (!definition) return undefined
  let declared = declarations.get(definition)
  if (!declared) {
    declared = headerDeclarations(definition.inputSchema)
    declarations.set(definition, declared)
  }
  for (const { path, header, numeric } of declared) {
    const value = isObject(params.arguments) ? valueAt(params.arguments, path) : undefined
    const expected = headerText(value)
    if (expected === undefined) continue
    const given = text(headers[`mcp-param-${header.toLowerCase()}`])
    if (given === undefined) return mismatch(`Mcp-Param-${header} is missing`)
    const decoded = decodeHeader(given)
    if (decoded === undefined) return mismatch(`Mcp-Param-${header} is not canonical base64`)
    const equal = decoded === expected || (numeric && /^-?\d+(\.\d+)?$/.test(decoded) && Number(decoded) === value)
    if (!equal) return mismatch(`Mcp-Param-${header} does not agree with the body`)
  }
  return undefined
}

const text = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header.trim() : undefined

const mismatch = (what: string): RpcError => ({
  code: RPC.headerMismatch,
  message: `Headers and body disagree: ${what}`,
})
