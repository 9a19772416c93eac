/** `file://` within the project: nothing outside of it can be named, by whatever spelling or link. */
import { constants, realpathSync } from "node:fs"
import { open, readdir, realpath } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { YardError } from "../../model/errors.ts"

export const MAX_FILE_BYTES = 10 * 1024 * 1024
const PRIVATE = ".toolyard"
const MAX_NAMES = 10_000

/** The absolute path of a file of the project, which need not exist. Throws `unknown_resource` for all others. */
export async function confinedPath(uri: string, root: string): Promise<string> {
  const file = pathOfFileUri(uri, root)
  if (file === undefined) throw outside(uri)
  const top = realRoot(root)
  // What exists of it must be within even when every link is followed.
  for (let path = file; ; path = dirname(path)) {
    const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined
      throw unreadable(uri, error)
    })
    if (real === undefined && dirname(path) !== path) continue
    if (real === undefined || (real !== top && !isWithin(top, real))) throw outside(uri)
    return file
  }
}

/** Whether a URI can name a file of a project, as far as its text tells. */
export const isProjectPath = (uri: string): boolean =>
  /^file:\/\/\//i.test(uri)
    ? pathOfFileUri(uri, "/") !== undefined
    : pathOfFileUri(uri, resolve("/project")) !== undefined

function pathOfFileUri(uri: string, root: string): string | undefined {
  const written = /^file:\/\/([^?#]*)$/i.exec(uri)?.[1]
  if (written === undefined || written === "") return undefined
  const decoded = decode(written)
  if (decoded === undefined || decoded.includes("\0") || decoded.split(/[/\\]/).includes("..")) return undefined
  const onWindows = process.platform === "win32"
  const path = onWindows ? decoded.replace(/^\/(?=[A-Za-z]:)/, "") : decoded
  // There a colon after the drive names a stream of the file.
  if (onWindows && path.indexOf(":", 2) !== -1) return undefined
  const file = resolve(root, path)
  return isWithin(root, file) || isWithin(realRoot(root), file) ? file : undefined
}

/** The content of a file of the project. */
export async function readProjectFile(uri: string, root: string): Promise<Buffer> {
  const real = await realpath(await confinedPath(uri, root)).catch((error: unknown) => {
    throw error instanceof YardError ? error : unreadable(uri, error)
  })
  // A link may lead elsewhere by now.
  if (!isWithin(realRoot(root), real)) throw outside(uri)
  // A pipe must not be waited for, and a link put here since must not be followed.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(real, flags).catch((error: unknown) => {
    throw unreadable(uri, error)
  })
  try {
    const { size, isFile } = await handle.stat().then(stats => ({ size: stats.size, isFile: stats.isFile() }))
    if (!isFile) throw new YardError("unknown_resource", `${uri} is not a file`, { data: { uri } })
    if (size > MAX_FILE_BYTES) throw tooLarge(uri, size)
    const bytes = await handle.readFile()
    // It may have grown meanwhile.
    if (bytes.length > MAX_FILE_BYTES) throw tooLarge(uri, bytes.length)
    return bytes
  } finally {
    await handle.close()
  }
}

/** The paths of the project's files below a folder, relative to the project, with `/`; hidden ones are left out. */
export async function listProjectFiles(root: string, below: string): Promise<string[]> {
  const [top, start] = await Promise.all([realpath(root), realpath(join(root, below))]).catch(() => [])
  if (top === undefined || (start !== top && !isWithin(top, start))) return []
  const found: string[] = []
  const folders = [below]
  for (let folder = folders.shift(); folder !== undefined && found.length < MAX_NAMES; folder = folders.shift()) {
    // A folder that can't be read has nothing to offer.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  return found
}

function isWithin(root: string, file: string): boolean {
  const path = relative(root, file)
  if (path === "" || isAbsolute(path)) return false
  const segments = path.split(sep)
  // On some systems `.Toolyard` is the same folder.
  return segments[0] !== ".." && !segments.some(segment => segment.toLowerCase() === PRIVATE)
}

function realRoot(root: string): string {
  try {
    return realpathSync.native(root)
  } catch {
    return root
  }
}

export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const outside = (uri: string): YardError =>
  new YardError("unknown_resource", `${uri} is not a file of this project`, { data: { uri } })

function unreadable(uri: string, error: unknown): YardError {
  const { code } = error as NodeJS.ErrnoException
  const gone = code === "ENOENT" || code === "ENOTDIR"
  const message = gone ? `Resource not found: ${uri}` : `${uri} can't be read (${code})`
  return new YardError("unknown_resource", message, { cause: error, data: { uri } })
}

const tooLarge = (uri: string, bytes: number): YardError =>
  new YardError(
    "payload_too_large",
    `${uri} has ${(bytes / 1024 / 1024).toFixed(1)} MB; the limit is ${MAX_FILE_BYTES / 1024 / 1024} MB`,
    { hint: "Offer a smaller file, or a tool that gives a part of it.", data: { uri, bytes } },
  )
