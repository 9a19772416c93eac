/** What was made from descriptions, kept in a folder: by what it was made for, with a line on what it was made from. */
import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isObject, type JsonObject } from "../../model/json.ts"
import { writeAtomic } from "../../state/atomic-write.ts"

export interface Kept {
  get(name: string): Promise<{ from: string; bytes: Buffer } | undefined>
  /** A cache that can't be written does no harm. */
  set(name: string, from: string, content: Uint8Array | string): Promise<void>
}

export function openKept(cacheFolder: string | undefined): Kept {
  if (cacheFolder === undefined) return { get: async () => undefined, set: async () => {} }
  const folder = join(cacheFolder, "descriptions")
  const fileOf = (name: string): string => join(folder, hash("sha256", name))
  return {
    async get(name) {
      const file = await readFile(fileOf(name)).catch(() => undefined)
      const end = file?.indexOf("\n") ?? -1
      return !file || end === -1 ? undefined : { from: file.toString("utf8", 0, end), bytes: file.subarray(end + 1) }
    },
    async set(name, from, content) {
      const file = Buffer.concat([Buffer.from(`${from}\n`), Buffer.from(content)])
      await writeAtomic(fileOf(name), file, { scratch: join(folder, "tmp") }).catch(() => {})
    },
  }
}

/** The object that is kept under the name, where it was made from this. Anything damaged counts as not there. */
export async function recallObject(kept: Kept, name: string, from: string): Promise<JsonObject | undefined> {
  const found = await kept.get(name)
  return found?.from === from ? objectIn(found.bytes.toString()) : undefined
}

export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Not in this thread: descriptions have megabytes. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex")
}
