/** How the Python host is started. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const IS_WINDOWS = process.platform === "win32"
/** The usual names of Python, the likelier one first. */
const NAMES = IS_WINDOWS ? ["python", "python3"] : ["python3", "python"]
/** Run from source it must leave no compiled files beside it. */
const FLAGS = import.meta.url.endsWith(".ts") ? ["-B", "-u"] : ["-u"]

/** The command that serves the functions of a Python file on its stdin and stdout. */
export function pythonCommand(
  file: string,
  python?: string,
  path = process.env.PATH ?? "",
): { command: string; args: string[] } {
  const host = fileURLToPath(new URL("./toolyard_host", import.meta.url))
  return { command: python ?? findPython(path), args: [...FLAGS, host, file] }
}

function findPython(path: string): string {
  const folders = path.split(delimiter).filter(folder => folder !== "")
  const isThere = (name: string): boolean => folders.some(folder => canRun(join(folder, name)))
  // Where there is none, the first name is the one to be told about.
  return NAMES.find(isThere) ?? (NAMES[0] as string)
}

function canRun(program: string): boolean {
  try {
    accessSync(IS_WINDOWS ? `${program}.exe` : program, constants.X_OK)
    return true
  } catch {
    return false
  }
}
