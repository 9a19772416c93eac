/** Where an operation's requests go: as declared nearest to it, made absolute. */
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { ServerPlan } from "../operation.ts"
import type { Description } from "../read/description.ts"
import type { Complain } from "../schema/keywords.ts"
import type { SourceOperation } from "./source-operation.ts"

/** Stands for the address that a description of a file does not give; nothing answers there, whoever runs it. */
export const NO_SERVER = "http://no-server.invalid"

/** Most operations share their servers: what was made of a list is kept. */
export function createServers(): (source: SourceOperation) => ServerPlan[] {
  const known = new Map<unknown, ServerPlan[]>()
  return source => {
    for (const { value, at } of [source.operation, source.pathItem, { value: source.description.root, at: "" }]) {
      if (!Array.isArray(value.servers)) continue
      const plans = known.get(value.servers) ?? toPlans(value.servers, at, source)
      known.set(value.servers, plans)
      if (plans.length > 0) return plans
    }
    if (source.isSwagger) return [fromSwagger(source)]
    return [{ url: homeOf(source.description, source.complain), variables: {} }]
  }
}

function toPlans(servers: unknown[], at: string, { description, complain }: SourceOperation): ServerPlan[] {
  return servers.flatMap((server, index) => {
    const plan = isObject(server) ? toPlan(server, `${at}/servers/${index}`, description, complain) : undefined
    return plan ? [plan] : []
  })
}

function toPlan(server: JsonObject, at: string, description: Description, complain: Complain): ServerPlan | undefined {
  if (typeof server.url !== "string") return undefined
  const declared = isObject(server.variables) ? server.variables : {}
  const variables: ServerPlan["variables"] = {}
  for (const [, name] of server.url.matchAll(/\{([^{}]+)\}/g)) {
    const variable = Object.hasOwn(declared, name!) ? declared[name!] : undefined
    const values = isObject(variable) && Array.isArray(variable.enum) ? variable.enum.map(String) : []
    const preset = isObject(variable) ? (variable.default ?? values[0]) : undefined
    if (preset === undefined) complain("server_variable", at, `"${name}" of the server's address has no value: set it`)
    if (name === "__proto__") return undefined
    variables[name!] = { default: String(preset ?? ""), ...(values.length > 0 && { enum: values }) }
  }
  return { url: toAbsolute(server.url.trim(), at, description, complain), variables }
}

function toAbsolute(url: string, at: string, description: Description, complain: Complain): string {
  // A scheme may be a variable too: `{scheme}://{host}`.
  if (/^(?:https?|\{[^{}]+\}):\/\//i.test(url)) return url.replace(/\/+$/, "")
  if (url.startsWith("//")) return `${isWeb(description) ? new URL(description.uri).protocol : "https:"}${url}`
  // A host without its scheme, or a variable for the whole address.
  if (/^\{[^{}]+\}/.test(url)) return url.replace(/\/+$/, "")
  if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(url) || /^localhost(:\d+)?(\/|$)/.test(url)) {
    complain("server_without_scheme", at, `"${url}" is read as https://${url}`)
    return `https://${url.replace(/\/+$/, "")}`
  }
  const home = isWeb(description) ? description.uri : NO_SERVER
  complain(
    "relative_server",
    at,
    `"${url}" is relative to ${isWeb(description) ? home : "an address that is not known"}`,
  )
  // Braces would be encoded by URL.
  const path = url.startsWith("/") ? url : `${new URL(home).pathname.replace(/[^/]*$/, "")}${url.replace(/^\.\//, "")}`
  return `${new URL(home).origin}${path}`.replace(/\/+$/, "")
}

function fromSwagger({ description, operation, complain }: SourceOperation): ServerPlan {
  const { root, uri } = description
  const host = typeof root.host === "string" && root.host !== "" ? root.host : undefined
  const base =
    typeof root.basePath === "string" ? `/${root.basePath.replace(/^\/+|\/+$/g, "")}`.replace(/^\/$/, "") : ""
  const listed = [operation.value.schemes, root.schemes].find(list => Array.isArray(list) && list.length > 0)
  const schemes = Array.isArray(listed) ? listed : [isWeb(description) ? new URL(uri).protocol.slice(0, -1) : "https"]
  const scheme = schemes.includes("https") ? "https" : String(schemes.find(name => name === "http") ?? "https")
  if (!host) return { url: `${homeOf(description, complain)}${base}`, variables: {} }
  // Some write the scheme into the host.
  return { url: `${scheme}://${host.replace(/^https?:\/\//, "").replace(/\/+$/, "")}${base}`, variables: {} }
}

/** The host it was loaded from. */
function homeOf(description: Description, complain: Complain): string {
  const home = isWeb(description) ? new URL(description.uri).origin : NO_SERVER
  complain("no_server", "", isWeb(description) ? `it names no server: ${home} is used` : "it names no server: set one")
  return home
}

function isWeb(description: Description): boolean {
  return /^https?:/.test(description.uri)
}
