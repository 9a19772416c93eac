/** Notices when a configuration file is edited, replaced, deleted or made, and loads anew. */
import { type BigIntStats, type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"
import type { ServerConfig, YardConfig } from "../model/config.ts"
import { realPath } from "./files.ts"

const SETTLE_MS = 50
/** A file that never comes to rest is loaded all the same after this long. */
const PATIENCE_MS = 1000
/** How often to look when the system can't watch a folder (too many watches, some network drives). */
const POLL_MS = 2000

/**
 * Folders are watched, not files: a file that is replaced by renaming, or that isn't there yet, can't be. Any event only
 * leads to a look at the files themselves, so what else happens in the folder, and how the system names it, is of no
 * matter. Start watching before the first load, and no edit falls between the two.
 */
export function watchConfig(
  load: () => Promise<YardConfig>,
  files: () => string[],
  onChange: (config: YardConfig) => void,
): { close(): void } {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let busy = false
  let missed = false
  let closed = false
  let loaded = fingerprint(files())
  let moving: { print: string; since: number } | undefined

  const lookIn = (ms: number): void => {
    missed ||= busy
    if (closed || busy || timer) return
    timer = setTimeout(look, ms).unref()
  }
  const open = (key: string, path: string): boolean => {
    try {
      const watcher = watch(path, { persistent: false }, () => lookIn(SETTLE_MS))
      watcher.on("error", () => {
        watcher.close()
        watchers.delete(key)
        lookIn(SETTLE_MS)
      })
      watchers.set(key, watcher)
      return true
    } catch {
      lookIn(POLL_MS)
      return false
    }
  }
  /** Watches exactly the folders that matter now. */
  const arm = (): void => {
    const wanted = new Map(foldersOf(files()).map(({ path, id }) => [`${id} ${path}`, path]))
    for (const [key, watcher] of watchers) {
      if (wanted.has(key)) continue
      watcher.close()
      watchers.delete(key)
    }
    const opened = [...wanted].filter(([key, path]) => !watchers.has(key) && open(key, path))
    // A nearer folder may have been made just before the watch began.
    if (opened.length > 0) arm()
  }
  const look = async (): Promise<void> => {
    timer = undefined
    // A poll may have been set before the load that is under way.
    if (busy) return lookIn(SETTLE_MS)
    arm()
    const print = fingerprint(files())
    if (print === loaded) {
      moving = undefined
      return
    }
    const since = moving?.since ?? performance.now()
    if (moving?.print !== print && performance.now() - since < PATIENCE_MS) {
      moving = { print, since }
      lookIn(SETTLE_MS)
      return
    }
    moving = undefined
    loaded = print
    missed = false
    busy = true
    try {
      const config = await load()
      if (!closed) onChange(config)
    } finally {
      busy = false
      if (missed) lookIn(SETTLE_MS)
    }
  }

  arm()
  if (fingerprint(files()) !== loaded) lookIn(SETTLE_MS)
  return {
    close() {
      closed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

export interface ServerChanges {
  added: ServerConfig[]
  removed: ServerConfig[]
  /** As they are now. */
  changed: ServerConfig[]
  same: ServerConfig[]
}

export function diffServers(before: ServerConfig[], after: ServerConfig[]): ServerChanges {
  const old = new Map(before.map(server => [server.name, server.hash]))
  const names = new Set(after.map(server => server.name))
  return {
    added: after.filter(server => !old.has(server.name)),
    removed: before.filter(server => !names.has(server.name)),
    changed: after.filter(server => old.has(server.name) && old.get(server.name) !== server.hash),
    same: after.filter(server => old.get(server.name) === server.hash),
  }
}

/** For each file the nearest folder that exists, and the one that its link leads to. */
function foldersOf(files: string[]): { path: string; id: string }[] {
  const found = new Map<string, { path: string; id: string }>()
  for (const file of new Set(files.flatMap(file => [file, realPath(file)]))) {
    let path = dirname(file)
    let stats = statOf(path)
    while (!stats?.isDirectory() && dirname(path) !== path) {
      path = dirname(path)
      stats = statOf(path)
    }
    // An inode's number is used again soon, so the time of birth belongs to the identity.
    if (stats) found.set(path, { path, id: `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` })
  }
  return [...found.values()]
}

function fingerprint(files: string[]): string {
  const prints = files.map(file => {
    const stats = statOf(file)
    return stats ? `${file} ${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : file
  })
  return prints.join("\n")
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
