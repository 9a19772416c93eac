/** Writes an image: a line that says what it is, the manifest under its id, and the contents one after another. */
import { randomUUID } from "node:crypto"
import { open, readFile, rename, rm, stat } from "node:fs/promises"
import { YardError } from "../../model/errors.ts"
import { cidOf } from "../../state/cid.ts"
import { type Content, contentsOf, MAX_BYTES, type Manifest, parseManifest, toManifestText } from "./manifest.ts"
import { MAGIC } from "./read.ts"

/** Something to be put into an image: a file on the disk, or bytes. */
export type Material = { file: string } | { bytes: Uint8Array }

export interface Weighed extends Content {
  material: Material
}

export const tooLarge = (what: string): YardError =>
  new YardError("payload_too_large", `${what}, and an image holds at most 1 GB`, {
    hint: "Leave large files out: fetch them at run time, or serve them from elsewhere.",
  })

export async function weigh(material: Material): Promise<Weighed> {
  if ("bytes" in material) {
    const { bytes } = material
    return { cid: await cidOf(bytes), size: bytes.length, material }
  }
  const { size } = await stat(material.file)
  if (size > MAX_BYTES) throw tooLarge(`${material.file} is larger than 1 GB`)
  const bytes = await readFile(material.file)
  return { cid: await cidOf(bytes), size: bytes.length, material }
}

/** The file is there whole or not at all. Gives the image's id and size. */
export async function writeImage(
  file: string,
  manifest: Manifest,
  materials: ReadonlyMap<string, Material>,
): Promise<{ id: string; size: number }> {
  const text = Buffer.from(toManifestText(manifest))
  const id = await cidOf(text)
  const head = Buffer.from(`${MAGIC}${id} ${text.length}\n`)
  // As a reader will see it: the contents follow in the order of the sorted lists.
  const contents = contentsOf(parseManifest(text.toString("utf8")))
  const size = contents.reduce((sum, content) => sum + content.size, head.length + text.length)
  if (size > MAX_BYTES) throw tooLarge(`the image would have ${size} bytes`)
  const draft = `${file}.${randomUUID()}`
  try {
    const out = await open(draft, "wx")
    try {
      await out.writeFile(head)
      await out.writeFile(text)
      for (const content of contents) {
        const material = materials.get(content.cid) as Material
        const bytes = "bytes" in material ? material.bytes : await readFile(material.file)
        if ((await cidOf(bytes)) !== content.cid)
          throw new YardError("storage", `${"file" in material ? material.file : content.cid} changed meanwhile`, {
            hint: "Build the image again when nobody writes there.",
          })
        await out.writeFile(bytes)
      }
    } finally {
      await out.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    if (error instanceof YardError) throw error
    throw new YardError("storage", `can't write ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
  return { id, size }
}
