/** An API that an OpenAPI description tells of, as a source: no code is generated, and the hub itself sends the requests. */
import { readFile } from "node:fs/promises"
import { dirname, isAbsolute, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { CLIENT_INFO } from "../../model/mcp.ts"
import type { SourceContext } from "../../model/source.ts"
import { hashOf, openKept, recallObject } from "../described/kept.ts"
import { type Described, DescribedSource, type Describer } from "../described/source.ts"
import { type DescriptionText, fetchText, isUrl, readText, recallText } from "../described/text.ts"
import { runInThread } from "../described/thread.ts"
import { type Api, openApi } from "./api.ts"
import { MISSING, type OpenApiJob, type OpenApiTools, REFUSED } from "./job.ts"

export interface OpenApiEntry {
  type: "openapi"
  /** A file of the project, or an address. */
  spec: string
  /** Secrets by the name of the security scheme. */
  auth?: Record<string, unknown>
  /** Sent with every request. */
  headers?: Record<string, string>
  /** The API's address, in place of those that the description names. */
  server?: string
  /** True when `spec` was found in a page: its host may not be an internal one. */
  isFound?: boolean
  /** Globs on names, or `tag:`, `path:`, `method:`, `operation:`. */
  include?: string[]
  exclude?: string[]
}

/** Changes when the same text would be made into something else. */
const FORMAT = `${CLIENT_INFO.version}.1`

export class OpenApiSource extends DescribedSource {
  constructor(config: ServerConfig) {
    super(config, createDescriber(config))
  }
}

function createDescriber(config: ServerConfig): Describer {
  const entry = config.entry as unknown as OpenApiEntry
  const api = openApi(config, entry)
  /** What was made from the last text, while it is the same. */
  let last: { key: string; tools: OpenApiTools; described: Described } | undefined

  const whereOf = ({ yard }: SourceContext): string => (isUrl(entry.spec) ? entry.spec : resolve(yard.root, entry.spec))

  const describe = async (
    context: SourceContext,
    { bytes, stale }: DescriptionText,
    convert: ((job: OpenApiJob) => Promise<string>) | undefined,
  ): Promise<Described | undefined> => {
    const job = toJob(config, whereOf(context), context.yard.root, bytes)
    const name = `openapi ${JSON.stringify({ ...job, bytes: undefined })}`
    const key = `${FORMAT} ${name} ${await hashOf(bytes)}`
    if (last?.key === key && (await isCurrent(last.tools))) return { ...last.described, stale }
    const kept = openKept(context.yard.cacheFolder)
    const known = (await recallObject(kept, name, key)) as unknown as OpenApiTools | undefined
    let tools = known && (await isCurrent(known)) ? known : undefined
    if (!tools) {
      if (!convert) return undefined
      const json = await convert(job)
      tools = JSON.parse(json) as OpenApiTools
      await kept.set(name, key, json)
    }
    last = { key, tools, described: toDescribed(tools, api, context) }
    return { ...last.described, stale }
  }

  return {
    files: context => (isUrl(entry.spec) ? [] : [whereOf(context)]),
    async recall(context) {
      const where = whereOf(context)
      const found = isUrl(where) ? await recallText(where, context) : await readText(where)
      return found && describe(context, found, undefined)
    },
    async load(context, signal) {
      if (entry.server !== undefined && !(isUrl(entry.server) && URL.canParse(entry.server)))
        throw new YardError("config_invalid", "`server` must be an http:// or https:// URL")
      const where = whereOf(context)
      const found = isUrl(where) ? await fetchText(where, !entry.isFound, context, signal) : await readText(where)
      return (await describe(context, found, job => runInThread(job, signal)))!
    },
    close: () => api.close(),
  }
}

function toJob(config: ServerConfig, where: string, project: string, bytes: Uint8Array): OpenApiJob {
  const hosts = config.network.map(host => ({ host, from: "`network`" }))
  if (isUrl(where)) hosts.push({ host: new URL(where).host, from: "`spec`" })
  // A description that stands elsewhere may refer to what stands beside it.
  const inside = isUrl(where) ? "" : relative(project, where)
  const root = inside.startsWith("..") || isAbsolute(inside) ? dirname(where) : project
  const { include = config.include, exclude = config.exclude } = config.entry as unknown as OpenApiEntry
  return { kind: "openapi", bytes, where, root, hosts, include, exclude }
}

/** Files that it refers to may have been edited; what other hosts have is not asked for again. */
async function isCurrent({ parts }: OpenApiTools): Promise<boolean> {
  const files = parts.filter(({ uri, hash }) => uri.startsWith("file:") && hash !== REFUSED)
  const hashes = await Promise.all(files.map(({ uri }) => readFile(new URL(uri)).then(hashOf, () => MISSING)))
  return files.every(({ hash }, index) => hash === hashes[index])
}

function toDescribed(
  { tools, report, parts, title, version, about }: OpenApiTools,
  api: Api,
  context: SourceContext,
): Described {
  const plans = new Map(tools.map(tool => [tool.definition.name, tool]))
  const repairs = report.map(({ code, at, message }) => `${code} at ${at || "/"}: ${message}`)
  return {
    offer: {
      tools: tools.map(({ definition }) => definition),
      resources: [],
      templates: [],
      prompts: [],
      info: { name: title ?? "api", version: version ?? "0" },
      ...(about !== undefined && { instructions: about }),
      capabilities: { tools: {} },
    },
    call: (name, args, call, signal) => api.call(plans.get(name)!, args, call, signal, context.yard),
    notes: [`${count(tools.length, "operation")}; ${count(report.length, "repair")} of the description`, ...repairs],
    files: parts.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri)),
  }
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`
}
