/** A folder of text files that is replaced as a whole: whoever looks finds all of the old one or all of the new one. */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { openScratch } from "../../../state/atomic-write.ts"

/** By path within the folder, with `/`. */
export type Files = Map<string, string>

/** `undefined` when there is no such folder. */
export async function readFolder(folder: string): Promise<Files | undefined> {
  await recover(folder)
  let names: string[]
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    names = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  } catch {
    return undefined
  }
  const read = names.toSorted().map(async (path): Promise<[string, string]> => {
    return [path.slice(folder.length + 1).replaceAll("\\", "/"), await readFile(path, "utf8")]
  })
  return new Map(await Promise.all(read))
}

/** Everything is written elsewhere first; two renames then put it in place, and `recover` mends what a crash leaves between them. */
export async function replaceFolder(folder: string, files: Files): Promise<void> {
  const drafts = join(dirname(folder), ".drafts")
  openScratch(drafts)
  const draft = join(drafts, randomUUID())
  try {
    for (const [name, text] of files) {
      const path = join(draft, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    await recover(folder)
    await rm(oldOf(folder), { recursive: true, force: true })
    if (existsSync(folder)) await rename(folder, oldOf(folder))
    await rename(draft, folder)
    await rm(oldOf(folder), { recursive: true, force: true })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Takes a folder that can't be used out of the way; the last such is kept, for there may be somebody's work in it. */
export async function setAside(folder: string): Promise<string> {
  const aside = beside(folder, "corrupt")
  await rm(aside, { recursive: true, force: true })
  await rename(folder, aside)
  return aside
}

async function recover(folder: string): Promise<void> {
  if (existsSync(folder) || !existsSync(oldOf(folder))) return
  // Another process may be doing the same.
  await rename(oldOf(folder), folder).catch(() => {})
}

function oldOf(folder: string): string {
  return beside(folder, "old")
}

function beside(folder: string, what: string): string {
  return join(dirname(folder), `.${basename(folder)}.${what}`)
}
