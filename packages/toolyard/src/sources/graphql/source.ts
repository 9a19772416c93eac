/** A GraphQL server as a source: each query and each mutation is a tool. */
import { resolve } from "node:path"
import type { ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { CLIENT_INFO } from "../../model/mcp.ts"
import type { SourceContext } from "../../model/source.ts"
import { hashOf, openKept, recallObject } from "../described/kept.ts"
import { type Described, DescribedSource, type Describer } from "../described/source.ts"
import { askOrRecall, type DescriptionText, isUrl, readText, recallText } from "../described/text.ts"
import { runInThread } from "../described/thread.ts"
import type { GraphQlJob, GraphQlTools } from "./convert.ts"
import { type Endpoint, openEndpoint } from "./endpoint.ts"
import { INTROSPECTION } from "./introspection.ts"
import { type GraphQlPlan, toDocument, toVariables } from "./operation.ts"

export interface GraphQlEntry {
  type: "graphql"
  url: string
  /** A file of the project in GraphQL's schema language; without it, the server is asked. */
  schema?: string
  /** Sent with every request. */
  headers?: Record<string, string>
  /** True when nobody named its host, which may then not be an internal one. */
  isFound?: boolean
}

/** Changes when the same schema would be made into something else. */
const FORMAT = `${CLIENT_INFO.version}.1`
const MAX_CHECKED = 200

export class GraphQlSource extends DescribedSource {
  constructor(config: ServerConfig) {
    super(config, createDescriber(config))
  }
}

function createDescriber(config: ServerConfig): Describer {
  const { url, schema, isFound, headers = {} } = config.entry as unknown as GraphQlEntry
  const isUsable = isUrl(url) && URL.canParse(url)
  const endpoint = openEndpoint(url, headers, !isFound)
  let last: { key: string; described: Described } | undefined
  /** Who asks with other headers may be told of another schema. */
  const own = `${config.name} ${url}`
  const fileOf = ({ yard }: SourceContext): string | undefined => schema && resolve(yard.root, schema)

  const describe = async (
    context: SourceContext,
    { bytes, stale }: DescriptionText,
    convert: ((job: GraphQlJob) => Promise<string>) | undefined,
  ): Promise<Described | undefined> => {
    const job: GraphQlJob = { kind: "graphql", bytes, where: fileOf(context) ?? url }
    const name = `graphql ${own} ${job.where}`
    const key = `${FORMAT} ${await hashOf(bytes)}`
    if (last?.key === key) return { ...last.described, stale }
    const kept = openKept(context.yard.cacheFolder)
    let tools = (await recallObject(kept, name, key)) as unknown as GraphQlTools | undefined
    if (!tools) {
      if (!convert) return undefined
      const json = await convert(job)
      tools = JSON.parse(json) as GraphQlTools
      await kept.set(name, key, json)
    }
    last = { key, described: toDescribed(tools, job, endpoint, context) }
    return { ...last.described, stale }
  }

  const ask = async (signal: AbortSignal): Promise<{ text: string }> => ({
    text: await endpoint.introspect(INTROSPECTION, signal),
  })

  return {
    files: context => [fileOf(context)].filter(file => file !== undefined),
    async recall(context) {
      const file = fileOf(context)
      const found = await (file === undefined ? recallText(own, context) : readText(file))
      return found && describe(context, found, undefined)
    },
    async load(context, signal) {
      if (!isUsable) throw new YardError("config_invalid", "`url` must be an http:// or https:// URL")
      const file = fileOf(context)
      const found = await (file === undefined ? askOrRecall(own, context, signal, () => ask(signal)) : readText(file))
      return (await describe(context, found, job => runInThread(job, signal)))!
    },
    close: () => endpoint.close(),
  }
}

function toDescribed(
  { tools, notes }: GraphQlTools,
  job: GraphQlJob,
  endpoint: Endpoint,
  context: SourceContext,
): Described {
  const plans = new Map(tools.map(({ definition, plan }) => [definition.name, plan]))
  /** Selections that were found to be right. */
  const checked = new Map<string, string>()

  const check = async (plan: GraphQlPlan, select: unknown, signal: AbortSignal): Promise<string> => {
    if (typeof select !== "string") throw new YardError("invalid_arguments", `\`${plan.select}\` must be a text`)
    const key = `${plan.kind} ${plan.field} ${select}`
    const known = checked.get(key)
    if (known !== undefined) return known
    const json = await runInThread({ ...job, check: { plan, select } }, signal)
    const { selection } = JSON.parse(json) as { selection: string }
    if (checked.size >= MAX_CHECKED) checked.clear()
    checked.set(key, selection)
    return selection
  }

  return {
    offer: {
      tools: tools.map(({ definition }) => definition),
      resources: [],
      templates: [],
      prompts: [],
      capabilities: { tools: {} },
    },
    async call(name, args, call, signal) {
      const plan = plans.get(name)!
      const select = plan.select === undefined ? undefined : args[plan.select]
      // Many a model leaves what it does not want empty.
      const isGiven = select !== undefined && select !== null && select !== ""
      const selection = isGiven ? await check(plan, select, signal) : undefined
      const query = toDocument(plan, args, selection)
      const request = { kind: plan.kind, field: plan.field, query, variables: toVariables(plan, args) }
      return endpoint.send(request, call, signal, context.yard)
    },
    notes,
    files: [],
  }
}
