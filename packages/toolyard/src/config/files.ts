/** Which files hold the configuration, and their text. */
import { readFileSync, realpathSync, type Stats, statSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { serversFolder } from "./servers-folder.ts"

export interface LoadOptions {
  cwd?: string
  /** Read this file and no other. */
  file?: string
  /** The configuration itself, in place of any file. */
  content?: object
  env?: NodeJS.ProcessEnv
  home?: string
}

export const PROJECT_FILES = ["toolyard.json", ".mcp.json"] as const
const MAX_BYTES = 16 * 1024 * 1024

export interface Found {
  root: string
  project?: string
  user?: string
  /** Files of strangers in folders above, which were passed over. */
  foreign: string[]
}

export function findFiles(options: LoadOptions): Found {
  const cwd = resolve(options.cwd ?? process.cwd())
  if (options.content !== undefined) return { root: cwd, foreign: [] }
  if (options.file !== undefined) {
    const project = resolve(cwd, options.file)
    return { root: dirname(project), project, foreign: [] }
  }
  const user = userFile(options)
  const foreign: string[] = []
  for (const folder of foldersUp(cwd, options)) {
    for (const name of PROJECT_FILES) {
      const file = join(folder, name)
      const found = statOf(file)
      if (found === undefined) continue
      if (folder !== cwd && found !== "unreadable" && isForeign(found, cwd)) {
        foreign.push(file)
        continue
      }
      return { root: folder, project: file, ...(user && user !== file && { user }), foreign }
    }
  }
  return { root: cwd, ...(user && { user }), foreign }
}

/** Whether the files in the folder `servers` count: where toolyard's own file makes a project of the folder around it. */
export function hasServersFolder({ file }: LoadOptions, { project }: Found): boolean {
  return project !== undefined && (file !== undefined || basename(project) === PROJECT_FILES[0])
}

/** Every file that would count if it existed: what to watch. */
export function candidateFiles(options: LoadOptions): string[] {
  if (options.content !== undefined) return []
  const found = findFiles(options)
  if (!hasServersFolder(options, found)) return configFiles(options)
  const servers = serversFolder(found.root)
  // The folder itself changes when a file comes or goes; the second path has it watched.
  return [...configFiles(options), servers, join(servers, PROJECT_FILES[0])]
}

function configFiles(options: LoadOptions): string[] {
  const cwd = resolve(options.cwd ?? process.cwd())
  if (options.file !== undefined) return [resolve(cwd, options.file)]
  const user = userFile(options)
  const project = foldersUp(cwd, options).flatMap(folder => PROJECT_FILES.map(name => join(folder, name)))
  return [...new Set([...project, ...(user ? [user] : [])])]
}

export function userFile(options: LoadOptions): string | undefined {
  const env = options.env ?? process.env
  const home = homeOf(options)
  const appData = process.platform === "win32" ? env.APPDATA : undefined
  // The XDG specification says that a relative path is to be ignored.
  const xdg = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined
  const base = xdg ?? appData ?? (home === undefined ? undefined : join(home, ".config"))
  return base === undefined ? undefined : join(base, "toolyard", "toolyard.json")
}

/** A file's text, or why it can't be had; undefined when there is no such file. */
export function readText(file: string): { text: string } | { message: string; fix: string } | undefined {
  const found = statOf(file)
  if (found === undefined) return undefined
  if (found !== "unreadable" && !found.isFile())
    return { message: "this is not a regular file", fix: "Put a file here." }
  if (found !== "unreadable" && found.size > MAX_BYTES)
    return { message: "the file is larger than 16 MB", fix: "Is it the right file?" }
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error"
    if (code === "ENOENT") return undefined
    return { message: `the file can't be read (${code})`, fix: "Check its permissions." }
  }
  try {
    // Windows PowerShell writes UTF-16 where one would not expect it. The decoder drops the byte order mark.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8"
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return { message: "the file is not UTF-8 text", fix: "Save it as UTF-8." }
  }
}

function foldersUp(cwd: string, options: LoadOptions): string[] {
  const home = homeOf(options)
  const ends = new Set(home === undefined ? [] : [resolve(home), realPath(resolve(home))])
  const folders = [cwd]
  for (let folder = cwd; !ends.has(folder) && dirname(folder) !== folder; ) {
    folder = dirname(folder)
    folders.push(folder)
  }
  return folders
}

/** A configuration starts programs: one that another user left in a shared folder above (`/tmp`) must not count. */
function isForeign(found: Stats, cwd: string): boolean {
  const me = process.getuid?.()
  if (me === undefined || found.uid === me || found.uid === 0) return false
  const here = statOf(cwd)
  return here === undefined || here === "unreadable" || here.uid !== found.uid
}

function statOf(file: string): Stats | "unreadable" | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    // A path with a NUL character names no file.
    return (error as NodeJS.ErrnoException).code === "ERR_INVALID_ARG_VALUE" ? undefined : "unreadable"
  }
}

function homeOf(options: LoadOptions): string | undefined {
  if (options.home !== undefined) return options.home
  try {
    return homedir()
  } catch {
    // A container may run under a user that has no entry and no HOME.
    return undefined
  }
}

export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
