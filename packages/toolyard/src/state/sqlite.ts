/**
 * The `Store` in `state.db`. SQLite is called synchronously within each asynchronous method: a write takes microseconds,
 * and one that has resolved survives the death of the process.
 */
import { YardError } from "../model/errors.ts"
import { checkName, fromRowText, matches, toExpiry, toRowTexts, toText } from "./json-value.ts"
import { openFile, type StateFile } from "./sqlite-file.ts"
import { closedError, isCorruption, sqliteCode, toStorageError } from "./storage-error.ts"
import type { Entry, Report, Row, Store } from "./types.ts"

/** Short enough that SQLite's own limit on nesting can't be met. */
const SHORT_ROW = 1000

const SQL = {
  get: "SELECT value FROM kv WHERE ns = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)",
  set: "INSERT INTO kv VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
  change: "UPDATE kv SET value = ? WHERE ns = ? AND key = ?",
  delete: "DELETE FROM kv WHERE ns = ? AND key = ?",
  take: "DELETE FROM kv WHERE ns = ? AND key = ? RETURNING expires_at",
  entries:
    "SELECT key, value FROM kv WHERE ns = ? AND key >= ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY key",
  expire: "DELETE FROM kv WHERE expires_at <= ?",
  append: "INSERT INTO log (stream, at, data) VALUES (?, ?, ?)",
  appendAll: "INSERT INTO log (stream, at, data) SELECT ?, ?, value FROM json_each(?)",
  trimRows:
    "DELETE FROM log WHERE stream = ?1 AND id <= (SELECT id FROM log WHERE stream = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
  trimAll: "DELETE FROM log WHERE stream = ?",
  trimAge: "DELETE FROM log WHERE stream = ? AND at < ?",
}

const tailSql = (conditions: number) =>
  `SELECT id, at, data FROM log WHERE stream = ? AND id < ?${" AND instr(data, ?)".repeat(conditions)} ORDER BY id DESC`

const SWEEP_EVERY_MS = 60_000

