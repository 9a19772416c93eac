/** Whether a program can be started, without starting it. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"

/** Why it can't be; undefined when it can. */
export function whyNotStartable(command: string, cwd: string, env: Record<string, string>): string | undefined {
  if (!isFolder(cwd)) return `the folder ${cwd} of \`cwd\` is not there`
  const found = placesOf(command, cwd, env).filter(isFile)
  if (found.length === 0) return `the command ${command} was not found`
  return found.some(isExecutable) ? undefined : `${found[0]} may not be executed; run: chmod +x ${found[0]}`
}

function placesOf(command: string, cwd: string, env: Record<string, string>): string[] {
  const windows = process.platform === "win32"
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter)
  const isPath = command.includes("/") || (windows && command.includes("\\"))
  // An empty entry of PATH is the current folder.
  const bases = isPath ? [resolve(cwd, command)] : folders.map(folder => join(resolve(cwd, folder), command))
  const endings = windows ? ["", ...(env.PATHEXT ?? ".EXE;.COM").split(";")] : [""]
  return bases.flatMap(base => endings.map(ending => base + ending))
}

const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true
const isFile = (path: string): boolean => statOf(path)?.isFile() === true

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
