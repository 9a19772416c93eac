/** Files that are there whole or not at all: written elsewhere on the same disk, then renamed. */
import { randomUUID } from "node:crypto"
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileCode } from "./storage-error.ts"

const LEFT_OVER_AFTER_MS = 3_600_000

export interface AtomicWrite {
  /** Where the unfinished file stands. */
  scratch: string
  /** Wait until it is on the disk itself: also a power cut leaves it whole. */
  durable?: boolean
  /** Epoch ms to stamp it with; the file system's own clock ticks too slowly to tell two writes apart. */
  at?: number
  /** What it may be used for, and by whom; else its owner may read and write it. */
  mode?: number
}

export async function writeAtomic(path: string, bytes: Uint8Array | string, options: AtomicWrite): Promise<void> {
  const draft = join(options.scratch, randomUUID())
  try {
    const file = await withFolder(options.scratch, () => open(draft, "wx", 0o600))
    try {
      await file.writeFile(bytes)
      if (options.mode !== undefined) await file.chmod(options.mode)
      if (options.at !== undefined) await file.utimes(options.at / 1000, options.at / 1000)
      if (options.durable) await file.sync()
    } finally {
      await file.close()
    }
    await withFolder(dirname(path), () => rename(draft, path))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Makes the folder only when it turns out to be missing, which is once. */
async function withFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (fileCode(error) !== "ENOENT") throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return work()
  }
}

/** Makes the scratch folder and removes what a killed process left in it; a young file may be another hub's. */
export function openScratch(scratch: string): void {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(scratch)) {
    const path = join(scratch, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > LEFT_OVER_AFTER_MS) rmSync(path, { force: true, recursive: true })
  }
}