export function openSqliteStore(dir: string, report: Report): Store {
  let file = openFile(dir, report)
  let sweptAt = Date.now()
  let closed = false

  /** Runs one operation; what SQLite throws becomes a `YardError`, and a damaged file makes room for a new one. */
  function run<T>(what: string, work: (file: StateFile) => T): T {
    if (closed) throw closedError()
    try {
      return work(file)
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error
      if (isCorruption(error)) replace()
      throw toStorageError(error, what)
    }
  }

  function replace(): void {
    const { inode } = file
    try {
      file.close()
      file = openFile(dir, report, inode)
    } catch (error) {
      closed = true
      throw toStorageError(error, "replace the damaged state.db")
    }
  }

  /** Nobody else writes between its first line and its last. */
  function transact<T>(what: string, work: (file: StateFile) => T): T {
    return run(what, file => {
      if (file.db.isTransaction) throw new YardError("internal", `could not ${what}: another update is under way`)
      file.statement("BEGIN IMMEDIATE").run()
      try {
        const result = work(file)
        file.statement("COMMIT").run()
        return result
      } catch (error) {
        // SQLite ends the transaction by itself after some errors.
        if (file.db.isTransaction) file.db.exec("ROLLBACK")
        throw error
      }
    })
  }

  /** A value that is no JSON was not written by us: it is dropped, as a whole damaged file would be. */
  function parse(ns: string, key: string, text: unknown): unknown {
    try {
      return JSON.parse(String(text))
    } catch {
      report(`the state's entry ${ns}/${key} was damaged and has been dropped`)
      file.statement(SQL.delete).run(ns, key)
      return undefined
    }
  }

  function read(file: StateFile, ns: string, key: string): unknown {
    const row = file.statement(SQL.get).get(ns, key, Date.now())
    return row && parse(ns, key, row.value)
  }

  function sweep(file: StateFile): void {
    if (Date.now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = Date.now()
    file.statement(SQL.expire).run(sweptAt)
  }

  function checkKey(ns: string, key: string): void {
    checkName(ns, "the namespace")
    checkName(key, "the key")
  }

  return {
    async get<T>(ns: string, key: string) {
      checkKey(ns, key)
      return run(`read ${ns}/${key}`, file => read(file, ns, key) as T | undefined)
    },

    async set(ns, key, value, options) {
      checkKey(ns, key)
      const expiresAt = toExpiry(options?.ttlMs)
      const text = value === undefined ? undefined : toText(value, `${ns}/${key}`)
      run(`keep ${ns}/${key}`, file => {
        sweep(file)
        if (text === undefined) file.statement(SQL.delete).run(ns, key)
        else file.statement(SQL.set).run(ns, key, text, expiresAt)
      })
    },

    async delete(ns, key) {
      checkKey(ns, key)
      return run(`delete ${ns}/${key}`, file => {
        const gone = file.statement(SQL.take).get(ns, key)
        return gone !== undefined && (gone.expires_at === null || Number(gone.expires_at) > Date.now())
      })
    },

    async entries<T>(ns: string, { prefix = "", limit = Number.POSITIVE_INFINITY } = {}) {
      checkKey(ns, prefix)
      const found: Entry<T>[] = []
      if (!(limit > 0)) return found
      return run(`list ${ns}`, file => {
        for (const row of file.statement(SQL.entries).iterate(ns, prefix, Date.now())) {
          const key = String(row.key)
          if (!key.startsWith(prefix)) break
          const value = parse(ns, key, row.value)
          if (value !== undefined) found.push({ key, value: value as T })
          if (found.length >= limit) break
        }
        return found
      })
    },

    async update<T>(
      ns: string,
      key: string,
      change: (current: T | undefined) => T | undefined,
      options?: { ttlMs?: number },
    ) {
      checkKey(ns, key)
      const expiresAt = toExpiry(options?.ttlMs)
      return transact(`update ${ns}/${key}`, file => {
        sweep(file)
        const current = read(file, ns, key) as T | undefined
        const next = change(current)
        if (next === undefined) file.statement(SQL.delete).run(ns, key)
        else {
          const text = toText(next, `${ns}/${key}`)
          const keepsLifetime = current !== undefined && options?.ttlMs === undefined
          if (keepsLifetime) file.statement(SQL.change).run(text, ns, key)
          else file.statement(SQL.set).run(ns, key, text, expiresAt)
        }
        return next
      })
    },

    async append(stream, rows) {
      checkName(stream, "the stream")
      if (rows.length === 0 && !closed) return
      const texts = toRowTexts(rows, stream)
      const what = `append to ${stream}`
      const at = Date.now()
      const [only] = texts
      // One statement needs no transaction around it.
      if (texts.length === 1 && only !== undefined) {
        run(what, file => file.statement(SQL.append).run(stream, at, only))
        return
      }
      // One for flat rows costs 2.6 µs a row where one each, and a transaction, cost 4.3 and more.
      if (texts.every(text => text.length < SHORT_ROW)) {
        run(what, file => file.statement(SQL.appendAll).run(stream, at, `[${texts.join(",")}]`))
        return
      }
      transact(what, file => {
        const insert = file.statement(SQL.append)
        for (const text of texts) insert.run(stream, at, text)
      })
    },

    async tail(stream, { limit, before = Number.MAX_SAFE_INTEGER, filter = {} }) {
      checkName(stream, "the stream")
      const found: Row[] = []
      // We print the rows ourselves, so the printed field must occur in them: that spares parsing nearly all the others.
      const needles = Object.entries(filter)
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => JSON.stringify({ [field]: value }).slice(1, -1))
      return run(`read ${stream}`, file => {
        if (!(limit > 0)) return found
        for (const row of file.statement(tailSql(needles.length)).iterate(stream, before, ...needles)) {
          const data = fromRowText(String(row.data))
          if (!data || !matches(data, filter)) continue
          found.push({ id: Number(row.id), at: Number(row.at), data })
          if (found.length >= limit) break
        }
        return found
      })
    },

    async trim(stream, { maxRows, olderThanMs }) {
      checkName(stream, "the stream")
      if (maxRows === 0) return run(`trim ${stream}`, file => Number(file.statement(SQL.trimAll).run(stream).changes))
      return transact(`trim ${stream}`, file => {
        let gone = 0
        if (maxRows !== undefined && Number.isFinite(maxRows)) {
          gone += Number(file.statement(SQL.trimRows).run(stream, Math.max(0, Math.floor(maxRows))).changes)
        }
        if (olderThanMs !== undefined) {
          gone += Number(file.statement(SQL.trimAge).run(stream, Date.now() - olderThanMs).changes)
        }
        return gone
      })
    },

    async close() {
      if (closed) return
      closed = true
      file.close()
    },
  }
}
