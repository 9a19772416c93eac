/** The address of a call: server, path and query, each part encoded so that no value can change what it stands in. */
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import type { OperationPlan, ParameterPlan, ServerPlan } from "../operation.ts"
import { encodeLiteral, encodeReserved, encodeReservedInPath, isGiven, percentEncode, toText } from "./encode.ts"
import { toPairs, toSegment } from "./style.ts"

export interface Address {
  /** Scheme, host and port. */
  origin: string
  /** Encoded, beginning with `/`; with the query. Never parsed again: parsing would tidy it up. */
  path: string
}

export function toAddress(plan: OperationPlan, args: JsonObject, server?: string): Address {
  const base = new URL(server ?? fillServer(plan.servers[0], plan.id))
  const [template = "", fixedQuery] = plan.path.replace(/#.*$/s, "").split(/\?(.*)/s)
  const path = base.pathname.replace(/\/+$/, "") + fillPath(template, plan, args)
  const query = [
    base.search.slice(1),
    fixedQuery === undefined ? "" : encodeLiteral(fixedQuery),
    ...plan.parameters.filter(parameter => parameter.in === "query").flatMap(parameter => toQuery(parameter, args)),
  ].filter(part => part !== "")
  return { origin: base.origin, path: `${path || "/"}${query.length > 0 ? `?${query.join("&")}` : ""}` }
}

export function addQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${percentEncode(name)}=${percentEncode(value)}`
}

function fillServer(server: ServerPlan | undefined, id: string): string {
  const filled = server?.url.replace(/\{([^{}]*)\}/g, (place, name: string) => {
    const variable = Object.hasOwn(server.variables, name) ? server.variables[name] : undefined
    return variable?.default ?? place
  })
  if (filled !== undefined && isUsable(filled)) return filled
  throw new YardError("config_invalid", `the description has no usable address for ${id}: ${filled ?? "none at all"}`, {
    hint: "Set `server` of this entry in toolyard.json to the API's address.",
  })
}

/** Not where a variable was left empty, nor the name that stands for none. */
function isUsable(server: string): boolean {
  if (!/^https?:/i.test(server) || !URL.canParse(server) || /[{}]/.test(server)) return false
  return !/^\.|\.\.|\.invalid$/.test(new URL(server).hostname)
}

function fillPath(template: string, plan: OperationPlan, args: JsonObject): string {
  const parameters = plan.parameters.filter(parameter => parameter.in === "path")
  const segments = template.split("/").map(segment => {
    let isFilled = false
    const text = segment
      .split(/(\{[^{}]*\})/)
      .map((part, index) => {
        if (index % 2 === 0) return encodeLiteral(part)
        const parameter = parameters.find(({ name }) => name === part.slice(1, -1).replace(/^[;.+?#&/]|\*$/g, ""))
        if (!parameter) return percentEncode(part)
        isFilled = true
        return toPathValue(parameter, args[parameter.argument])
      })
      .join("")
    // Also encoded dots climb: servers and proxies on the way undo the encoding first.
    if (isFilled && /^(?:\.|%2e){1,2}$/i.test(text))
      throw new YardError("invalid_arguments", `"${text}" in the path would lead to another operation`, {
        hint: "Give a value that is not `.` or `..`.",
      })
    return text
  })
  return segments.join("/")
}

function toPathValue(parameter: ParameterPlan, value: unknown): string {
  const encode = parameter.allowReserved ? encodeReservedInPath : percentEncode
  const text = !isGiven(value)
    ? ""
    : parameter.content
      ? percentEncode(toContent(parameter.content, value))
      : toSegment(parameter, value, encode)
  // An empty one would make it the address of the whole collection.
  if (text !== "") return text
  throw new YardError("invalid_arguments", `\`${parameter.argument}\` is part of the path and can't be empty`)
}

function toQuery(parameter: ParameterPlan, args: JsonObject): string[] {
  const value = args[parameter.argument]
  if (parameter.content) {
    if (value === undefined) return []
    return [`${percentEncode(parameter.name)}=${percentEncode(toContent(parameter.content, value))}`]
  }
  const encode = parameter.allowReserved ? encodeReserved : percentEncode
  return toPairs(parameter, value, encode, percentEncode).map(([name, text]) => `${name}=${text}`)
}

/** A parameter that is sent as a media type: JSON, or text that is meant to be it already. */
export function toContent(mediaType: string, value: unknown): string {
  return /[/+]json\b/i.test(mediaType) ? JSON.stringify(value) : toText(value)
}
