/** One entry of `mcpServers` → `ServerConfig`: variables expanded, checked, defaults filled in. Never throws. */
import { isAbsolute, resolve } from "node:path"
import {
  type Additions,
  type CommandEntry,
  type Entry,
  type FileEntry,
  type HttpEntry,
  SERVER_DEFAULTS,
  type ServerConfig,
  type StdioEntry,
  type ToolOverride,
  type Transforms,
} from "../model/config.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import { nearest } from "../model/nearest.ts"
import { check, kindOf } from "./check.ts"
import { expandValue } from "./expand.ts"
import { hashOf } from "./hash.ts"
import { type Note, quote, type Report, reportMissing } from "./report.ts"
import { ENTRIES, type ServerType, SHARED_KEYS, type SharedKeys, TOOL_BODIES, TYPES } from "./schema.ts"
import { nameProblem } from "./server-name.ts"
import { unsound } from "./unsound.ts"

export interface EntryContext {
  root: string
  env: NodeJS.ProcessEnv
  report: Report
}

export function toServer(name: string, raw: unknown, context: EntryContext): ServerConfig {
  const { report, root } = context
  const path = ["mcpServers", name]
  const { value, missing } = expandValue(raw, context.env, path)
  const writtenType = isObject(value) && typeof value.type === "string" ? value.type : "unknown"
  // Hashed before the checks, which delete what they don't know.
  const rawHash = hashOf(value)
  const broken = (reason: string, note?: Note): ServerConfig => {
    if (note) report.error(note)
    const entry = { type: writtenType.slice(0, 40) }
    const server = { ...withDefaults({}, root), name, entry, enabled: false, disabledReason: reason }
    return { ...server, hash: hashOf({ reason, rawHash }) }
  }

  const unusable = nameProblem(name)
  if (unusable) return broken(unusable, { path, part: "key", message: unusable, fix: "Choose another name." })
  if (!isObject(value)) {
    const message = `the entry must be an object, not ${kindOf(value)}`
    return broken(message, { path, message, fix: 'Write { "command": … } or { "url": … }.' })
  }
  const type = typeOf(value)
  if (typeof type !== "string") return broken(type.message, { ...type, path: [...path, ...type.path] })

  const checked = check(ENTRIES[type], value, path, report)
  if ("message" in checked) return broken(`the entry is not valid: ${checked.message}`)
  const shared = checked.data as SharedKeys
  const entry = toEntry(type, checked.data, root)
  const off = shared.enabled === false || (shared.enabled === undefined && shared.disabled === true)
  let disabledReason = off ? "switched off in the configuration" : undefined
  if (!off && missing.length > 0) disabledReason = reportMissing(missing, report)
  if (!off && missing.length === 0) {
    const fault = unsound(entry)
    if (fault) return broken(`the entry is not valid: ${fault.message}`, { ...fault, path: [...path, ...fault.path] })
  }
  if (type === "static")
    for (const tool of Object.keys(shared.tools ?? {}))
      if (!hasBody(shared.tools?.[tool] ?? {}))
        report.warning({
          path: [...path, "tools", tool],
          part: "key",
          message: `the tool ${quote(tool)} does not say what calling it gives, and is left out`,
          fix: `Add one of ${TOOL_BODIES.join(", ")}.`,
        })
  const state = { enabled: disabledReason === undefined, ...(disabledReason !== undefined && { disabledReason }) }
  const defaults = withDefaults(shared, root)
  // A description has more to choose by than names, so its source does it.
  const { include, exclude, ...chosen } = defaults
  const server =
    type === "openapi"
      ? { ...chosen, entry: { ...entry, include, exclude }, ...state }
      : { ...defaults, entry, ...state }
  return { ...server, name, hash: hashOf(server) }
}

function typeOf(entry: JsonObject): ServerType | Note {
  if (entry.type === undefined) {
    if (entry.command !== undefined) return "stdio"
    if (entry.url !== undefined) return "http"
    return { path: [], message: "the entry has no `command`, no `url` and no `type`", fix: "Add one of them." }
  }
  if (typeof entry.type !== "string")
    return { path: ["type"], message: `\`type\` must be a string, not ${kindOf(entry.type)}`, fix: "Write a string." }
  const type = TYPES.get(entry.type)
  if (type) return type
  const near = nearest(entry.type, TYPES.keys())
  const fix = near ? `Did you mean "${near}"?` : `Choose one of ${Object.keys(ENTRIES).map(quote).join(", ")}.`
  return { path: ["type"], message: "`type` is not a type of server that toolyard knows", fix }
}

