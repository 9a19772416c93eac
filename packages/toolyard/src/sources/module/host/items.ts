/** What a transform gave, as definitions for the hub; what only this process can do stays here, under its name. */
import { YardError } from "../../../model/errors.ts"
import { isObject, type JsonObject } from "../../../model/json.ts"
import type { OfferList } from "../../../model/source.ts"
import type { Run } from "./revive.ts"
import { isStandardSchema, toInputSchema, toJsonSchema } from "./standard-schema.ts"
import { type HostedTool, withSchemas } from "./tools.ts"

export interface Handled {
  readonly definition: JsonObject
  readonly run: Run
}
/** By name, URI or URI template. */
export interface Items {
  readonly tools: Map<string, HostedTool>
  readonly resources: Map<string, Handled>
  readonly prompts: Map<string, Handled>
}

/** What makes an item one that is answered here; the first that is there counts. */
const HANDLERS: Record<OfferList, readonly string[]> = {
  tools: ["run", "execute"],
  resources: ["read"],
  prompts: ["get", "render"],
}
const DEEPEST = 200

/** The definitions of one list; what was kept for it before is forgotten, unless the new one can't be used. */
export function createItems(list: OfferList, computed: unknown, items: Items, file: string): JsonObject[] {
  const tools = new Map<string, HostedTool>()
  const others = new Map<string, Handled>()
  const definitions = toList(list, computed).map((item, index) => {
    const key = keyOf(list, item)
    if (key === undefined)
      throw refuse(list, `item ${index + 1}`, `has no ${list === "resources" ? "uri or uriTemplate" : "name"}`)
    const name = HANDLERS[list].find(name => typeof item[name] === "function")
    const bare = Object.fromEntries(Object.entries(item).filter(([own]) => own !== name))
    const handler = name === undefined ? undefined : (item[name] as Run).bind(item)
    const { definition, ...schemas } =
      list === "tools" ? toToolItem(bare, handler !== undefined, file) : { definition: bare, wrapped: false }
    const wrong = findNotJson(definition, "", 0)
    if (wrong) throw refuse(list, JSON.stringify(key), wrong)
    if (!handler) return definition
    const meta = isObject(definition._meta) ? definition._meta : {}
    const handled = { ...definition, _meta: { ...meta, "toolyard/handled": true } }
    if (list === "tools") tools.set(key, { ...schemas, definition: { ...handled, name: key }, run: handler })
    else others.set(key, { definition: handled, run: handler })
    return handled
  })
  if (list === "tools") replace(items.tools, tools)
  else replace(items[list], others)
  return definitions
}

function replace<T>(kept: Map<string, T>, made: Map<string, T>): void {
  kept.clear()
  for (const [key, value] of made) kept.set(key, value)
}

/** An array as it is; of an object, as in toolyard.json, the keys are the names. */
function toList(list: OfferList, computed: unknown): JsonObject[] {
  if (Array.isArray(computed)) {
    return computed.map((item, index) => {
      if (!isObject(item)) throw refuse(list, `item ${index + 1}`, "is no object")
      return item
    })
  }
  if (!isObject(computed)) throw refuse(list, "the default export", "gave neither an array nor an object")
  return Object.entries(computed).map(([key, item]) => {
    if (!isObject(item)) throw refuse(list, JSON.stringify(key), "is no object")
    if (list !== "resources") return { name: key, ...item }
    return key.includes("{") ? { uriTemplate: key, ...item } : { uri: key, ...item }
  })
}

function keyOf(list: OfferList, item: JsonObject): string | undefined {
  const key = list === "resources" ? (item.uri ?? item.uriTemplate) : item.name
  return typeof key === "string" && key !== "" ? key : undefined
}

type ToolItem = Omit<HostedTool, "run" | "definition"> & { definition: JsonObject }

/** The schemas of a tool that another server answers are that server's, and stay as they are. */
function toToolItem(item: JsonObject, isHandled: boolean, file: string): ToolItem {
  const { inputSchema, outputSchema, ...rest } = item
  if (isHandled) {
    const said = Object.fromEntries(
      Object.entries({ inputSchema, outputSchema }).filter(([, schema]) => schema !== undefined),
    )
    return withSchemas({ ...rest, name: String(item.name) }, said, false, file)
  }
  const definition = { ...item }
  if (isStandardSchema(inputSchema)) definition.inputSchema = toInputSchema(toJsonSchema(inputSchema, "input", file))
  if (isStandardSchema(outputSchema)) definition.outputSchema = toJsonSchema(outputSchema, "output", file)
  return { definition, wrapped: false }
}

/** What in an item would not arrive as it is, and where; absent properties are as good as none. */
function findNotJson(value: unknown, path: string, depth: number): string | undefined {
  const at = path || "the item"
  if (depth > DEEPEST) return `${at} is nested too deeply, or contains itself`
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
    return `${at} is a ${typeof value}`
  if (typeof value === "number" && !Number.isFinite(value)) return `${at} is ${value}`
  if (typeof value !== "object" || value === null) return undefined
  const prototype = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) return `${at} is a ${prototype.constructor?.name ?? "special object"}, which JSON does not have`
  for (const [key, inner] of Object.entries(value)) {
    const wrong = findNotJson(inner, path ? `${path}.${key}` : key, depth + 1)
    if (wrong) return wrong
  }
  return undefined
}

function refuse(list: OfferList, what: string, problem: string): YardError {
  return new YardError("invalid_params", `the transform of ${list}: ${what}: ${problem}`)
}

/** Whether a URI may have been made from the template: `{x}` stands for a part, `{+x}` for anything, `{?x}` for a query. */
export function templateMatches(template: string, uri: string): boolean {
  const pattern = template.replace(/\{([^}]*)\}|[^{]+|\{/g, (part, expression?: string) => {
    if (expression === undefined) return part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
    if (/^[?&]/.test(expression)) return "(?:[?&][^#]*)?"
    if (/^[+#]/.test(expression)) return ".+"
    return expression.endsWith("*") || expression.startsWith("/") ? ".*" : "[^/?#]+"
  })
  return new RegExp(`^${pattern}$`, "s").test(uri)
}
