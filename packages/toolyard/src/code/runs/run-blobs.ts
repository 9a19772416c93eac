/** The blobs of runs. The same content is stored once, whoever has it: it goes when no run uses it any more. */
import type { Blobs, Store } from "../../state/types.ts"

const USES = "run-blobs"
const keyOf = (cid: string, runId: string): string => `${cid} ${runId}`

export async function useBlob(
  store: Store,
  blobs: Blobs,
  runId: string,
  bytes: Uint8Array | string,
  mediaType: string,
): Promise<string> {
  const { cid } = await blobs.put(bytes, { mediaType })
  await store.set(USES, keyOf(cid, runId), true)
  // Another run may have dropped the same before it could know of this one.
  if (!(await blobs.has(cid))) await blobs.put(bytes, { mediaType })
  return cid
}

export async function dropBlob(store: Store, blobs: Blobs, runId: string, cid: string): Promise<void> {
  await store.delete(USES, keyOf(cid, runId))
  const others = await store.entries(USES, { prefix: `${cid} `, limit: 1 })
  if (others.length === 0) await blobs.delete(cid)
}
