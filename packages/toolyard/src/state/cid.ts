/** Names made of content. */
import { hash } from "node:crypto"
import { YardError } from "../model/errors.ts"

const RAW_CODEC = 0x55
const SHA2_256 = 0x12

export async function cidOf(bytes: Uint8Array): Promise<string> {
  return (await loadCidOf())(bytes)
}

/** For who names many contents, one after another. */
export async function loadCidOf(): Promise<(bytes: Uint8Array) => string> {
  // Loaded at the first blob: most starts need none.
  const [{ CID }, digest] = await Promise.all([import("multiformats/cid"), import("multiformats/hashes/digest")])
  return bytes => CID.createV1(RAW_CODEC, digest.create(SHA2_256, hash("sha256", bytes, "buffer"))).toString()
}

/** True for exactly the names `cidOf` can give, so what passes is also safe as a file name. */
export function isCid(text: string): boolean {
  return /^bafkrei[a-z2-7]{52}$/.test(text)
}

export function toBytes(content: Uint8Array | string): Uint8Array {
  if (typeof content !== "string") return content
  if (!content.isWellFormed()) {
    throw new YardError("invalid_params", "text with an unpaired surrogate can't be kept as UTF-8", {
      hint: "Pass the bytes themselves, or the text without the unpaired surrogate.",
    })
  }
  return Buffer.from(content)
}

/** Times of arrival that never repeat or go back, so that "oldest first" has one answer. */
export function createClock(): () => number {
  let last = 0
  return () => {
    last = Math.max(Date.now(), last + 0.001)
    return last
  }
}

export const DEFAULT_MEDIA_TYPE = "application/octet-stream"
export const TEXT_MEDIA_TYPE = "text/plain; charset=utf-8"

export function mediaTypeOf(content: Uint8Array | string): string {
  return typeof content === "string" ? TEXT_MEDIA_TYPE : DEFAULT_MEDIA_TYPE
}
