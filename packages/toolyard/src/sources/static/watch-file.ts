/** Tells when a file is edited, replaced, deleted or made. */
import { type FSWatcher, realpathSync, statSync, watch } from "node:fs"
import { dirname } from "node:path"

const SETTLE_MS = 50
/** How often to look where the system can't watch a folder. */
const POLL_MS = 2000

/**
 * Folders are watched, not the file: one that is replaced by renaming, or is not there yet, can't be. Any event only
 * leads to a look at the file itself, so what else happens in the folder is of no matter.
 */
export function watchFile(file: string, onChange: () => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let seen = fingerprint(file)

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
    const wanted = foldersOf(file)
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
    const now = fingerprint(file)
    if (now === seen) return
    seen = now
    onChange()
  }

  arm()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

/** The nearest folder that exists, and the one that a link leads to; an inode's number is soon used again. */
function foldersOf(file: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of new Set([file, realPath(file)])) {
    let folder = dirname(path)
    while (!statOf(folder)?.isDirectory() && dirname(folder) !== folder) folder = dirname(folder)
    const stats = statOf(folder)
    if (stats) found.set(`${stats.dev}:${stats.ino}:${stats.birthtimeNs} ${folder}`, folder)
  }
  return found
}

function fingerprint(file: string): string {
  const stats = statOf(file)
  return stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : ""
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
