/** Servers that are made from prompts, and what they share: one sandbox, opened when the first handler is tried or called. */
import type { ServerConfig, YardConfig } from "../model/config.ts"
import type { Source } from "../model/source.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import { GraphQlSource } from "../sources/graphql/source.ts"
import { OpenApiSource } from "../sources/openapi/source.ts"
import { chooseModel } from "../sources/prompt/choose-model.ts"
import { findUrls } from "../sources/prompt/documents/urls.ts"
import { listedHost, promptHosts } from "../sources/prompt/documents/whitelist.ts"
import type { FoundDescription, Model, Progress } from "../sources/prompt/model.ts"
import { PromptSource, type PromptSourceOptions } from "../sources/prompt/source.ts"

export interface PromptsDeps {
  config(): YardConfig
  log(level: "info" | "warn", message: string): void
  onSpawn?(pid: number): void
  onExit?(pid: number): void
}

export interface Prompts {
  open(server: ServerConfig): Source
  close(): Promise<void>
}

type DescribedEntry = ({ type: "openapi"; spec: string } | { type: "graphql"; url: string; schema?: string }) & {
  /** Nobody named its host: it stands in a page, or was led to. */
  isFound?: true
}

export interface ModelAccess {
  model?: string | undefined
  provider?: string | undefined
  apiKey?: string | undefined
  baseUrl?: string | undefined
  /** `llm` of the configuration. */
  llm?: string | undefined
}

/** What reads and plans. Loaded when there is something to make: a server that was made before needs none of it. */
export const STEPS: Pick<PromptSourceOptions, "gather" | "plan"> = {
  async gather(prompt, progress, signal) {
    const { gatherDocuments } = await import("../sources/prompt/documents/gather.ts")
    return gatherDocuments(prompt, { progress, signal })
  },
  async plan(model, prompt, gathered, progress) {
    const { makePlan } = await import("../sources/prompt/plan/make-plan.ts")
    return makePlan(model, prompt, gathered, progress)
  },
}

export async function openModelFor(access: ModelAccess, progress: Progress): Promise<Model> {
  const { openModel } = await import("../sources/prompt/llm/open-model.ts")
  const model = chooseModel({ ...access, env: process.env })
  // Where the libraries of the other two look by themselves.
  const own = model.startsWith("openai-compatible/") ? process.env.OPENAI_BASE_URL : undefined
  return openModel({
    model,
    apiKey: access.apiKey,
    baseUrl: access.baseUrl ?? own,
    usage: usage => progress.usage(usage),
  })
}

/** A schema does not say where its server is: the prompt may, and else it is usually found there. */
function graphQlEndpoint(prompt: string, schemaUrl: string): string {
  const named = findUrls(prompt).find(({ href, pathname }) => href !== schemaUrl && /graphql\/?$/i.test(pathname))
  return named?.href ?? new URL("/graphql", schemaUrl).href
}

/** What needs no generated code, as an entry of its own. `file` holds its text, where that is kept. */
export function describedEntry(prompt: string, { kind, url }: FoundDescription, file?: string): DescribedEntry {
  const isNamed = (address: string): boolean => promptHosts(prompt).includes(listedHost(new URL(address)))
  if (kind !== "graphql") return { type: "openapi", spec: url, ...(!isNamed(url) && { isFound: true }) }
  const endpoint = graphQlEndpoint(prompt, url)
  return {
    type: "graphql",
    url: endpoint,
    ...(file !== undefined && { schema: file }),
    ...(!isNamed(endpoint) && { isFound: true }),
  }
}

function openDescription(server: ServerConfig, description: FoundDescription, file: string | undefined): Source {
  const { prompt } = server.entry as unknown as { prompt: string }
  const config = { ...server, entry: describedEntry(prompt, description, file) }
  return config.entry.type === "graphql" ? new GraphQlSource(config) : new OpenApiSource(config)
}

export function createPrompts({ config, ...deps }: PromptsDeps): Prompts {
  let sandbox: Sandbox | undefined
  const { memoryMb } = config().sandbox
  return {
    open: server =>
      new PromptSource(server, {
        ...STEPS,
        model: config().llm,
        sandbox: async () => {
          const { openSandbox } = await import("../sandbox/pool.ts")
          sandbox ??= openSandbox({ ...deps, memoryMb, size: 1 })
          return sandbox
        },
        openModel: (model, progress) => openModelFor({ model, llm: config().llm }, progress),
        describe: (description, file) => openDescription(server, description, file),
      }),
    async close() {
      await sandbox?.close()
    },
  }
}
