/**
 * What a module's types say of its functions. The compiler takes its time to find out, so it is kept in a folder by the
 * content of the module, and used as long as every file that it came from reads as it did.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { isObject } from "../../../model/json.ts"
import { CLIENT_INFO } from "../../../model/mcp.ts"
import type { ModuleDescription } from "../description.ts"

/** What is kept: paths are relative to the module's folder, so that a project may move. */
interface Kept {
  /** Path and digest of each file. */
  files: [string, string][]
  /** What else the types depend on. */
  around: string
  description: ModuleDescription
}

export async function describeOnce(file: string, folder: string | undefined): Promise<ModuleDescription> {
  const path = folder === undefined ? undefined : join(folder, `${keyOf(file)}.json`)
  const kept = path === undefined ? undefined : readKept(path, file)
  if (kept) return kept
  const begun = performance.timeOrigin + performance.now()
  const around = path === undefined ? "" : aroundOf(file)
  const { describeModule } = await import("../describe/describe.ts")
  const description = describeModule(file)
  // A file that was edited meanwhile may have been read before or after.
  const isSettled = description.files.every(
    name => (statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? begun) <= begun,
  )
  if (path !== undefined && isSettled) keep(path, file, around, description)
  return description
}

/** Another version of toolyard may describe the same file differently. */
function keyOf(file: string): string {
  const { mtimeMs, size } = statSync(fileURLToPath(import.meta.url))
  return digest(CLIENT_INFO.version, String(mtimeMs), String(size), basename(file), readFileSync(file))
}

function readKept(path: string, file: string): ModuleDescription | undefined {
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept
    const folder = dirname(file)
    const isSame = kept.files.every(([name, before]) => digest(readFileSync(resolve(folder, name))) === before)
    const { functions, problems } = kept.description
    if (!isSame || kept.around !== aroundOf(file) || !Array.isArray(problems)) return undefined
    if (!Array.isArray(functions) || !functions.every(isObject)) return undefined
    return { ...kept.description, files: kept.files.map(([name]) => resolve(folder, name)) }
  } catch {
    // Not there, not whole, or of files that are gone.
    return undefined
  }
}

function keep(path: string, file: string, around: string, description: ModuleDescription): void {
  const made = `${path}.${process.pid}`
  try {
    const files = description.files.map((name): [string, string] => {
      return [relative(dirname(file), name), digest(readFileSync(name))]
    })
    const kept: Kept = { files, around, description: { ...description, files: [] } }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(made, JSON.stringify(kept))
    renameSync(made, path)
  } catch {
    // A folder that can't be written to costs time at the next start, no more.
    if (existsSync(made)) rmSync(made)
  }
}

/** Settings of the compiler, and which packages are installed, in every folder from the module's upwards. */
function aroundOf(file: string): string {
  const facts: string[] = []
  const marks = ["tsconfig.json", "package.json", "node_modules/.package-lock.json", "node_modules/.modules.yaml"]
  for (let folder = dirname(file), depth = 0; ; folder = dirname(folder), depth++) {
    for (const mark of marks) {
      const stat = statSync(join(folder, mark), { throwIfNoEntry: false })
      if (stat) facts.push(`${depth}/${mark} ${stat.size} ${stat.mtimeMs}`)
    }
    if (folder === dirname(folder)) return digest(...facts)
  }
}

function digest(...parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest("hex")
}
