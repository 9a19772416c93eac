/** `Blobs` that last as long as the process. */
import { cidOf, createClock, mediaTypeOf, toBytes } from "./cid.ts"
import type { Blobs } from "./types.ts"

export function createMemoryBlobs(): Blobs {
  const kept = new Map<string, { bytes: Uint8Array; mediaType: string; at: number }>()
  const clock = createClock()

  return {
    async put(content, options) {
      // A copy, made before anything is awaited: the caller may go on using its buffer.
      const bytes = Uint8Array.from(toBytes(content))
      const cid = await cidOf(bytes)
      const mediaType = options?.mediaType ?? kept.get(cid)?.mediaType ?? mediaTypeOf(content)
      kept.set(cid, { bytes, mediaType, at: clock() })
      return { cid, size: bytes.length }
    },
    async get(cid) {
      const blob = kept.get(cid)
      return blob && { bytes: blob.bytes.slice(), mediaType: blob.mediaType, size: blob.bytes.length }
    },
    async has(cid) {
      return kept.has(cid)
    },
    async delete(cid) {
      return kept.delete(cid)
    },
    async list({ limit = Number.POSITIVE_INFINITY } = {}) {
      return [...kept]
        .map(([cid, { bytes, at }]) => ({ cid, size: bytes.length, at }))
        .sort((a, b) => b.at - a.at)
        .slice(0, Math.max(0, limit))
    },
    async trim({ maxBytes }) {
      const oldestFirst = [...kept].sort(([, a], [, b]) => a.at - b.at)
      let total = oldestFirst.reduce((sum, [, { bytes }]) => sum + bytes.length, 0)
      let gone = 0
      for (const [cid, { bytes }] of oldestFirst) {
        if (total <= maxBytes) break
        kept.delete(cid)
        total -= bytes.length
        gone++
      }
      return gone
    },
  }
}
