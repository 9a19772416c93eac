/** Tells when one of some files is edited, replaced, deleted or made. */
import { type FSWatcher, realpathSync, statSync, watch } from "node:fs"
import { dirname } from "node:path"

/** Editors write in several steps. */
const SETTLE_MS = 50
/** How often to look where the system can't watch a folder (too many watches, some network drives). */
const POLL_MS = 2000

export interface FileWatch {
  /** Watches these files, and no others, from now on. */
  follow(files: Iterable<string>): void
  close(): void
}

/**
 * Folders are watched, not files: one that is replaced by renaming, or is not there yet, can't be. Any event only leads
 * to a look at the files themselves, so what else happens in a folder is of no matter.
 */
export function watchFiles(onChange: () => void): FileWatch {
  const watchers = new Map<string, FSWatcher>()
  let files: string[] = []
  let seen = ""
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const lookIn = (ms: number): void => {
    if (!closed) timer ??= setTimeout(look, ms).unref()
  }
  const open = (key: string, folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, () => lookIn(SETTLE_MS))
      watcher.on("error", () => {
        watcher.close()
        watchers.delete(key)
        lookIn(SETTLE_MS)
      })
      watchers.set(key, watcher)
    } catch {
      lookIn(POLL_MS)
    }
  }
  const arm = (): void => {
    const wanted = foldersOf(files)
    for (const [key, watcher] of watchers) {
      if (wanted.has(key)) continue
      watcher.close()
      watchers.delete(key)
    }
    const fresh = [...wanted].filter(([key]) => !watchers.has(key))
    for (const [key, folder] of fresh) open(key, folder)
    // A nearer folder may have been made just before the watch began.
    if (fresh.length > 0) lookIn(SETTLE_MS)
  }
  const look = (): void => {
    timer = undefined
    arm()
    const now = printOf(files)
    if (now === seen) return
    seen = now
    onChange()
  }

  return {
    follow(wanted) {
      const before = new Set(files)
      const after = [...new Set(wanted)].sort()
      if (closed || (after.length === before.size && after.every(file => before.has(file)))) return
      files = after
      seen = printOf(files)
      arm()
    },
    close() {
      closed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

/** For each file the nearest folder that exists, and the one that a link leads to; an inode's number is soon used again. */
function foldersOf(files: string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of new Set(files.flatMap(file => [file, realPath(file)]))) {
    let folder = dirname(path)
    while (!statOf(folder)?.isDirectory() && dirname(folder) !== folder) folder = dirname(folder)
    const stats = statOf(folder)
    if (stats) found.set(`${stats.dev}:${stats.ino}:${stats.birthtimeNs} ${folder}`, folder)
  }
  return found
}

function printOf(files: string[]): string {
  return files
    .map(file => {
      const stats = statOf(file)
      return stats ? `${file} ${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : file
    })
    .join("\n")
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
