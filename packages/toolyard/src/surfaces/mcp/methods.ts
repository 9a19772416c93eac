/** The methods that both protocol eras have, from a request's parameters to the text of its result. */
import { type Catalog, requireUp, UNLISTED_CALL_MS } from "../../catalog/catalog.ts"
import { isContentUri, readContent, type Target } from "../../catalog/lookup.ts"
import type { CatalogTool } from "../../catalog/member.ts"
import { toolId } from "../../catalog/naming.ts"
import { ERRORS, toYardError, YardError } from "../../model/errors.ts"
import { isObject, type JsonObject, toJsonText } from "../../model/json.ts"
import { type Era, type Implementation, META } from "../../model/mcp.ts"
import { nearest } from "../../model/nearest.ts"
import type { Source, ToolResult } from "../../model/source.ts"
import type { Blobs } from "../../state/types.ts"
import type { Address, ListMethod } from "./address.ts"
import type { McpCall } from "./exchange.ts"

/** For each list: its field, the key by which its items are told apart, and the capability that it needs. */
const LISTS: Record<ListMethod, { field: string; key: string; capability: string }> = {
  "tools/list": { field: "tools", key: "name", capability: "tools" },
  "resources/list": { field: "resources", key: "uri", capability: "resources" },
  "resources/templates/list": { field: "resourceTemplates", key: "uriTemplate", capability: "resources" },
  "prompts/list": { field: "prompts", key: "name", capability: "prompts" },
}
/** As many items a client gets at once: there are clients that never ask for a second page, and yards of a thousand tools. */
const PAGE = 5000

/** How many characters of printed lists are kept. */
const MAX_PRINTED = 64 * 1024 * 1024
/** How long a list waits, from the start of the servers, for those that were never listed before. */
const UNLISTED_LIST_MS = 2_000

export class Methods {
  readonly #catalog: Catalog
  readonly #blobs: Blobs
  /** Printed lists by address, era, method and what the caller may see; thrown away when the catalog changes. */
  readonly #printed = new Map<string, string>()
  #printedVersion = -1
  #printedSize = 0

  constructor(catalog: Catalog, blobs: Blobs) {
    this.#catalog = catalog
    this.#blobs = blobs
  }

  /** `undefined` when the address has no such method. */
  perform(
    era: Era,
    address: Address,
    method: string,
    params: JsonObject,
    call: McpCall,
  ): Promise<string> | string | undefined {
    switch (method) {
      case "tools/call":
        return this.#callTool(era, address, params, call)
      case "tools/list":
      case "resources/list":
      case "resources/templates/list":
      case "prompts/list":
        return Object.hasOwn(address.capabilities(), LISTS[method].capability)
          ? this.#listWhenReady(era, address, method, params.cursor, call)
          : undefined
      case "resources/read":
        return this.#read(era, address, params, call)
      case "prompts/get":
        return Object.hasOwn(address.capabilities(), "prompts") ? this.#prompt(era, address, params, call) : undefined
      case "completion/complete":
        return Object.hasOwn(address.capabilities(), "completions")
          ? this.#complete(era, address, params, call)
          : undefined
      default:
        return undefined
    }
  }

  #callTool(era: Era, address: Address, params: JsonObject, call: McpCall): Promise<string> {
    const { name, arguments: args = {} } = params
    if (typeof name !== "string") throw new YardError("invalid_params", "tools/call needs `name`, a string")
    if (!isObject(args)) throw new YardError("invalid_params", "`arguments` of tools/call must be an object")
    const tool = address.tool(name)
    const calling = tool
      ? this.#catalog.call(call, tool, args)
      : ((address.own?.(name, args, call) as Promise<ToolResult> | undefined) ??
        this.#awaitTool(address, name).then(found => this.#catalog.call(call, found, args)))
    return calling.then(
      result => {
        call.isError = result.isError === true
        return encodeResult(era, "tools/call", sealed(result, call), address)
      },
      (error: unknown) => {
        const known = toYardError(error)
        if (ERRORS[known.code].onToolCall === "protocol") throw known
        call.isError = true
        return encodeResult(era, "tools/call", toErrorResult(known), address)
      },
    )
  }

