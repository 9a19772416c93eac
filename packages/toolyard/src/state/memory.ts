/** A `Store` that lasts as long as the process: for `--state memory`, for tests, and where nothing can be written. */
import { YardError } from "../model/errors.ts"
import { checkName, fromRowText, matches, toExpiry, toRowTexts, toText } from "./json-value.ts"
import { closedError } from "./storage-error.ts"
import type { Row, Store } from "./types.ts"

// Values are held as text: a caller that goes on changing an object does not change what is kept.
interface Kept {
  text: string
  expiresAt: number | null
}
interface KeptRow {
  id: number
  at: number
  text: string
}

const SWEEP_EVERY_MS = 60_000

export function createMemoryStore(): Store {
  const spaces = new Map<string, Map<string, Kept>>()
  const streams = new Map<string, KeptRow[]>()
  let lastId = 0
  let sweptAt = Date.now()
  let closed = false
  let changing = false

  const isLive = (kept: Kept) => kept.expiresAt === null || kept.expiresAt > Date.now()

  function enter(...names: [name: string, what: string][]): void {
    if (closed) throw closedError()
    for (const [name, what] of names) checkName(name, what)
  }

  function find(ns: string, key: string): Kept | undefined {
    const kept = spaces.get(ns)?.get(key)
    return kept && isLive(kept) ? kept : undefined
  }

  function put(ns: string, key: string, kept: Kept | undefined): void {
    sweep()
    const space = spaces.get(ns) ?? new Map<string, Kept>()
    if (kept) spaces.set(ns, space.set(key, kept))
    else if (space.delete(key) && space.size === 0) spaces.delete(ns)
  }

  function sweep(): void {
    if (Date.now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = Date.now()
    for (const [ns, space] of spaces) {
      for (const [key, kept] of space) if (!isLive(kept)) space.delete(key)
      if (space.size === 0) spaces.delete(ns)
    }
  }

  return {
    async get(ns, key) {
      enter([ns, "the namespace"], [key, "the key"])
      const kept = find(ns, key)
      return kept && JSON.parse(kept.text)
    },

    async set(ns, key, value, options) {
      enter([ns, "the namespace"], [key, "the key"])
      const expiresAt = toExpiry(options?.ttlMs)
      put(ns, key, value === undefined ? undefined : { text: toText(value, `${ns}/${key}`), expiresAt })
    },

    async delete(ns, key) {
      enter([ns, "the namespace"], [key, "the key"])
      const found = find(ns, key) !== undefined
      put(ns, key, undefined)
      return found
    },

    async entries(ns, { prefix = "", limit = Number.POSITIVE_INFINITY } = {}) {
      enter([ns, "the namespace"], [prefix, "the prefix"])
      return [...(spaces.get(ns) ?? [])]
        .filter(([key, kept]) => key.startsWith(prefix) && isLive(kept))
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .slice(0, Math.max(0, limit))
        .map(([key, kept]) => ({ key, value: JSON.parse(kept.text) }))
    },

    async update(ns, key, change, options) {
      enter([ns, "the namespace"], [key, "the key"])
      if (changing) throw new YardError("internal", `${ns}/${key} is updated within another update`)
      const given = toExpiry(options?.ttlMs)
      const before = find(ns, key)
      changing = true
      try {
        const next = change(before && JSON.parse(before.text))
        const expiresAt = options?.ttlMs === undefined ? (before?.expiresAt ?? null) : given
        put(ns, key, next === undefined ? undefined : { text: toText(next, `${ns}/${key}`), expiresAt })
        return next
      } finally {
        changing = false
      }
    },

    async append(stream, rows) {
      enter([stream, "the stream"])
      const at = Date.now()
      const kept = streams.get(stream) ?? []
      for (const text of toRowTexts(rows, stream)) kept.push({ id: ++lastId, at, text })
      streams.set(stream, kept)
    },

    async tail(stream, { limit, before = Number.POSITIVE_INFINITY, filter = {} }) {
      enter([stream, "the stream"])
      const found: Row[] = []
      const kept = streams.get(stream) ?? []
      for (let i = kept.length - 1; i >= 0 && found.length < limit; i--) {
        const row = kept[i]!
        if (row.id >= before) continue
        const data = fromRowText(row.text)
        if (data && matches(data, filter)) found.push({ id: row.id, at: row.at, data })
      }
      return found
    },

    async trim(stream, { maxRows = Number.POSITIVE_INFINITY, olderThanMs }) {
      enter([stream, "the stream"])
      const kept = streams.get(stream) ?? []
      const oldest = olderThanMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - olderThanMs
      const rest = kept.slice(Math.max(0, kept.length - Math.max(0, maxRows))).filter(row => row.at >= oldest)
      streams.set(stream, rest)
      return kept.length - rest.length
    },

    async close() {
      closed = true
      spaces.clear()
      streams.clear()
    },
  }
}
