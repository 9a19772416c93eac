// The library's declarations: what a program that imports the package can see, and nothing else.
import { execFile } from "node:child_process"
import { readdir, readFile, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

export async function writeTypes(folder, target) {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc")
  const project = join(folder, "tsconfig.types.json")
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", target])
  const seen = await reachable(join(target, "app/library.d.ts"))
  const all = await readdir(target, { recursive: true, withFileTypes: true })
  const unseen = all.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  await Promise.all(unseen.filter(file => !seen.has(file)).map(file => rm(file)))
}

/** The compiler declares every file it reads; those that the door does not lead to are of no use to anyone. */
async function reachable(door) {
  const seen = new Set([door])
  for (const file of seen) {
    const text = await readFile(file, "utf8")
    for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)\.ts"/g))
      seen.add(`${resolve(dirname(file), specifier)}.d.ts`)
  }
  return seen
}
