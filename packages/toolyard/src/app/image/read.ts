/** Reads an image and believes nothing of it: every byte is accounted for before anything is used. */
import { open } from "node:fs/promises"
import { YardError } from "../../model/errors.ts"
import { loadCidOf } from "../../state/cid.ts"
import { inParallel } from "./in-parallel.ts"
import {
  type Content,
  contentsOf,
  invalid,
  MAX_BYTES,
  MAX_MANIFEST_BYTES,
  type Manifest,
  parseManifest,
} from "./manifest.ts"

export interface Image {
  readonly id: string
  readonly manifest: Manifest
  /** Of the whole file, in bytes. */
  readonly size: number
  /** The bytes of one of its contents, checked again: the file may have changed since. */
  read(content: Content): Promise<Buffer>
  close(): Promise<void>
}

interface Bytes {
  readonly size: number
  read(position: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

export const MAGIC = "toolyard-image 1\n"
const HEAD = /^toolyard-image 1\n(bafkrei[a-z2-7]{52}) ([1-9][0-9]{0,8})\n/
const HEAD_BYTES = 128

/** Opens the file, or the bytes themselves, and verifies all of it. `id` is the only one that is accepted. */
export async function readImage(from: string | Uint8Array, options: { id?: string } = {}): Promise<Image> {
  const bytes = typeof from === "string" ? await openFile(from) : inMemory(from)
  try {
    const image = await openImage(bytes)
    if (options.id !== undefined && image.id !== options.id)
      throw invalid(`the image is ${image.id}, not ${options.id} as was asked for`)
    await inParallel(contentsOf(image.manifest), async content => void (await image.read(content)))
    return image
  } catch (error) {
    await bytes.close()
    throw error
  }
}

async function openImage(bytes: Bytes): Promise<Image> {
  const cidOf = await loadCidOf()
  if (bytes.size > MAX_BYTES) throw invalid("the image is larger than 1 GB")
  const head = (await bytes.read(0, Math.min(HEAD_BYTES, bytes.size))).toString("latin1")
  const match = HEAD.exec(head)
  if (!match) {
    const other = /^toolyard-image (\d{1,9})\n/.exec(head)?.[1]
    if (other !== undefined && other !== "1")
      throw invalid(`the image has format ${other}, which this version can't read`)
    throw invalid(head.startsWith(MAGIC) ? "the image's head is damaged" : "this is not an image of toolyard")
  }
  const [{ length: headLength }, id, digits] = match as unknown as [string, string, string]
  const length = Number(digits)
  if (length > MAX_MANIFEST_BYTES) throw invalid("the image's manifest is larger than 64 MB")
  if (headLength + length > bytes.size) throw invalid("the image is cut off within its manifest")
  const text = await bytes.read(headLength, length)
  if (cidOf(text) !== id) throw invalid(`the image's manifest is not the one of ${id}`)
  const manifest = parseManifest(decode(text))

  const places = new Map<string, number>()
  let end = headLength + length
  for (const { cid, size } of contentsOf(manifest)) {
    places.set(cid, end)
    end += size
  }
  if (end > bytes.size) throw invalid(`the image is cut off: ${end - bytes.size} bytes are missing`)
  if (end < bytes.size) throw invalid(`the image has ${bytes.size - end} bytes too many at its end`)

  return {
    id,
    manifest,
    size: bytes.size,
    async read({ cid, size }) {
      const found = await bytes.read(places.get(cid) as number, size)
      if (cidOf(found) !== cid) throw invalid(`${nameOf(cid, manifest)} is not what the image's manifest says`)
      return found
    },
    close: () => bytes.close(),
  }
}

function decode(text: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    throw invalid("the image's manifest is not UTF-8")
  }
}

/** For people: what it is that differs. */
function nameOf(cid: string, { files, blobs }: Manifest): string {
  const file = files.find(one => one.cid === cid)
  if (file) return file.path
  return blobs.some(blob => blob.cid === cid) ? `the blob ${cid}` : `the script ${cid}`
}

async function openFile(file: string): Promise<Bytes> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    throw new YardError("not_found", `the image ${file} can't be opened (${error.code})`, { hint: "Check the path." })
  })
  const stats = await handle.stat()
  if (!stats.isFile()) {
    await handle.close()
    throw new YardError("not_found", `${file} is not a file`, { hint: "Check the path." })
  }
  return {
    size: stats.size,
    async read(position, length) {
      const buffer = Buffer.alloc(length)
      let done = 0
      while (done < length) {
        const { bytesRead } = await handle.read(buffer, done, length - done, position + done)
        if (bytesRead === 0) throw invalid("the image was cut off while it was read")
        done += bytesRead
      }
      return buffer
    },
    close: () => handle.close(),
  }
}

function inMemory(bytes: Uint8Array): Bytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    size: buffer.length,
    read: async (position, length) => buffer.subarray(position, position + length),
    close: async () => {},
  }
}
