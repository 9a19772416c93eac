/** The files that an ejected server has as they are. They stand beside this one, are checked and tested like any other. */
import { readFile } from "node:fs/promises"
import type { Files } from "./ejection.ts"

/** Beside this file in the sources, and beside the bundle when built. */
const FOLDER = import.meta.url.endsWith(".ts") ? "./template/" : "./eject-template/"

/** Tests are no tests of ours while they stand here: they get their names when they are written. */
export async function readTemplates(paths: readonly string[]): Promise<Files> {
  const files = await Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const text = await readFile(new URL(FOLDER + path.replace(/\.test\.ts$/, ".ts"), import.meta.url), "utf8")
      return [path, text]
    }),
  )
  return new Map(files)
}
