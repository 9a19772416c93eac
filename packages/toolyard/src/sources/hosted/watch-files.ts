/** Tells when one of some files was edited, replaced, deleted or made. */
import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"

/** Editors write in several steps. */
const SETTLE_MS = 50
/** How often to look where the system can't watch (too many watches, some network drives). */
const POLL_MS = 2000

export interface FileWatch {
  /** Watches these files from now on. */
  follow(files: Iterable<string>): void
  close(): void
}

/** Folders are watched, not files: one that is replaced by renaming, or is not there yet, can't be. */
export function watchFiles(onChange: () => void): FileWatch {
  const watchers = new Map<string, FSWatcher>()
  let files: string[] = []
  let seen = ""
  let timer: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  let closed = false

  const look = (): void => {
    timer = undefined
    arm()
    const now = printOf(files)
    if (now === seen) return
    seen = now
    onChange()
  }
  const lookSoon = (): void => {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(look, SETTLE_MS).unref()
  }
  const watchFolder = (folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, lookSoon)
      watcher.on("error", () => {
        watcher.close()
        watchers.delete(folder)
        lookSoon()
      })
      watchers.set(folder, watcher)
    } catch {
      poll ??= setInterval(look, POLL_MS).unref()
    }
  }
  const arm = (): void => {
    const wanted = new Set(files.map(file => dirname(file)))
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of wanted) if (!watchers.has(folder)) watchFolder(folder)
  }

  return {
    follow(wanted) {
      if (closed) return
      const before = new Set(files)
      files = [...new Set(wanted)].sort()
      if (files.length === before.size && files.every(file => before.has(file))) return
      arm()
      seen = printOf(files)
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

function printOf(files: string[]): string {
  return files
    .map(file => {
      try {
        const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
        return stats ? `${file} ${stats.ino}:${stats.size}:${stats.mtimeNs}` : file
      } catch {
        return file
      }
    })
    .join("\n")
}
