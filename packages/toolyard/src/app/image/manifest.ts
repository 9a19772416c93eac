/**
 * What an image holds, and its one way of being written down. The image's id is the content id of the manifest, and the
 * manifest names every content by its own id: the id pins every byte.
 */
import * as z from "zod"
import { YardError } from "../../model/errors.ts"
import { isCid } from "../../state/cid.ts"
import { findPathFault } from "./paths.ts"

/** One image is read as a whole before it is trusted. */
export const MAX_BYTES = 1024 ** 3
export const MAX_MANIFEST_BYTES = 64 * 1024 ** 2

const cid = z.string().refine(isCid)
const size = z.int().min(0).max(MAX_BYTES)
const content = { cid, size }

const MANIFEST = z.strictObject({
  version: z.literal(1),
  createdBy: z.string(),
  /** The configuration's path among the files. */
  config: z.string(),
  /** What the place where it runs has to have. */
  needs: z.strictObject({
    variables: z.array(z.string()),
    programs: z.array(z.string()),
    addresses: z.array(z.string()),
  }),
  files: z.array(z.strictObject({ path: z.string(), ...content, mode: z.enum(["644", "755"]) })),
  blobs: z.array(z.strictObject({ ...content, mediaType: z.string() })),
  /** Saved scripts, each as JSON. */
  scripts: z.array(z.strictObject({ name: z.string(), ...content })),
})

export type Manifest = z.infer<typeof MANIFEST>

export interface Content {
  cid: string
  size: number
}

export const invalid = (message: string): YardError => new YardError("image_invalid", message)

/** Always the same text for the same content: keys in one order, lists sorted. */
export function toManifestText(manifest: Manifest): string {
  const { version, createdBy, config, needs, files, blobs, scripts } = manifest
  const { variables, programs, addresses } = needs
  return JSON.stringify({
    version,
    createdBy,
    config,
    needs: { variables, programs, addresses },
    files: sorted(files, "path").map(file => ({ path: file.path, cid: file.cid, size: file.size, mode: file.mode })),
    blobs: sorted(blobs, "cid").map(blob => ({ cid: blob.cid, size: blob.size, mediaType: blob.mediaType })),
    scripts: sorted(scripts, "name").map(script => ({ name: script.name, cid: script.cid, size: script.size })),
  })
}

/** The manifest that the text holds; anything that is not exactly one is refused. */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid("the image's manifest is not JSON")
  }
  const { data: manifest, error } = MANIFEST.safeParse(value)
  if (!manifest) {
    const [issue] = error.issues
    throw invalid(`the image's manifest is not valid at ${JSON.stringify(issue?.path.join("."))}: ${issue?.message}`)
  }
  const fault = findPathFault(manifest.files.map(({ path }) => path))
  if (fault) throw invalid(`the image's manifest is not valid: ${fault}`)
  if (!manifest.files.some(({ path }) => path === manifest.config))
    throw invalid(`the image's configuration ${JSON.stringify(manifest.config)} is not among its files`)
  if (toManifestText(manifest) !== text) throw invalid("the image's manifest is not written as toolyard writes it")
  return manifest
}

/** Every different content once, in the order in which their bytes follow the manifest. */
export function contentsOf({ files, blobs, scripts }: Manifest): Content[] {
  const contents = new Map<string, Content>()
  for (const { cid, size } of [...files, ...blobs, ...scripts]) {
    const known = contents.get(cid)
    if (known && known.size !== size) throw invalid(`the image's manifest gives two sizes for ${cid}`)
    if (!known) contents.set(cid, { cid, size })
  }
  return [...contents.values()]
}

/** By code units, not by the machine's language. */
function sorted<K extends string, T extends Record<K, string>>(items: readonly T[], key: K): T[] {
  return [...items].sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0))
}
