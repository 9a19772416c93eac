/** Puts the layers together: the only file that knows everything. */
import { hash, randomBytes } from "node:crypto"
import { join } from "node:path"
import { Catalog } from "../catalog/catalog.ts"
import { createLearning, type Learning } from "../catalog/learning/learning.ts"
import { toolId } from "../catalog/naming.ts"
import { type OpenedCodeMode, openCodeMode } from "../code/open.ts"
import { askPerson } from "../code/runs/ask-person.ts"
import { RunCall } from "../code/runs/run-call.ts"
import { SCRIPTS_CONFIG, SCRIPTS_SERVER, ScriptsSource } from "../code/scripts/scripts-source.ts"
import { toValue } from "../code/value/value.ts"
import { candidateFiles, loadConfig, unreadableFiles } from "../config/load.ts"
import { watchConfig } from "../config/watch.ts"
import type { ConfigProblem, ServerConfig, YardConfig } from "../model/config.ts"
import type { ToolDefinition } from "../model/mcp.ts"
import type { Source } from "../model/source.ts"
import { type Approvals, createApprovals } from "../policy/approvals.ts"
import { Audit } from "../policy/audit.ts"
import { CommandSource } from "../sources/command/source.ts"
import { GraphQlSource } from "../sources/graphql/source.ts"
import { openModule } from "../sources/module/source.ts"
import { OpenApiSource } from "../sources/openapi/source.ts"
import { openPython } from "../sources/python/source.ts"
import { StaticSource } from "../sources/static/source.ts"
import { TransformedSource } from "../sources/transform/source.ts"
import { UpstreamSource } from "../sources/upstream/source.ts"
import { startWatchdog, type Watchdog } from "../sources/upstream/watchdog.ts"
import { openCache } from "../state/cache.ts"
import { openState } from "../state/open.ts"
import type { State } from "../state/types.ts"
import type { Log } from "./log.ts"
import { createPrompts, type Prompts } from "./prompts.ts"

export interface OpenOptions {
  cwd?: string
  /** Read this file and no other. */
  config?: string
  /** The configuration itself, in place of any file. */
  content?: object
  log: Log
  /** Servers are connected once this has resolved; their tools are listed from the cache before. */
  start?: Promise<void>
  /** Whether edits of the configuration are to be followed. */
  watch?: boolean
  /** Leaves out the servers that are not needed: nothing is started for them, unless a tool of the others calls one. */
  only?: (server: ServerConfig) => boolean
  /** False to leave no trace on the disk. */
  keep?: boolean
  /** Where what must last is kept; `.toolyard` in the project's folder. */
  folder?: string
  /** Refuses every tool that says that it changes things, whatever the servers' entries say. */
  readOnly?: boolean
  /** Puts things into the state before anything looks at it. */
  prepare?: (state: State) => Promise<void>
  /** How many sandbox processes stand ready once there are runs; as many as there are cores, up to four. */
  sandboxes?: number
}

export interface Yard {
  readonly config: YardConfig
  readonly catalog: Catalog
  readonly audit: Audit
  readonly approvals: Approvals
  readonly code: OpenedCodeMode
  readonly state: State
  /** The folder in which what must last is kept. */
  readonly folder: string
  /** Resolves when every server had its first attempt to connect. */
  readonly connected: Promise<void>
  close(): Promise<void>
}

/** What makes a server of each type live. */
const SOURCES: Record<string, (server: ServerConfig, watchdog: Watchdog, prompts: Prompts) => Source> = {
  stdio: (server, watchdog) => new UpstreamSource(server, watchdog),
  http: (server, watchdog) => new UpstreamSource(server, watchdog),
  sse: (server, watchdog) => new UpstreamSource(server, watchdog),
  module: openModule,
  python: openPython,
  command: (server, watchdog) => new CommandSource(server, watchdog),
  static: server => new StaticSource(server),
  openapi: server => new OpenApiSource(server),
  graphql: server => new GraphQlSource(server),
  prompt: (server, _watchdog, prompts) => prompts.open(server),
}

