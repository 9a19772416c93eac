/** Files as paths in the project. */
import { stat } from "node:fs/promises"
import { relative, resolve, sep } from "node:path"

/** With `/` between its parts; undefined for what is not in the project. */
export function pathIn(root: string, file: string): string | undefined {
  const path = relative(root, file)
  return path === "" || path === ".." || path.startsWith(`..${sep}`) || resolve(root, path) !== resolve(file)
    ? undefined
    : path.split(sep).join("/")
}

export async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    stats => stats.isFile(),
    () => false,
  )
}

export async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    stats => stats.isDirectory(),
    () => false,
  )
}

/** Such as `.env`: what is named so is settings and secrets, and goes into an image only when it is asked for. */
export function isHidden(path: string): boolean {
  return /(?:^|\/)\./.test(path)
}

export const hidden = (path: string): string => `${path} is not in the image, since its name begins with a dot`
