/** Brings what happens in the catalog to the clients that can see it, and asks the servers for what clients want to hear. */
import type { Catalog } from "../../catalog/catalog.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { LOG_LEVELS, type LogLevel } from "../../model/mcp.ts"
import type { OfferList, Source, Unsubscribe } from "../../model/source.ts"
import type { Address } from "./address.ts"

/** One client connection, or one listen stream, that wants to be told. */
export interface Watcher {
  readonly address: Address
  /** The session it belongs to, where it has one. */
  readonly session?: string
  readonly logLevel?: LogLevel | undefined
  listChanged(lists: readonly OfferList[]): void
  updated(uri: string, params: JsonObject): void
  /** Anything else a server says that belongs to no call. */
  notification?(method: string, params: JsonObject | undefined): void
}

export class Changes {
  readonly #catalog: Catalog
  readonly #watchers = new Set<Watcher>()
  /** Which server's which URI is watched by how many, and the source that was told of it. */
  readonly #subscriptions = new Map<string, { server: string; uri: string; count: number; source: Source }>()
  readonly #off: Unsubscribe[]

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#off = [
      catalog.on("changed", (server, lists) => {
        this.#renew(server)
        for (const watcher of this.#seeing(server)) watcher.listChanged(lists)
      }),
      catalog.on("updated", (server, uri, params) => {
        for (const watcher of this.#seeing(server)) watcher.updated(uri, params)
      }),
      catalog.on("notification", (server, method, params, session) => {
        for (const watcher of this.#seeing(server)) {
          if (session === undefined || watcher.session === session) watcher.notification?.(method, params)
        }
      }),
    ]
  }

  /** How many listen streams are open; sessions are counted, and bounded, elsewhere. */
  get streams(): number {
    let count = 0
    for (const { session } of this.#watchers) if (session === undefined) count++
    return count
  }

  watch(watcher: Watcher): Unsubscribe {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  async subscribe(address: Address, uri: string): Promise<void> {
    const { server, source, key } = this.#owner(address, uri)
    if (!source.subscribe) throw new YardError("method_not_found", `${uri} cannot be subscribed to`)
    const known = this.#subscriptions.get(key)
    if (known) {
      known.count++
      return
    }
    this.#subscriptions.set(key, { server, uri, count: 1, source })
    try {
      await source.subscribe(uri)
    } catch (error) {
      this.#subscriptions.delete(key)
      throw error
    }
  }

  async unsubscribe(address: Address, uri: string): Promise<void> {
    const { source, key } = this.#owner(address, uri)
    const known = this.#subscriptions.get(key)
    if (!known || --known.count > 0) return
    this.#subscriptions.delete(key)
    await source.unsubscribe?.(uri)
  }

  /** A server whose entry was edited has a new source, which knows nothing of what clients had asked for. */
  #renew(server: string): void {
    const source = this.#catalog.server(server)?.source
    for (const subscription of this.#subscriptions.values()) {
      if (!source || subscription.server !== server || subscription.source === source) continue
      const before = subscription.source
      subscription.source = source
      // One that is not up yet says so again when it is.
      source.subscribe?.(subscription.uri).catch(() => {
        subscription.source = before
      })
    }
  }

  /** A server is asked for the most that any of its clients wants; each client is given only what it wants. */
  async logLevelChanged(address: Address): Promise<void> {
    await Promise.allSettled(
      address.members().map(member => {
        const levels = this.#seeing(member.name).flatMap(({ logLevel }) =>
          logLevel ? [LOG_LEVELS.indexOf(logLevel)] : [],
        )
        const level = LOG_LEVELS[Math.min(...levels)]
        return level && member.source?.setLogLevel?.(level)
      }),
    )
  }

  /** For the servers that have a process of this session's own; the others can't tell whose roots changed. */
  tell(session: string, method: string, params: JsonObject | undefined): void {
    for (const { source } of this.#catalog.servers()) source?.tell?.(session, method, params)
  }

  endSession(session: string): void {
    for (const { source } of this.#catalog.servers()) void source?.endSession?.(session)
  }

  close(): void {
    for (const off of this.#off) off()
    this.#watchers.clear()
  }

  #seeing(server: string): Watcher[] {
    return [...this.#watchers].filter(watcher => watcher.address.shows(server))
  }

  #owner(address: Address, uri: string) {
    const target = address.resource(uri)
    const source = target?.member.source
    if (!target || !source) throw new YardError("unknown_resource", `Resource not found: ${uri}`, { data: { uri } })
    const server = target.member.name
    return { server, source, key: `${server}\n${uri}` }
  }
}

/** Whether a client that wants `wanted` is to be given a message of `level`. */
export function admits(wanted: LogLevel | undefined, level: unknown): boolean {
  if (wanted === undefined) return true
  const index = LOG_LEVELS.indexOf(level as LogLevel)
  return index === -1 || index >= LOG_LEVELS.indexOf(wanted)
}
