/** Puts the files of an image into a folder, and leaves there what is already right and nothing else. */
import { lstat, mkdir, readdir, readFile, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"
import { YardError } from "../../model/errors.ts"
import { writeAtomic } from "../../state/atomic-write.ts"
import { cidOf } from "../../state/cid.ts"
import { inParallel } from "./in-parallel.ts"
import type { Manifest } from "./manifest.ts"
import type { Image } from "./read.ts"

type File = Manifest["files"][number]

/** The state of the hub that serves the image, beside the files. */
const STATE_FOLDER = ".toolyard"

/** Where this user's images are unpacked. */
export function imagesFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), "toolyard", "images")
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env
  if (xdg && isAbsolute(xdg)) return xdg
  if (process.platform === "win32" && local) return local
  try {
    return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache")
  } catch {
    // A container may run under a user that has no entry and no HOME.
    return join(tmpdir(), `toolyard-${process.getuid?.() ?? "user"}`)
  }
}

/** Gives the folder and the configuration in it. Files that differ are replaced, files that do not belong are removed. */
export async function unpackImage(image: Image, images: string): Promise<{ root: string; config: string }> {
  const root = join(images, image.id)
  const scratch = join(images, "tmp")
  try {
    for (const folder of [images, root]) await privateFolder(folder)
    const missing = new Map(image.manifest.files.map(file => [file.path, file]))
    await keepWhatIsRight(root, "", missing)
    // It makes the folders that it needs, for nobody else.
    await inParallel(missing.values(), async file =>
      writeAtomic(join(root, file.path), await image.read(file), { scratch, mode: modeOf(file) }),
    )
  } catch (error) {
    if (error instanceof YardError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new YardError("storage", `the image can't be unpacked in ${root} (${code})`, {
      hint: "Make room there, or name another folder for caches in XDG_CACHE_HOME.",
      cause: error,
    })
  }
  return { root, config: join(root, image.manifest.config) }
}

/** Nobody may write to it: what lies there is going to be run. */
async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  const me = process.getuid?.()
  const isOurs = me === undefined || (found.uid === me && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isOurs) return
  throw new YardError("storage", `${folder} is not a folder that only you can write to`, {
    hint: "Remove it, or name another folder for caches in XDG_CACHE_HOME.",
  })
}

/** Takes every file that is there as it should be from `missing`; removes everything else. */
async function keepWhatIsRight(root: string, folder: string, missing: Map<string, File>): Promise<void> {
  await inParallel(await readdir(join(root, folder), { withFileTypes: true }), async entry => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (path === STATE_FOLDER && entry.isDirectory()) return
    const wanted = missing.get(path)
    if (entry.isDirectory() && !wanted) await keepWhatIsRight(root, path, missing)
    else if (entry.isFile() && wanted && (await isRight(join(root, path), wanted))) missing.delete(path)
    else await rm(join(root, path), { recursive: true, force: true })
  })
}

async function isRight(path: string, wanted: File): Promise<boolean> {
  // Another hub may be mending the same folder.
  const found = await lstat(path).catch(() => undefined)
  if (!found) return false
  const { size, mode, nlink } = found
  if (size !== wanted.size || nlink !== 1) return false
  if (process.platform !== "win32" && (mode & 0o777) !== modeOf(wanted)) return false
  const bytes = await readFile(path).catch(() => undefined)
  return bytes !== undefined && (await cidOf(bytes)) === wanted.cid
}

/** Nobody is to edit them: they are what their id says. */
function modeOf({ mode }: Pick<File, "mode">): number {
  return mode === "755" ? 0o555 : 0o444
}
