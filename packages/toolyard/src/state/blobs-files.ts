/**
 * `Blobs` as files: `blobs/ab/<cid>` holds exactly the bytes, `<cid>.json` beside it the media type. The folder is taken
 * from the end of the name, because all names begin alike.
 */
import { readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises"
import { join } from "node:path"
import { isObject } from "../model/json.ts"
import { openScratch, writeAtomic } from "./atomic-write.ts"
import { cidOf, createClock, DEFAULT_MEDIA_TYPE, isCid, mediaTypeOf, toBytes } from "./cid.ts"
import { fileCode, toStorageError } from "./storage-error.ts"
import type { BlobInfo, Blobs, Report } from "./types.ts"

export function openFileBlobs(dir: string, report: Report): Blobs {
  const root = join(dir, "blobs")
  const scratch = join(root, "tmp")
  const clock = createClock()
  const pathOf = (cid: string) => join(root, cid.slice(-3, -1), cid)
  openScratch(scratch)

  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw toStorageError(error, what)
    }
  }

  /** The bytes under that name if they are the right ones; anything else there is moved out of the way. */
  async function readSound(cid: string): Promise<Buffer | undefined> {
    const path = pathOf(cid)
    try {
      const bytes = await readFile(path)
      if ((await cidOf(bytes)) === cid) return bytes
    } catch (error) {
      if (fileCode(error) === "ENOENT") return undefined
      if (fileCode(error) !== "EISDIR") throw error
    }
    const aside = `${path}.damaged-${Date.now()}`
    if (await unlessMissing(rename(path, aside).then(() => true))) {
      report(`the blob ${cid} no longer matched its name; it was set aside as ${aside}`)
    }
    return undefined
  }

  async function readMediaType(cid: string): Promise<string | undefined> {
    const text = await unlessMissing(readFile(`${pathOf(cid)}.json`, "utf8"))
    try {
      const meta: unknown = JSON.parse(text ?? "{}")
      if (isObject(meta) && typeof meta.mediaType === "string") return meta.mediaType
    } catch {
      report(`the media type of the blob ${cid} could not be read; ${DEFAULT_MEDIA_TYPE} is assumed`)
    }
    return undefined
  }

  async function scan(): Promise<BlobInfo[]> {
    const folders = ((await unlessMissing(readdir(root))) ?? []).filter(name => name.length === 2)
    const found: BlobInfo[] = []
    for (const folder of folders) {
      const names = (await unlessMissing(readdir(join(root, folder)))) ?? []
      for (const cid of names.filter(isCid)) {
        const info = await unlessMissing(stat(pathOf(cid)))
        if (info?.isFile()) found.push({ cid, size: info.size, at: info.mtimeMs })
      }
    }
    return found.sort((a, b) => b.at - a.at)
  }

  async function remove(cid: string): Promise<boolean> {
    const path = pathOf(cid)
    const found = await unlessMissing(rm(path).then(() => true))
    await rm(`${path}.json`, { force: true })
    return found ?? false
  }

  return {
    async put(content, options) {
      const bytes = toBytes(content)
      const cid = await cidOf(bytes)
      await attempt(`keep the blob ${cid}`, async () => {
        const path = pathOf(cid)
        const at = clock()
        const isThere = (await readSound(cid)) !== undefined
        const known = isThere ? await readMediaType(cid) : undefined
        const mediaType = options?.mediaType ?? known ?? mediaTypeOf(content)
        if (mediaType !== known) {
          await writeAtomic(`${path}.json`, JSON.stringify({ mediaType }), { scratch, durable: true })
        }
        const touched = isThere && (await unlessMissing(utimes(path, at / 1000, at / 1000).then(() => true)))
        if (!touched) await writeAtomic(path, bytes, { scratch, durable: true, at })
      })
      return { cid, size: bytes.length }
    },

    async get(cid) {
      if (!isCid(cid)) return undefined
      return attempt(`read the blob ${cid}`, async () => {
        const bytes = await readSound(cid)
        if (!bytes) return undefined
        return { bytes, mediaType: (await readMediaType(cid)) ?? DEFAULT_MEDIA_TYPE, size: bytes.length }
      })
    },

    async has(cid) {
      if (!isCid(cid)) return false
      const info = await attempt(`look for the blob ${cid}`, () => unlessMissing(stat(pathOf(cid))))
      return info?.isFile() ?? false
    },

    async delete(cid) {
      return isCid(cid) && attempt(`delete the blob ${cid}`, () => remove(cid))
    },

    async list({ limit = Number.POSITIVE_INFINITY } = {}) {
      return (await attempt("list the blobs", scan)).slice(0, Math.max(0, limit))
    },

    async trim({ maxBytes }) {
      return attempt("trim the blobs", async () => {
        const oldestFirst = (await scan()).reverse()
        let total = oldestFirst.reduce((sum, { size }) => sum + size, 0)
        let gone = 0
        for (const { cid, size } of oldestFirst) {
          if (total <= maxBytes) break
          if (await remove(cid)) gone++
          total -= size
        }
        return gone
      })
    },
  }
}

/** Another process may trim the same folder: what has just gone is no error. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (fileCode(error) === "ENOENT") return undefined
    throw error
  }
}
