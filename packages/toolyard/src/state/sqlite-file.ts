/**
 * The file `state.db`: opened, made, and set aside when it is damaged. What is found sound is opened without more ado;
 * making and replacing happen under a lock, so that of several hubs that start at once one does it and the others wait.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { isCorruption, messageOf, sqliteCode } from "./storage-error.ts"
import type { Report } from "./types.ts"

const VERSION = 1
const BUSY_TIMEOUT_MS = 5_000
const SQLITE_ERROR = 1

const SCHEMA = `
  CREATE TABLE kv (
    ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires_at REAL, PRIMARY KEY (ns, key)
  ) STRICT;
  CREATE INDEX kv_expiry ON kv (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX log_stream ON log (stream, id);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${VERSION};
`

export interface StateFile {
  readonly db: DatabaseSync
  /** Tells this file from another one that has since taken its name. */
  readonly inode: string
  statement(sql: string): StatementSync
  close(): void
}

class Damage extends Error {}

/** `condemned` is the inode of a file that was found damaged in use, however sound it looks from outside. */
export function openFile(dir: string, report: Report, condemned?: string): StateFile {
  const path = join(dir, "state.db")
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  try {
    return openSound(path, condemned)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  return underLock(join(dir, "state.lock"), () => {
    // Whoever held the lock before may have put it right.
    try {
      return openSound(path, condemned)
    } catch (error) {
      if (!isDamage(error)) throw error
      setAside(path, messageOf(error), report)
    }
    create(path)
    return openSound(path)
  })
}

function isDamage(error: unknown): boolean {
  // SQLITE_ERROR while opening: the file is a database, but its tables are not ours.
  return error instanceof Damage || isCorruption(error) || sqliteCode(error) === SQLITE_ERROR
}

function openSound(path: string, condemned?: string): StateFile {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Damage("it is missing")
  if (!found.isFile()) throw new Damage("it is not a file")
  if (found.size === 0) throw new Damage("it is empty")
  const inode = `${found.dev}:${found.ino}`
  if (inode === condemned) throw new Damage("database disk image is malformed")

  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    db.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 33554432")
    const version = db.prepare("PRAGMA user_version").get()?.user_version
    if (version !== VERSION) throw new Damage(`its format is version ${version}, not ${VERSION}`)
    // A write at once: a disk that is full or read-only should show now, while there is still a choice.
    db.exec("BEGIN IMMEDIATE")
    db.prepare("INSERT OR REPLACE INTO meta VALUES ('opened_at', ?)").run(new Date().toISOString())
    db.prepare("DELETE FROM kv WHERE expires_at <= ?").run(Date.now())
    db.prepare("SELECT max(id) FROM log").get()
    db.exec("COMMIT")
  } catch (error) {
    db.close()
    throw error
  }

  const statements = new Map<string, StatementSync>()
  return {
    db,
    inode,
    statement(sql) {
      const statement = statements.get(sql) ?? db.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    close: () => db.close(),
  }
}

/** Made under another name and renamed when complete: an unfinished `state.db` is never seen. */
function create(path: string): void {
  const draft = `${path}.new`
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(draft + suffix, { force: true, recursive: true })
  // SQLite gives its side files the mode of the main one.
  closeSync(openSync(draft, "wx", 0o600))
  const db = new DatabaseSync(draft)
  try {
    db.exec("PRAGMA journal_mode = WAL")
    db.exec(`BEGIN; ${SCHEMA} COMMIT`)
  } finally {
    db.close()
  }
  renameSync(draft, path)
}

function setAside(path: string, reason: string, report: Report): void {
  let stamp = new Date()
  const target = () => `${path}.corrupt-${stamp.toISOString().replaceAll(":", "-")}`
  while (existsSync(target())) stamp = new Date(stamp.getTime() + 1)
  // A journal without its database is moved as well: a new database would take it for its own.
  const moved = ["-wal", "-shm", ""].filter(suffix => {
    try {
      renameSync(path + suffix, target() + suffix)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
      throw error
    }
  })
  if (moved.length > 0) {
    report(`${path} could not be used (${reason}); it was set aside as ${target()} and a new one was begun`)
  }
}

/** SQLite's own file lock, on an empty file: the system lets go of it when the process dies, however it dies. */
function underLock<T>(path: string, work: () => T): T {
  // Nobody writes to it: with anything in it, it is not ours.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && found.size > 0) rmSync(path, { force: true, recursive: true })
  closeSync(openSync(path, "a", 0o600))
  const lock = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    lock.exec("BEGIN EXCLUSIVE")
    return work()
  } finally {
    lock.close()
  }
}
