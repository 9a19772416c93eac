/** Puts the layers together: the only file that knows everything. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Catalog } from "../catalog/catalog.ts"
import { candidateFiles, loadConfig, unreadableFiles } from "../config/load.ts"
import { watchConfig } from "../config/watch.ts"
import type { ConfigProblem, ServerConfig, YardConfig } from "../model/config.ts"
import { YardError } from "../model/errors.ts"
import type { Source } from "../model/source.ts"
import { Audit } from "../policy/audit.ts"
import { UpstreamSource } from "../sources/upstream/source.ts"
import { startWatchdog } from "../sources/upstream/watchdog.ts"
import { openCache } from "../state/cache.ts"
import { openState } from "../state/open.ts"
import type { State } from "../state/types.ts"
import type { Log } from "./log.ts"

export interface OpenOptions {
  cwd?: string
  /** Read this file and no other. */
  config?: string
  log: Log
  /** Servers are connected once this has resolved; their tools are listed from the cache before. */
  start?: Promise<void>
  /** Whether edits of the configuration are to be followed. */
  watch?: boolean
  /** Leaves out the servers that are not needed: nothing is started for them. */
  only?: (server: ServerConfig) => boolean
  /** False to leave no trace on the disk. */
  keep?: boolean
}

export interface Yard {
  readonly config: YardConfig
  readonly catalog: Catalog
  readonly audit: Audit
  readonly state: State
  /** The folder in which what must last is kept. */
  readonly folder: string
  /** Resolves when every server had its first attempt to connect. */
  readonly connected: Promise<void>
  close(): Promise<void>
}

const UPSTREAM_TYPES = new Set(["stdio", "http", "sse"])

export async function openYard(options: OpenOptions): Promise<Yard> {
  const { log } = options
  const where = {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.config !== undefined && { file: options.config }),
  }
  let config = await loadConfig(where)
  reportProblems(config.problems, log)
  if (config.surface === "code") log.warn('`surface` is "code", which is not there yet: /mcp offers the tools directly')
  const folder = join(config.root, ".toolyard")
  const kept = options.keep === false ? undefined : folder
  const cache = openCache(kept, problem => log.warn(problem))
  const state = await openState(kept, problem => log.warn(problem))
  const audit = new Audit(state.store, problem => log.warn(problem))
  const watchdog = startWatchdog()

  const openSource = (server: ServerConfig): Source => {
    if (UPSTREAM_TYPES.has(server.entry.type)) return new UpstreamSource(server, watchdog)
    throw new YardError("config_invalid", `this version cannot serve servers of type "${server.entry.type}"`)
  }
  const catalog = new Catalog(config.policy, {
    openSource,
    cache,
    blobs: state.blobs,
    audit,
    log: (level, message) => log[level](message),
    start: options.start ?? Promise.resolve(),
  })
  const { only = () => true } = options
  const connected = catalog.configure(config.servers.filter(only).map(servable))

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
          config = next
          log.info("the configuration changed")
          if (policyChanged) catalog.setPolicy(next.policy)
          void catalog
            .configure(next.servers.filter(only).map(servable))
            .catch((error: unknown) => log.warn(String(error)))
        },
      )
    : undefined

  return {
    get config() {
      return config
    },
    catalog,
    audit,
    state,
    folder,
    connected,
    async close() {
      watcher?.close()
      await catalog.close()
      await audit.flush()
      await Promise.all([cache.close(), state.close()])
      watchdog.close()
    },
  }
}

/** A type that belongs to a later version is shown as disabled, with the reason, and the others start. */
function servable(server: ServerConfig): ServerConfig {
  if (!server.enabled || UPSTREAM_TYPES.has(server.entry.type)) return server
  return {
    ...server,
    enabled: false,
    disabledReason: `servers of type "${server.entry.type}" are not served by this version of toolyard`,
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
