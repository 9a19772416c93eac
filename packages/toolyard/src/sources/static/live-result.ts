/** `server://{server}/{tool}?a=1&b=two`: a resource whose content is what that call gives now. */
import type { Call } from "../../model/call.ts"
import { YardError } from "../../model/errors.ts"
import { isObject, type JsonObject } from "../../model/json.ts"
import type { ReadResult, ToolResult, YardAccess } from "../../model/source.ts"

const SERVER_URI = /^server:\/\/([^/?#]+)\/([^?#]+)(?:\?([^#]*))?$/

export function parseServerUri(uri: string): { tool: string; args: JsonObject } | undefined {
  const [, server, tool, query = ""] = SERVER_URI.exec(uri) ?? []
  if (server === undefined || tool === undefined) return undefined
  try {
    // By the names themselves: an id may be another where a name is long or unusual.
    return { tool: `${decodeURIComponent(server)}.${decodeURIComponent(tool)}`, args: argumentsIn(query) }
  } catch {
    return undefined
  }
}

/** `args={…}` gives them all at once; a name that comes again makes a list. */
function argumentsIn(query: string): JsonObject {
  const given = new URLSearchParams(query)
  const names = [...new Set(given.keys())]
  const values = names.map((name): [string, unknown] => {
    const all = given.getAll(name).map(toValue)
    return [name, all.length > 1 ? all : all[0]]
  })
  const whole = values.find(([name, value]) => name === "args" && isObject(value))
  const others = Object.fromEntries(values.filter(value => value !== whole))
  return whole ? { ...(whole[1] as JsonObject), ...others } : others
}

/** Numbers, truth values and JSON where the text is that, and nothing of it would be lost; else the text itself. */
function toValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "number" && String(value) !== text ? text : value
  } catch {
    return text
  }
}

export async function readLive(
  uri: string,
  mimeType: string | undefined,
  call: Call,
  yard: YardAccess,
): Promise<ReadResult> {
  const parsed = parseServerUri(uri)
  if (!parsed) throw new YardError("unknown_resource", `Resource not found: ${uri}`, { data: { uri } })
  const result = await yard.call(call, parsed.tool, parsed.args)
  // The caller is to answer first: that is an answer to the read as well.
  if (result.resultType === "input_required") return result
  const blocks = Array.isArray(result.content) ? result.content.filter(isObject) : []
  if (result.isError === true) {
    const said = blocks.flatMap(block => (typeof block.text === "string" ? [block.text] : [])).join("\n")
    throw new YardError("upstream_error", `${parsed.tool} failed: ${said === "" ? "it did not say why" : said}`)
  }
  return { contents: contentsOf(uri, mimeType, result, blocks) }
}

function contentsOf(uri: string, mimeType: string | undefined, result: ToolResult, blocks: JsonObject[]): JsonObject[] {
  const { structuredContent, _meta: meta } = result
  // A wrapped value stands in the text as it is.
  const structured = isObject(structuredContent) && !(isObject(meta) && meta["toolyard/wrapped"] === true)
  const contents = blocks.flatMap((block): JsonObject[] => {
    switch (block.type) {
      case "text":
        // It says the same as the structured content.
        return structured ? [] : [{ uri, mimeType: mimeType ?? "text/plain", text: block.text }]
      case "image":
      case "audio":
        return [{ uri, mimeType: block.mimeType, blob: block.data }]
      case "resource":
        return isObject(block.resource) ? [block.resource] : []
      default:
        return [{ uri, mimeType: "application/json", text: JSON.stringify(block) }]
    }
  })
  if (!structured) return contents
  const text = JSON.stringify(structuredContent)
  return [{ uri, mimeType: mimeType ?? "application/json", text }, ...contents]
}
