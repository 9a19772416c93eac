/** From a prompt to a server that can be served: what was made before if it still holds, else documents, plan, handlers. */
import type { Sandbox } from "../../sandbox/sandbox.ts"
import { allowFor, splitHosts } from "./allow.ts"
import type { MadeTool } from "./generate/make-tool.ts"
import { makeTools } from "./generate/make-tools.ts"
import type { FoundDescription, Gathered, Model, Plan, Progress } from "./model.ts"
import type { Generated, Report } from "./store/generated.ts"
import { findStored, isSameReading, pagesOf, type Stored, store, unstored } from "./store/store.ts"

export interface BootOptions {
  prompt: string
  /** Where the server's files are. */
  folder: string
  /** False to write nothing. */
  keep?: boolean
  /** The model's name, as far as it is known without opening it. */
  model?: string | undefined
  /** Opened when it is needed, and only then: neither a cache nor a description needs one, or a key. */
  openModel(): Model | Promise<Model>
  sandbox(): Sandbox | Promise<Sandbox>
  gather(prompt: string, progress: Progress, signal: AbortSignal): Promise<Gathered>
  plan(model: Model, prompt: string, gathered: Gathered, progress: Progress): Promise<Plan>
  /** Hosts besides those that the prompt and the documentation name. */
  allow?: readonly string[]
  /** False to make everything anew, whatever is there and whoever edited it. */
  cache?: boolean
  progress: Progress
  signal: AbortSignal
}

export interface Booted {
  how: "cached" | "generated" | "described"
  stored: Stored
}

export type Planned =
  | { gathered: Gathered; description: FoundDescription }
  | { gathered: Gathered; description?: undefined; model: Model; plan: Plan }

export async function bootServer(options: BootOptions): Promise<Booted> {
  const known =
    options.cache === false
      ? undefined
      : await findStored(options.folder, options, problem => options.progress.step("store", problem))
  const gathered = await gather(options)
  if (known && isSameReading(known.manifest, pagesOf(gathered))) {
    options.progress.step("store", "nothing has changed: what was made before is used", { folder: known.folder })
    return { how: "cached", stored: known }
  }
  return make(options, await planFrom(options, gathered))
}

/** Documents and plan, and nothing else. */
export async function planServer(options: BootOptions): Promise<Planned> {
  return planFrom(options, await gather(options))
}

async function gather({ prompt, progress, signal, gather: fetchAll }: BootOptions): Promise<Gathered> {
  const gathered = await fetchAll(prompt, progress, signal)
  const { pages, failures, whitelist, warnings } = gathered
  for (const { url, reason } of failures) progress.step("fetch", `${url} could not be read: ${reason}`, { url })
  for (const warning of warnings) progress.step("fetch", warning)
  progress.step(
    "fetch",
    `read ${pages.length} of ${pages.length + failures.length} pages; hosts: ${whitelist.join(", ") || "none"}`,
    {
      pages: pages.map(({ url }) => url),
      whitelist,
    },
  )
  return gathered
}

async function planFrom(options: BootOptions, gathered: Gathered): Promise<Planned> {
  const { prompt, progress, signal, allow = [] } = options
  const [description] = gathered.descriptions
  if (description) {
    progress.step("plan", `${description.url} is a description (${description.kind}): no model is needed`)
    return { gathered, description }
  }
  const model = withSignal(await options.openModel(), signal)
  const whitelist = [...new Set([...gathered.whitelist, ...allow])].toSorted()
  const plan = await options.plan(model, prompt, { ...gathered, whitelist }, progress)
  progress.step("plan", `${plan.tools.length} tools: ${plan.tools.map(({ name }) => name).join(", ")}`)
  return { gathered, model, plan }
}

/** Whatever step asks, it ends with the whole. */
function withSignal(model: Model, signal: AbortSignal): Model {
  return { name: model.name, generate: request => model.generate({ signal, ...request }) }
}

async function make(options: BootOptions, planned: Planned): Promise<Booted> {
  const { prompt, folder, keep = true, cache, progress } = options
  const { gathered } = planned
  const whitelist = splitHosts(gathered.whitelist, prompt)
  const facts = { prompt, pages: pagesOf(gathered), model: planned.description ? undefined : planned.model.name }
  const generated = planned.description
    ? { ...NOTHING, whitelist, description: planned.description }
    : await generate(options, planned, whitelist)
  const how = planned.description ? "described" : "generated"
  if (!keep) return { how, stored: unstored(generated, facts) }
  const problem = (text: string): void => progress.step("store", text)
  try {
    const stored = await store(folder, generated, { ...facts, overwrite: cache === false, problem })
    progress.step("store", `everything is in ${folder}`, { folder })
    return { how, stored }
  } catch (error) {
    // It was paid for: it is used as long as it is there.
    problem(`it could not be kept in ${folder}: ${(error as Error).message}`)
    return { how, stored: unstored(generated, facts) }
  }
}

const NOTHING: Omit<Generated, "whitelist"> = {
  plan: { description: "", tools: [] },
  handlers: new Map(),
  report: { tools: [], warnings: [] },
  examples: {},
}

async function generate(
  options: BootOptions,
  { gathered, model, plan }: Extract<Planned, { plan: Plan }>,
  whitelist: Generated["whitelist"],
): Promise<Generated> {
  const { progress, signal, allow = [] } = options
  const made = await makeTools(plan, {
    model,
    progress,
    signal,
    pages: gathered.pages,
    hosts: [...new Set([...gathered.whitelist, ...allow])].toSorted(),
    allow: allowFor(whitelist, allow),
    sandbox: await options.sandbox(),
  })
  return {
    plan,
    whitelist,
    handlers: new Map(made.flatMap(({ tool, code }) => (code === undefined ? [] : [[tool.name, code] as const]))),
    report: toReport(made, gathered),
    examples: Object.fromEntries(made.map(({ tool, samples }) => [tool.name, samples])),
  }
}

function toReport(made: readonly MadeTool[], { warnings, failures }: Gathered): Report {
  const tools = made.map(({ tool, verdict, reason, repairs, findings, samples }) => ({
    name: tool.name,
    verdict,
    ...(reason !== undefined && { reason }),
    repairs,
    cases: samples.map(sample => sample.case),
    findings,
  }))
  return { tools, warnings: [...warnings, ...failures.map(({ url, reason }) => `${url} could not be read: ${reason}`)] }
}