function toEntry(type: ServerType, data: JsonObject, root: string): Entry {
  if (type === "stdio") {
    const { command, args = [], env = {}, cwd } = data as unknown as Partial<StdioEntry> & { command: string }
    // Always a folder, so that a server finds its files wherever in the project the hub was started.
    return { type, command: toProgram(command, root), args, env, cwd: resolve(root, cwd ?? ".") }
  }
  if (type === "http") {
    const { url, headers = {} } = data as unknown as Partial<HttpEntry> & { url: string }
    return { type: data.type === "sse" ? "sse" : "http", url, headers }
  }
  if (type === "module" || type === "python") {
    const { file, env = {}, python } = data as unknown as Partial<FileEntry> & { file: string }
    return { type, file: toFile(file, root), env, ...(python !== undefined && { python: toProgram(python, root) }) }
  }
  if (type === "command") {
    const { command, args = [], env = {}, cwd, stdin, parameters = {} } = data as unknown as Partial<CommandEntry>
    const place = { command: toProgram(command as string, root), cwd: resolve(root, cwd ?? ".") }
    return { type, ...place, args, env, parameters, ...(stdin !== undefined && { stdin }) }
  }
  if (type === "static") return { type }
  const keys = Object.keys(data).filter(key => !SHARED_KEYS.includes(key))
  return { ...Object.fromEntries(keys.map(key => [key, data[key]])), type }
}

/** A program beside the configuration, or one that is looked for in the PATH. */
function toProgram(command: string, root: string): string {
  return /^\.\.?[/\\]/.test(command) && !isAbsolute(command) ? resolve(root, command) : command
}

function toFile(file: string, root: string): string {
  return file.startsWith("cid://") ? file : resolve(root, file)
}

function withDefaults(shared: SharedKeys, root: string): Omit<ServerConfig, "name" | "entry" | "enabled" | "hash"> {
  const include = both(shared.include, shared.includeTools)
  const exclude = both(shared.exclude, shared.excludeTools)
  return {
    ...(shared.description !== undefined && { description: shared.description }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    rename: shared.rename ?? SERVER_DEFAULTS.rename,
    readOnly: shared.readOnly ?? SERVER_DEFAULTS.readOnly,
    timeoutMs: shared.timeoutMs ?? SERVER_DEFAULTS.timeoutMs,
    concurrency: shared.concurrency ?? SERVER_DEFAULTS.concurrency,
    isolation: shared.isolation ?? SERVER_DEFAULTS.isolation,
    network: shared.network ?? SERVER_DEFAULTS.network,
    tools: Object.fromEntries(Object.entries(shared.tools ?? {}).map(([tool, over]) => [tool, toOverride(over)])),
    additions: toAdditions(shared),
    transforms: toTransforms(shared.transforms ?? {}, root),
    discover: shared.discover ?? SERVER_DEFAULTS.discover,
  }
}

function toAdditions({ tools = {}, resources = {}, prompts = {} }: SharedKeys): Additions {
  const own = Object.entries(tools).filter(([, tool]) => hasBody(tool))
  return { tools: Object.fromEntries(own), resources: objects(resources), prompts: objects(prompts) }
}

function hasBody(tool: JsonObject): boolean {
  return TOOL_BODIES.some(body => tool[body] !== undefined)
}

/** `"variable://x": "text"` is short for an object that holds the text. */
function objects(items: Record<string, unknown>): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, isObject(item) ? item : { text: item }]))
}

function toTransforms(written: Transforms, root: string): Transforms {
  return Object.fromEntries(Object.entries(written).map(([list, file]) => [list, toFile(file, root)]))
}

function toOverride(written: ToolOverride): ToolOverride {
  const { enabled, timeoutMs, description, title, annotations } = written
  const known = { enabled, timeoutMs, description, title, annotations }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

function both(...lists: (string | string[] | undefined)[]): string[] | undefined {
  const given = lists.filter(list => list !== undefined)
  return given.length > 0 ? [...new Set(given.flat())] : undefined
}
