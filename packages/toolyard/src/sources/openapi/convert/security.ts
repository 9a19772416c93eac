/** Which secrets an operation needs, as the description declares them. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { SecurityRequirement, SecurityScheme } from "../operation.ts"
import type { Description } from "../read/description.ts"
import { type Located, partOf } from "../read/resolve.ts"
import type { Complain } from "../schema/keywords.ts"
import type { SourceOperation } from "./source-operation.ts"

/** `unused`: no operation says which of the declared schemes it needs, so any of them may be used, or none. */
export function toSecurity(source: SourceOperation, unused: boolean): SecurityRequirement[] {
  const { description, operation, complain } = source
  const { root } = description
  const schemes = schemesOf(description)
  if (unused && isObject(schemes?.value)) {
    const all = Object.keys(schemes.value).map(name => ({ schemes: [toScheme(name, [], schemes, source)] }))
    return [...all, { schemes: [] }]
  }
  const [listed, at] = Array.isArray(operation.value.security)
    ? [operation.value.security, operation.at]
    : [Array.isArray(root.security) ? root.security : [], ""]
  return listed.filter(isObject).map(requirement => ({
    schemes: Object.entries(requirement).map(([name, scopes]) => {
      if (!schemes || !isObject(schemes.value) || !Object.hasOwn(schemes.value, name)) {
        return guess(name, `${at}/security`, complain)
      }
      return toScheme(name, Array.isArray(scopes) ? scopes.map(String) : [], schemes, source)
    }),
  }))
}

/** Schemes are declared, and nothing says where they are needed. */
export function isSecurityUnused(description: Description, operations: readonly JsonObject[]): boolean {
  const schemes = schemesOf(description)?.value
  if (!isObject(schemes) || Object.keys(schemes).length === 0) return false
  return !Array.isArray(description.root.security) && !operations.some(operation => Array.isArray(operation.security))
}

function schemesOf(description: Description): Located | undefined {
  const root = { value: description.root, uri: description.uri, at: "" }
  const components = partOf(description, root, "components")
  return (
    (components && partOf(description, components, "securitySchemes")) ??
    partOf(description, root, "securityDefinitions")
  )
}

function toScheme(name: string, scopes: string[], schemes: Located, source: SourceOperation): SecurityScheme {
  const { description, complain } = source
  const located = partOf(description, schemes, name)
  if (!isObject(located?.value)) return guess(name, `${schemes.at}/${name}`, complain)
  const scheme = located.value
  const type = String(scheme.type).toLowerCase()
  const http = String(scheme.scheme).toLowerCase()
  if (type === "basic" || (type === "http" && http === "basic")) return { name, type: "basic" }
  if (type === "http" && http === "bearer") return { name, type: "bearer" }
  if (type === "apikey" && typeof scheme.name === "string") {
    const place = String(scheme.in).toLowerCase()
    const known = place === "query" || place === "cookie" ? place : "header"
    return { name, type: "apiKey", in: known, key: scheme.name }
  }
  if (type === "oauth2" || type === "openidconnect") {
    const tokenUrl = tokenUrlOf(scheme)
    const absolute = tokenUrl === undefined ? undefined : URL.parse(tokenUrl, description.uri)?.href
    return { name, type: "oauth2", ...(absolute !== undefined && { tokenUrl: absolute }), scopes }
  }
  return { name, type: "other", scheme: type === "http" ? http : type }
}

/** Only where a program may ask for a token by itself. */
function tokenUrlOf(scheme: JsonObject): string | undefined {
  const flows = isObject(scheme.flows) ? scheme.flows : {}
  const flow = isObject(flows.clientCredentials)
    ? flows.clientCredentials
    : isObject(flows.application)
      ? flows.application
      : undefined
  if (flow) return typeof flow.tokenUrl === "string" ? flow.tokenUrl : undefined
  return scheme.flow === "application" && typeof scheme.tokenUrl === "string" ? scheme.tokenUrl : undefined
}

function guess(name: string, at: string, complain: Complain): SecurityScheme {
  const type = /basic/i.test(name) ? "basic" : /bearer|oauth|token|jwt/i.test(name) ? "bearer" : undefined
  complain("missing_security", at, `"${name}" is not declared${type ? `: taken for ${type}` : ""}`)
  return type ? { name, type } : { name, type: "other", scheme: "undeclared" }
}
