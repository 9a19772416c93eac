/** The lines that were typed, kept beside what else the yard keeps; where nothing is kept, they are not either. */
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"

export const MOST_LINES = 500

/** The newest first, as readline has them. */
export async function readHistory(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "")
  return text.split("\n").filter(Boolean).reverse().slice(0, MOST_LINES)
}

export async function writeHistory(file: string, newestFirst: string[]): Promise<void> {
  if (!existsSync(dirname(file)) || newestFirst.length === 0) return
  const lines = newestFirst.slice(0, MOST_LINES).reverse()
  // For its owner alone: what is typed may hold secrets. That it can't be written is no reason to fail.
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 }).catch(() => {})
}