export async function openYard(options: OpenOptions): Promise<Yard> {
  const { log } = options
  const where = {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.config !== undefined && { file: options.config }),
    ...(options.content !== undefined && { content: options.content }),
  }
  let config = await loadConfig(where)
  reportProblems(config.problems, log)
  const folder = options.folder ?? join(config.root, ".toolyard")
  const kept = options.keep === false ? undefined : folder
  const cache = openCache(kept, problem => log.warn(problem))
  const state = await openState(kept, problem => log.warn(problem))
  await options.prepare?.(state)
  const audit = new Audit(state.store, problem => log.warn(problem))
  const approvals = createApprovals({
    store: state.store,
    bus: state.bus,
    get timeoutMs() {
      return config.policy.askTimeoutMs
    },
  })
  const learning = createLearning(state.store, problem => log.warn(problem))
  await learning.load()
  const hashOf = createDefinitionHash()
  const watchdog = startWatchdog()
  const prompts = createPrompts({
    config: () => config,
    log: (level, message) => log[level](message),
    onSpawn: pid => watchdog.add(pid),
    onExit: pid => watchdog.remove(pid),
  })

  let scripts: ScriptsSource | undefined
  const openSource = (server: ServerConfig): Source => {
    if (server === SCRIPTS_CONFIG) {
      scripts = new ScriptsSource(code.saved, () => code)
      return scripts
    }
    return openServer(server, watchdog, prompts)
  }
  const catalog = new Catalog(config.policy, {
    openSource,
    cache,
    blobs: state.blobs,
    audit,
    learned: {
      learn: (tool, result) => learning.observe(tool.id, hashOf(tool.definition), () => toValue(result)),
      schemaOf: id => schemaOf(id),
    },
    async approve(tool, because, call, args) {
      const question = { tool: tool.id, args, because }
      if (call instanceof RunCall) await askPerson(approvals, question, call)
      else await approvals.request({ ...question, done: [] }, call)
    },
    log: (level, message) => log[level](message),
    start: options.start ?? Promise.resolve(),
    bring: tool => bring(tool),
    root: config.root,
    cacheFolder: kept && join(kept, "cache"),
  })
  /** What was learned of a tool that has been defined anew since does not hold any more. */
  function schemaOf(id: string): ReturnType<Learning["schemaOf"]> {
    const tool = learning.schemaOf(id) && catalog.findTool(id)
    if (tool) learning.confirm(id, tool.definition.outputSchema ? undefined : hashOf(tool.definition))
    return learning.schemaOf(id)
  }
  const code = openCodeMode({
    catalog,
    approvals,
    state,
    learned: { schemaOf },
    config: () => config,
    log: (level, message) => log[level](message),
    onSpawn: pid => watchdog.add(pid),
    onExit: pid => watchdog.remove(pid),
    ...(options.sandboxes !== undefined && { sandboxes: options.sandboxes }),
    onScriptsChange: () => void offerScripts().catch((error: unknown) => log.warn(String(error))),
  })
  const brought = new Set<string>()
  const only = (server: ServerConfig): boolean => (options.only?.(server) ?? true) || brought.has(server.name)
  const bring = async (tool: string): Promise<void> => {
    const owners = config.servers.filter(
      server => !only(server) && (tool.startsWith(toolId(server.name, "")) || tool.startsWith(`${server.name}.`)),
    )
    for (const { name } of owners) brought.add(name)
    if (owners.length > 0) await catalog.configure(wanted())
  }
  let hasScripts = (await code.saved.list()).length > 0
  const wanted = (): ServerConfig[] => {
    const guarded = (server: ServerConfig) =>
      options.readOnly ? { ...server, readOnly: server.readOnly || true } : server
    const servers = config.servers.filter(only).map(guarded)
    const isTaken = config.servers.some(({ name }) => name === SCRIPTS_SERVER)
    return hasScripts && !isTaken && only(SCRIPTS_CONFIG) ? [...servers, SCRIPTS_CONFIG] : servers
  }
  const offerScripts = async (): Promise<void> => {
    const before = hasScripts
    hasScripts = (await code.saved.list()).length > 0
    if (before === hasScripts) await scripts?.reload()
    else await catalog.configure(wanted())
  }
  const connected = catalog.configure(wanted())

  const watcher = options.watch
    ? watchConfig(
        () => loadConfig(where),
        () => candidateFiles(where),
        next => {
          reportProblems(next.problems, log)
          const unreadable = unreadableFiles(next)
          if (unreadable.length > 0) {
            log.warn(`${unreadable.join(" and ")} cannot be read; everything goes on as before`)
            return
          }
          const policyChanged = JSON.stringify(next.policy) !== JSON.stringify(config.policy)
          const surfaceChanged = next.surface !== config.surface
          config = next
          log.info("the configuration changed")
          // Both decide what clients see: lists are printed anew, and clients are told.
          if (policyChanged || surfaceChanged) catalog.setPolicy(next.policy)
          void catalog.configure(wanted()).catch((error: unknown) => log.warn(String(error)))
        },
      )
    : undefined

  return {
    get config() {
      return config
    },
    catalog,
    audit,
    approvals,
    code,
    state,
    folder,
    connected,
    async close() {
      watcher?.close()
      await code.close()
      await approvals.close()
      await catalog.close()
      await prompts.close()
      await learning.close()
      await audit.flush()
      await Promise.all([cache.close(), state.close()])
      watchdog.close()
    },
  }
}

/** The source of the server's type, and over it what its entry computes and adds. */
function openServer(server: ServerConfig, watchdog: Watchdog, prompts: Prompts): Source {
  const { transforms, additions, discover, entry } = server
  let source = (SOURCES[entry.type] as (typeof SOURCES)[string])(server, watchdog, prompts)
  if (Object.keys(transforms).length > 0) source = new TransformedSource(server, source, watchdog)
  const adds = Object.values(additions).some(items => Object.keys(items).length > 0)
  return entry.type !== "static" && (adds || !discover) ? new StaticSource(server, source) : source
}

/** A definition is hashed once, however often its tool is called. */
function createDefinitionHash(): (definition: ToolDefinition) => string {
  const known = new WeakMap<ToolDefinition, string>()
  return definition => {
    let found = known.get(definition)
    if (found === undefined) {
      found = hash("sha256", JSON.stringify(definition), "base64url")
      known.set(definition, found)
    }
    return found
  }
}

export function describeProblem({ file, line, column, key, message, fix }: ConfigProblem): string {
  const place = [file, line, column].filter(part => part !== undefined).join(":")
  return `${place}${key ? ` ${key}` : ""}: ${message}${fix ? ` (${fix})` : ""}`
}

function reportProblems(problems: ConfigProblem[], log: Log): void {
  for (const problem of problems) log.warn(describeProblem(problem))
}

/** A random secret that outlasts restarts: what was given out before still holds. */
export async function keptSecret(state: State, name: string): Promise<string> {
  const secret = await state.store.update<string>(
    "secrets",
    name,
    known => known ?? randomBytes(32).toString("base64url"),
  )
  return secret as string
}