  /** A server that was never listed may have the tool: it is given the time to connect, and named if it can't. */
  async #awaitTool(address: Address, name: string): Promise<CatalogTool> {
    await this.#catalog.whenListed(address.server, UNLISTED_CALL_MS)
    const tool = address.tool(name)
    if (tool) return tool
    const members = address.members()
    for (const member of members) {
      if (address.server !== undefined || name.startsWith(toolId(member.name, ""))) requireUp(member)
    }
    const names = members.flatMap(member =>
      member.tools.map(known => (address.server === undefined ? known.id : known.name)),
    )
    const near = nearest(name, names)
    throw new YardError("unknown_tool", `Unknown tool: ${name}${near ? `; did you mean ${near}?` : ""}`)
  }

  #listWhenReady(
    era: Era,
    address: Address,
    method: ListMethod,
    cursor: unknown,
    call: McpCall,
  ): Promise<string> | string {
    const ready = this.#catalog.whenListed(address.server, UNLISTED_LIST_MS)
    const list = (): string => this.#list(era, address, method, cursor, call)
    return ready ? ready.then(list) : list()
  }

  #list(era: Era, address: Address, method: ListMethod, cursor: unknown, { caller }: McpCall): string {
    if (this.#printedVersion !== this.#catalog.version) {
      this.#printed.clear()
      this.#printedSize = 0
      this.#printedVersion = this.#catalog.version
    }
    const key = JSON.stringify([address.key, era, method, this.#catalog.viewOf(caller), cursor])
    let text = this.#printed.get(key)
    if (text === undefined) {
      text = encodeResult(era, method, pageOf(address.list(method, caller), method, cursor), address)
      this.#printedSize += text.length
      if (this.#printedSize > MAX_PRINTED) {
        this.#printed.clear()
        this.#printedSize = text.length
      }
      this.#printed.set(key, text)
    }
    return text
  }

  async #read(era: Era, address: Address, { uri }: JsonObject, call: McpCall): Promise<string> {
    if (typeof uri !== "string") throw new YardError("invalid_params", "resources/read needs `uri`, a string")
    if (isContentUri(uri)) {
      const content = await readContent(this.#blobs, uri)
      if (!content) throw unknownResource(uri)
      return encodeResult(era, "resources/read", content, address)
    }
    const target = address.resource(uri)
    if (!target) throw unknownResource(uri)
    const result = await this.#use(target, call, source => {
      if (!source.read) throw unknownResource(uri)
      return source.read(target.name, call)
    })
    return encodeResult(era, "resources/read", sealed(result, call), address)
  }

  async #prompt(
    era: Era,
    address: Address,
    { name, arguments: args = {} }: JsonObject,
    call: McpCall,
  ): Promise<string> {
    if (typeof name !== "string") throw new YardError("invalid_params", "prompts/get needs `name`, a string")
    if (!isObject(args)) throw new YardError("invalid_params", "`arguments` of prompts/get must be an object")
    const target = address.prompt(name)
    if (!target) throw new YardError("unknown_prompt", `Unknown prompt: ${name}`)
    const result = await this.#use(target, call, source => {
      if (!source.prompt) throw new YardError("unknown_prompt", `Unknown prompt: ${name}`)
      return source.prompt(target.name, args, call)
    })
    return encodeResult(era, "prompts/get", sealed(result, call), address)
  }

  async #complete(era: Era, address: Address, params: JsonObject, call: McpCall): Promise<string> {
    const { ref, argument } = params
    if (!isObject(ref) || !isObject(argument))
      throw new YardError("invalid_params", "completion/complete needs `ref` and `argument`, both objects")
    let target: Target | undefined
    if (typeof ref.name === "string") target = address.prompt(ref.name)
    else if (typeof ref.uri === "string") target = this.#templateOwner(address, ref.uri)
    if (!target)
      throw new YardError(
        "invalid_params",
        `nothing here can be completed under ${JSON.stringify(ref.name ?? ref.uri)}`,
      )
    const { _meta, ...rest } = params
    const asked = typeof ref.name === "string" ? { ...rest, ref: { ...ref, name: target.name } } : rest
    const result = await this.#use(target, call, source => {
      if (!source.complete) throw new YardError("method_not_found", `${target.member.name} has no completions`)
      return source.complete(asked, call)
    })
    return encodeResult(era, "completion/complete", result, address)
  }

  #templateOwner(address: Address, uri: string): Target | undefined {
    const member = address.members().find(({ offer }) => offer.templates.some(template => template.uriTemplate === uri))
    return member ? { member, name: uri } : address.resource(uri)
  }

  #use(target: Target, call: McpCall, work: (source: Source) => Promise<JsonObject>): Promise<JsonObject> {
    return this.#catalog.use(call, target.member, work)
  }
}

