/** Code that is named by its content (`cid://…`), as a file that can be run. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { YardError } from "../../model/errors.ts"
import type { YardAccess } from "../../model/source.ts"
import { writeAtomic } from "../../state/atomic-write.ts"

const SCHEME = "cid://"

export const isContent = (file: string): boolean => file.startsWith(SCHEME)

/** A file that holds the content: beside what else is made from the project, or where nothing lasts. */
export async function fileOf(
  file: string,
  extension: string,
  { blob, cacheFolder }: YardAccess,
): Promise<{ path: string; scratch?: string }> {
  const cid = file.slice(SCHEME.length)
  const content = await blob(cid)
  if (!content)
    throw new YardError("config_invalid", `there is no content under ${file}`, {
      hint: "Put it there with `toolyard blobs put FILE`.",
    })
  const folder = cacheFolder ? join(cacheFolder, "content") : await mkdtemp(join(tmpdir(), "toolyard-"))
  const path = join(folder, cid + extension)
  await writeAtomic(path, content.bytes, { scratch: folder })
  return cacheFolder ? { path } : { path, scratch: folder }
}
