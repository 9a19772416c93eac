/**
 * The sources' cache, `cache/<hash of the key>.json`. Reading is synchronous, because a warm start lists its tools from
 * here before anything is connected; writing happens behind the caller's back. It never throws: it is only a cache.
 */
import { createHash } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject } from "../model/json.ts"
import type { SourceCache } from "../model/source.ts"
import { openScratch, writeAtomic } from "./atomic-write.ts"
import { toText } from "./json-value.ts"
import { fileCode, messageOf } from "./storage-error.ts"
import type { Report } from "./types.ts"

export interface OpenCache extends SourceCache {
  /** Resolves when all that was set is written. */
  flush(): Promise<void>
  /** Flushes; what is set afterwards is not kept. */
  close(): Promise<void>
}

export function openCache(dir: string | undefined, report: Report): OpenCache {
  const folder = dir === undefined ? undefined : openFolder(join(dir, "cache"), report)
  /** What is not in a file: not yet, or, where writing fails, not at all. */
  const held = new Map<string, string>()
  const waiting = new Set<string>()
  let writing: Promise<void> | undefined
  let closed = false

  async function write(folder: string): Promise<void> {
    // One turn later: the sets of this turn become one write per key.
    await new Promise(resolve => setImmediate(resolve))
    for (const key of waiting) {
      waiting.delete(key)
      const text = held.get(key)
      if (text === undefined) continue
      try {
        await writeAtomic(fileOf(folder, key), text, { scratch: join(folder, "tmp") })
        if (held.get(key) === text) held.delete(key)
      } catch (error) {
        report(`the cache could not keep ${JSON.stringify(key)}: ${messageOf(error)}`)
      }
    }
  }

  async function flush(): Promise<void> {
    while (writing) await writing
  }

  function start(folder: string): void {
    writing ??= write(folder).finally(() => {
      writing = undefined
      if (waiting.size > 0) start(folder)
    })
  }

  return {
    get(key) {
      const text = held.get(key)
      if (text !== undefined) return parse(text, key)
      return folder === undefined ? undefined : readKept(fileOf(folder, key), key, report)
    },
    set(key, value) {
      if (closed) return
      try {
        held.set(key, toText({ key, value }, "a cached value"))
      } catch (error) {
        return report(`the cache could not keep ${JSON.stringify(key)}: ${messageOf(error)}`)
      }
      if (folder === undefined) return
      waiting.add(key)
      start(folder)
    },
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}

function openFolder(folder: string, report: Report): string | undefined {
  try {
    openScratch(join(folder, "tmp"))
    return folder
  } catch (error) {
    report(`nothing can be cached in ${folder} (${messageOf(error)}); the next start will be a cold one`)
    return undefined
  }
}

function fileOf(folder: string, key: string): string {
  // UTF-16 keeps apart even keys that differ in an unpaired surrogate only.
  return join(folder, `${createHash("sha256").update(Buffer.from(key, "utf16le")).digest("hex").slice(0, 40)}.json`)
}

function parse(text: string, key: string): JsonObject | undefined {
  const kept: unknown = JSON.parse(text)
  return isObject(kept) && kept.key === key && isObject(kept.value) ? kept.value : undefined
}

function readKept(path: string, key: string, report: Report): JsonObject | undefined {
  let reason = "it is not what was written"
  try {
    const value = parse(readFileSync(path, "utf8"), key)
    if (value) return value
  } catch (error) {
    if (fileCode(error) === "ENOENT") return undefined
    reason = messageOf(error)
  }
  try {
    rmSync(path, { force: true, recursive: true })
    report(`the cached ${JSON.stringify(key)} could not be read and was dropped: ${reason}`)
  } catch (error) {
    report(`the cached ${JSON.stringify(key)} can neither be read (${reason}) nor removed (${messageOf(error)})`)
  }
  return undefined
}