/** A result that asks for input takes the upstream's state with it, which the client must not be able to forge. */
function sealed(result: JsonObject, call: McpCall): JsonObject {
  if (result.resultType !== "input_required" || typeof result.requestState !== "string") return result
  return { ...result, requestState: call.seal(result.requestState) }
}

/** A cursor names the item before the page, so that a list which grows or shrinks meanwhile is gone on with rightly. */
function pageOf(items: JsonObject[], method: ListMethod, cursor: unknown): JsonObject {
  const { field, key } = LISTS[method]
  let start = 0
  if (cursor !== undefined && cursor !== null) {
    const last = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString("utf8") : undefined
    start = items.findIndex(item => item[key] === last) + 1
    if (start === 0)
      throw new YardError("invalid_params", "`cursor` is none that this list gave, or what it stood at is gone", {
        hint: "List from the beginning, without a cursor.",
      })
  }
  const page = items.slice(start, start + PAGE)
  const more = start + PAGE < items.length
  const next = more ? { nextCursor: Buffer.from(String(page.at(-1)?.[key])).toString("base64url") } : {}
  return { [field]: page, ...next }
}

const unknownResource = (uri: string): YardError =>
  new YardError("unknown_resource", `Resource not found: ${uri}`, { data: { uri } })

/** A failure the model can act on. */
export function toErrorResult(error: YardError): JsonObject {
  return {
    content: [{ type: "text", text: `${error.message}\n${error.hint}` }],
    isError: true,
    _meta: { "toolyard/error": error.toJSON() },
  }
}

const CACHEABLE: ReadonlySet<string> = new Set([...Object.keys(LISTS), "resources/read", "server/discover"])

/** The result as the era wants it; the text that came from upstream is put into it as it is. */
export function encodeResult(era: Era, method: string, result: JsonObject, address: Address): string {
  const text = toJsonText(result)
  if (era === "legacy") return text
  let head = ""
  if (result.resultType === undefined) head += ',"resultType":"complete"'
  // Ours may change at any moment and depends on who asks; what a server says of its own resource holds.
  if (CACHEABLE.has(method) && result.resultType !== "input_required") {
    if (result.ttlMs === undefined) head += ',"ttlMs":0'
    if (result.cacheScope === undefined) head += ',"cacheScope":"private"'
  }
  if (result._meta === undefined) head += metaOf(address.info())
  if (head === "") return text
  const empty = Object.keys(result).length === 0
  return `{${head.slice(1)}${empty ? "}" : `,${text.slice(text.indexOf("{") + 1)}`}`
}

/** Printed once for each server, not for each result. */
const printedMeta = new WeakMap<Implementation, string>()

function metaOf(info: Implementation): string {
  let text = printedMeta.get(info)
  if (text === undefined) {
    text = `,"_meta":${JSON.stringify({ [META.serverInfo]: info })}`
    printedMeta.set(info, text)
  }
  return text
}
