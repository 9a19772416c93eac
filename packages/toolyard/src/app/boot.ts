/** `toolyard boot`: puts together what makes a server from a prompt, for the time that this takes. */
import { join } from "node:path"
import { loadConfig } from "../config/load.ts"
import type { YardConfig } from "../model/config.ts"
import { openSandbox } from "../sandbox/pool.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import { type Booted, type BootOptions, bootServer, planServer } from "../sources/prompt/boot.ts"
import { chooseModel } from "../sources/prompt/choose-model.ts"
import type { FoundDescription, Progress } from "../sources/prompt/model.ts"
import { folderOf } from "../sources/prompt/store/store.ts"
import type { BootedServer, BootRequest } from "../surfaces/cli/deps.ts"
import { openYard } from "./compose.ts"
import { SILENT } from "./log.ts"
import { describedEntry, openModelFor, STEPS } from "./prompts.ts"

export async function boot(request: BootRequest): Promise<BootedServer> {
  const config = await loadConfig({ cwd: request.cwd, ...(request.config !== undefined && { file: request.config }) })
  const { prompt, allow, cache, signal, model, provider, apiKey, baseUrl } = request
  const access = { model, provider, llm: config.llm, apiKey, baseUrl }
  const name = chooseModel({ ...access, env: process.env })
  const isChosen = [model, provider, config.llm].some(said => said !== undefined)
  const progress = toProgress(request)
  let sandbox: Sandbox | undefined
  const options: BootOptions = {
    ...STEPS,
    prompt,
    allow,
    cache,
    signal,
    progress,
    folder: folderOf(join(request.folder ?? join(config.root, ".toolyard"), "generated"), request.name),
    // What another model made is good enough for who does not care.
    model: isChosen ? name : undefined,
    openModel: () => openModelFor({ ...access, model: name, provider: undefined }, progress),
    sandbox() {
      sandbox ??= openSandbox({ memoryMb: config.sandbox.memoryMb, size: 1, log: () => {} })
      return sandbox
    },
  }
  try {
    return request.dryRun ? await planOnly(options, config) : await toBooted(await bootServer(options), config)
  } finally {
    await sandbox?.close()
  }
}

async function planOnly(options: BootOptions, config: YardConfig): Promise<BootedServer> {
  const planned = await planServer(options)
  const { whitelist, warnings } = planned.gathered
  const common = { how: "planned" as const, quarantined: [], whitelist, warnings, edited: [] }
  if (!planned.description) {
    const { plan, model } = planned
    return { ...common, model: model.name, tools: plan.tools, plan }
  }
  const tools = await describedTools(options.prompt, planned.description, config)
  const { kind, url } = planned.description
  return { ...common, tools, plan: { description: `made from the ${kind} description at ${url}`, tools } }
}

async function toBooted({ how, stored }: Booted, config: YardConfig): Promise<BootedServer> {
  const { plan, report, whitelist, description } = stored.generated
  const left = report.tools.filter(({ verdict }) => verdict === "quarantined")
  const quarantined = left.map(({ name, reason = "" }) => ({ name, reason }))
  const tools = description
    ? await describedTools(stored.manifest.prompt, description, config)
    : plan.tools.filter(({ name }) => !left.some(tool => tool.name === name))
  return {
    how,
    ...(stored.manifest.model !== undefined && { model: stored.manifest.model }),
    tools: tools.map(({ name, description: text }) => ({ name, description: text })),
    quarantined,
    whitelist: [...whitelist.prompt, ...whitelist.pages].toSorted(),
    warnings: report.warnings,
    edited: stored.edited,
    ...(stored.folder !== "" && { folder: stored.folder }),
    plan,
  }
}

/** What the source makes of a description, found out by opening it as a server. */
async function describedTools(
  prompt: string,
  description: FoundDescription,
  { root }: YardConfig,
): Promise<BootedServer["tools"]> {
  const entry = describedEntry(prompt, description)
  const yard = await openYard({ cwd: root, content: { mcpServers: { described: entry } }, keep: false, log: SILENT })
  try {
    await yard.connected
    return yard.catalog
      .tools()
      .map(({ name, definition }) => ({ name, description: String(definition.description ?? "") }))
  } finally {
    await yard.close()
  }
}

function toProgress({ onEvent }: BootRequest): Progress {
  return {
    step: (step, message, data) => onEvent({ type: "step", step, message, ...(data && { data }) }),
    usage: usage => onEvent({ type: "usage", ...usage }),
  }
}
