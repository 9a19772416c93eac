/** Proposals for the arguments of prompts and the variables of URI templates. */
import { isObject, type JsonObject } from "../../model/json.ts"
import type { Completion } from "../../model/source.ts"
import { proposals } from "./arguments.ts"
import { decode, listProjectFiles } from "./project-files.ts"
import type { StaticPrompt } from "./prompts.ts"
import { reachesHidden, type StaticTemplate } from "./resources.ts"

const MAX_VALUES = 100

/** Those that begin with what was typed, then those that have it elsewhere; at most a hundred. */
export function toCompletion(candidates: Iterable<string>, typed: unknown): Completion {
  const part = typeof typed === "string" ? typed.toLowerCase() : ""
  const all = [...new Set(candidates)]
  const begins = all.filter(value => value.toLowerCase().startsWith(part))
  const holds = all.filter(value => value.toLowerCase().indexOf(part) > 0)
  const found = [...begins, ...holds]
  return {
    completion: { values: found.slice(0, MAX_VALUES), total: found.length, hasMore: found.length > MAX_VALUES },
  }
}

export function completePrompt(prompt: StaticPrompt, { argument }: JsonObject): Completion {
  const { name, value } = isObject(argument) ? argument : {}
  const known = prompt.arguments.find(candidate => candidate.name === name)
  return toCompletion(known ? proposals(known) : [], value)
}

/** `uris` are those that are written out: the template may fit some of them. */
export async function completeTemplate(
  { definition, template, arguments: known }: StaticTemplate,
  { argument, context }: JsonObject,
  uris: string[],
  root: string,
): Promise<Completion> {
  const { name, value } = isObject(argument) ? argument : {}
  const declared = known.find(candidate => candidate.name === name)
  if (declared && proposals(declared).length > 0) return toCompletion(proposals(declared), value)
  if (typeof name !== "string" || !template.names.includes(name)) return toCompletion([], value)
  const chosen = isObject(context) && isObject(context.arguments) ? Object.entries(context.arguments) : []
  const { uriTemplate } = definition
  const files = uriTemplate.startsWith("file://") ? await fileUris(template.literal, root) : []
  const values = [...uris, ...files].flatMap(uri => {
    const found = reachesHidden(uri, uriTemplate) ? undefined : template.match(uri)
    const fits = found && chosen.every(([key, text]) => key === name || found[key] === undefined || found[key] === text)
    return fits && found[name] !== undefined ? [found[name]] : []
  })
  return toCompletion(values, value)
}

/** The project's files as URIs that begin as the template does; no folder is read that can't hold one. */
async function fileUris(literal: string, root: string): Promise<string[]> {
  const absolute = literal.startsWith("file:///")
  const base = absolute
    ? `file://${encodePath(root).replace(/\/?$/, "/")}`
    : literal.startsWith("file://./")
      ? "file://./"
      : "file://"
  if (!literal.startsWith(base)) return []
  const folder = literal.slice(base.length, Math.max(base.length, literal.lastIndexOf("/") + 1))
  const below = decode(folder)?.replace(/\/$/, "")
  if (below === undefined || below.split("/").includes("..")) return []
  const paths = await listProjectFiles(root, below)
  return paths.map(path => base + folder + encodePath(path.slice(below === "" ? 0 : below.length + 1)))
}

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/")
