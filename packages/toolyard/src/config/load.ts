/** Reads `toolyard.json`: the project's file over the user's, every problem named, nothing thrown for bad content. */
import type * as z from "zod"
import type { ConfigProblem, ServerConfig, YardConfig } from "../model/config.ts"
import { isObject, type JsonObject } from "../model/json.ts"
import { DEFAULT_LIMITS } from "../model/run.ts"
import { check, kindOf, reportUnknown } from "./check.ts"
import { type Document, parseDocument } from "./document.ts"
import { expandValue } from "./expand.ts"
import { findFiles, hasServersFolder, type LoadOptions, readText } from "./files.ts"
import { mergePolicies, type PolicyPart, toPolicy } from "./policy.ts"
import { quote, type Report, reportMissing, reportTo } from "./report.ts"
import { CONFIG_FILE, SECTIONS } from "./schema.ts"
import { toServer } from "./server-entry.ts"
import { plainName } from "./server-name.ts"
import { findServerFiles, serversFolder } from "./servers-folder.ts"

export { candidateFiles, type LoadOptions, userFile } from "./files.ts"

type Sections = typeof SECTIONS

/** Where a configuration stands that came from a program. */
const GIVEN = "the given configuration"
/** An entry with none of these only changes what the folder `servers` has under its name. */
const SAYS_WHERE = ["type", "command", "url", "file"]

interface Part {
  file: string
  content: JsonObject
  report: Report
}

export async function loadConfig(options: LoadOptions = {}): Promise<YardConfig> {
  const problems: ConfigProblem[] = []
  const found = findFiles(options)
  const { root, project, user, foreign } = found
  // The project's folder has a name of its own, for servers that want absolute paths.
  const env = { TOOLYARD_ROOT: root, ...(options.env ?? process.env) }
  for (const file of foreign)
    problems.push({
      severity: "warning",
      file,
      message: "the file belongs to another user and is not read",
      fix: "Name it with --config if you trust it.",
    })

  const given = options.content === undefined ? undefined : toPart(GIVEN, JSON.stringify(options.content), problems)
  const parts = given
    ? [given]
    : [project, user].flatMap(file => (file === undefined ? [] : (readPart(file, problems) ?? [])))
  if (options.file !== undefined && project !== undefined && parts.length === 0 && problems.length === 0)
    problems.push({ severity: "error", file: project, message: "there is no such file", fix: "Check the path." })

  const fromFolder = hasServersFolder(options, found)
    ? findServerFiles(root, reportTo(problems, serversFolder(root), parseDocument("{}")))
    : new Map<string, JsonObject>()
  const servers = toServers(parts, root, env, fromFolder)
  const surfaces = parts.map(part => section("surface", part, env))
  const sandboxes = parts.map(part => section("sandbox", part, env) ?? {})
  const models = parts.map(part => section("llm", part, env))
  const llm = models.find(model => model !== undefined)
  const policies = parts.map(
    ({ content, report }): PolicyPart =>
      content.policy === undefined ? { rules: [] } : toPolicy(content.policy, env, report),
  )
  return {
    root,
    files: given ? [] : parts.map(({ file }) => file),
    servers,
    surface: surfaces.find(surface => surface !== undefined) ?? "auto",
    policy: mergePolicies(policies),
    // The project's file comes first and counts more.
    sandbox: Object.assign({ ...DEFAULT_LIMITS, network: [] }, ...sandboxes.reverse()),
    ...(llm !== undefined && { llm }),
    problems,
  }
}

/**
 * The files that exist but could not be used at all, such as one that is being edited. Whoever reloads should keep what
 * was there before while there are any: such a file's servers are not gone.
 */
export function unreadableFiles(config: YardConfig): string[] {
  const failed = config.problems.filter(({ severity, file }) => severity === "error" && !config.files.includes(file))
  return [...new Set(failed.map(({ file }) => file))]
}

function readPart(file: string, problems: ConfigProblem[]): Part | undefined {
  const read = readText(file)
  if (read === undefined) return undefined
  if ("message" in read) {
    problems.push({ severity: "error", file, ...read })
    return undefined
  }
  return toPart(file, read.text, problems)
}

function toPart(file: string, text: string, problems: ConfigProblem[]): Part | undefined {
  const document: Document = parseDocument(text)
  if (document.errors.length > 0) {
    problems.push(...document.errors.map(error => ({ severity: "error" as const, file, ...error })))
    return undefined
  }
  const report = reportTo(problems, file, document)
  if (!isObject(document.value)) {
    const message = `the file must hold an object, not ${kindOf(document.value)}`
    report.error({ path: [], message, fix: 'Write { "mcpServers": { … } }.' })
    return undefined
  }
  for (const path of document.forbidden)
    report.warning({ path, part: "key", message: "a key `__proto__` is ignored", fix: "Remove it." })
  for (const path of document.repeated)
    report.warning({ path, part: "key", message: "this key stands twice; only the last counts", fix: "Remove one." })
  const known = Object.keys(CONFIG_FILE.shape)
  for (const key of Object.keys(document.value)) if (!known.includes(key)) reportUnknown(report, [], key, known)
  return { file, content: document.value, report }
}

function toServers(
  parts: Part[],
  root: string,
  env: NodeJS.ProcessEnv,
  fromFolder: Map<string, JsonObject>,
): ServerConfig[] {
  const servers = new Map<string, ServerConfig>()
  const plain = new Map<string, string>()
  for (const { content, report } of parts) {
    const { mcpServers = {} } = content
    if (!isObject(mcpServers)) {
      const message = `\`mcpServers\` must be an object, not ${kindOf(mcpServers)}`
      report.error({ path: ["mcpServers"], message, fix: 'Write { "name": { … } }.' })
      continue
    }
    for (const [name, raw] of Object.entries(mcpServers)) {
      if (servers.has(name)) continue
      const file = fromFolder.get(name)
      const isPart = file && isObject(raw) && !SAYS_WHERE.some(key => Object.hasOwn(raw, key))
      servers.set(name, toServer(name, isPart ? { ...file, ...raw } : raw, { root, env, report }))
      const twin = plain.get(plainName(name))
      if (twin === undefined) plain.set(plainName(name), name)
      else
        report.warning({
          path: ["mcpServers", name],
          part: "key",
          message: `${quote(name)} and ${quote(twin)} are the same name in tool ids`,
          fix: "Rename one of them.",
        })
    }
  }
  const silent: Report = { error: () => {}, warning: () => {} }
  for (const [name, entry] of fromFolder)
    if (!servers.has(name)) servers.set(name, toServer(name, entry, { root, env: {}, report: silent }))
  return [...servers.values()]
}

/** One of the simple sections of a file, or undefined when it is absent or wrong. */
function section<K extends keyof Sections>(
  key: K,
  { content, report }: Part,
  env: NodeJS.ProcessEnv,
): z.infer<Sections[K]> | undefined {
  if (content[key] === undefined) return undefined
  const { value, missing } = expandValue(content[key], env, [key])
  if (missing.length > 0) {
    reportMissing(missing, report)
    return undefined
  }
  const checked = check(SECTIONS[key], value, [key], report)
  return "data" in checked ? (checked.data as z.infer<Sections[K]>) : undefined
}
