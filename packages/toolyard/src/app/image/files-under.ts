/** The files of a folder that belong into an image. */
import { readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"

/**
 * Paths relative to the folder, sorted, links followed. What begins with a dot is left out: settings and secrets of the
 * one who works there. So are installed packages, which are found in their own way, and what Python compiles.
 */
export async function filesUnder(folder: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (path: string, above: readonly string[]): Promise<void> => {
    const here = join(folder, path)
    const real = await realpath(here)
    // A link to a folder above would never end.
    if (above.includes(real)) return
    for (const name of (await readdir(here)).sort()) {
      if (isLeftOut(name)) continue
      const inside = path === "" ? name : `${path}/${name}`
      const stats = await stat(join(folder, inside)).catch(() => undefined)
      if (stats?.isDirectory()) await walk(inside, [...above, real])
      else if (stats?.isFile()) found.push(inside)
    }
  }
  await walk("", [])
  return found
}

export function isLeftOut(name: string): boolean {
  return name.startsWith(".") || name === "node_modules" || name === "__pycache__"
}
