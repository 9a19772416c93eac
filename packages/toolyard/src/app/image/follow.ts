/** From the files that a yard names to all the files of the project that those need, and the packages they import. */
import { readFile } from "node:fs/promises"
import { isBuiltin } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { YardError } from "../../model/errors.ts"
import { filesUnder } from "./files-under.ts"
import { readModule } from "./module-imports.ts"
import type { WantedPackage } from "./packages.ts"
import { hidden, isFile, isFolder, isHidden, pathIn } from "./project-path.ts"
import { readPython } from "./python-imports.ts"
import { nearest, ownTargets, resolveModule } from "./resolve-module.ts"

export interface Start {
  /** Absolute. */
  file: string
  /** Who needs it, for people. */
  because: string
  /** It is only read: what it imports, if it is code, is not needed. */
  plain?: boolean
}

export interface Followed {
  /** Path in the image → file on the disk. */
  files: Map<string, string>
  packages: WantedPackage[]
  problems: string[]
}

interface Step extends Start {
  /** The folder of the program that it belongs to: Python looks for modules there. */
  top: string
}

export async function followFiles(root: string, starts: readonly Start[]): Promise<Followed> {
  const files = new Map<string, string>()
  const packages: WantedPackage[] = []
  const problems = new Set<string>()
  const done = new Set<string>()
  const queue: Step[] = starts.map(start => ({ ...start, top: dirname(start.file) }))
  for (const step of queue) {
    const path = pathIn(root, step.file)
    if (path === undefined)
      throw new YardError("config_invalid", `${step.because} needs ${step.file}, which is outside of the project`, {
        hint: "Move it into the project's folder, or build the image from a configuration in a folder above both.",
      })
    if (done.has(path)) continue
    const owner = packageOf(root, path)
    if (owner) {
      packages.push({ ...owner, because: step.because })
      continue
    }
    if (!(await isFile(step.file))) {
      problems.add(`${step.because} needs ${path}, which is not there`)
      continue
    }
    files.set(path, step.file)
    if (step.plain) continue
    done.add(path)
    const bytes = await readFile(step.file)
    const kind = kindOf(step.file, bytes)
    if (kind === undefined) continue
    const text = bytes.toString("utf8")
    const because = path
    if (kind === "module") {
      const needs = await followModule(root, step.file, text)
      queue.push(...needs.files.map(file => ({ file, because, top: step.top })))
      for (const name of needs.packages)
        packages.push({ name, from: dirname(path) === "." ? "" : dirname(path), lookFrom: dirname(step.file), because })
      for (const problem of needs.problems) problems.add(`${path}: ${problem}`)
    }
    if (kind === "python")
      for (const file of await followPython(step.file, step.top, text)) queue.push({ file, because, top: step.top })
  }
  return { files, packages: withTypes(packages), problems: [...problems] }
}

/** A file in `node_modules` stands for its package. */
function packageOf(root: string, path: string): Omit<WantedPackage, "because"> | undefined {
  const at = path.lastIndexOf("node_modules/")
  const [, name] = /^((?:@[^/]+\/)?[^/]+)\//.exec(at === -1 ? "" : path.slice(at + "node_modules/".length)) ?? []
  if (name === undefined) return undefined
  const from = path.slice(0, Math.max(0, at - 1))
  return { name, from, lookFrom: join(root, from) }
}

function kindOf(file: string, bytes: Buffer): "module" | "python" | undefined {
  if (/\.[cm]?[jt]sx?$/i.test(file)) return "module"
  if (/\.py$/i.test(file)) return "python"
  const [first = ""] = bytes.toString("latin1", 0, 200).split("\n", 1)
  if (!first.startsWith("#!")) return undefined
  return /\bpython[\d.]*\b/.test(first) ? "python" : /\bnode\b/.test(first) ? "module" : undefined
}

async function followModule(root: string, file: string, text: string) {
  const folder = dirname(file)
  const { imports, files: beside, error } = readModule(file, text)
  const files: string[] = []
  const packages: string[] = []
  const problems = error === undefined ? [] : [error]
  for (const name of ["package.json", "tsconfig.json"]) files.push(...(await nearest(root, folder, name)))
  for (const written of beside) {
    const named = besideOf(file, written)
    const path = named === undefined ? undefined : pathIn(root, named)
    if (named === undefined || path === undefined) continue
    if (isHidden(path)) problems.push(hidden(path))
    else if (await isFile(named)) files.push(named)
    // A folder above the module is where it stands, not what it reads.
    else if (pathIn(folder, named) !== undefined && (await isFolder(named)))
      files.push(...(await filesUnder(named)).map(inside => join(named, inside)))
  }
  for (const spec of imports) {
    if (isBuiltin(spec) || /^[a-z][a-z+.-]+:/i.test(spec)) continue
    if (/^\.{0,2}\//.test(spec) || spec === "." || spec === "..") {
      const found = await resolveModule(resolve(folder, spec))
      if (found.length > 0) files.push(...found)
      else problems.push(`imports ${JSON.stringify(spec)}, which is not there`)
      continue
    }
    const own = await ownTargets(root, folder, spec)
    if (own) for (const target of own) files.push(...(await resolveModule(target)))
    else packages.push(spec.split("/", spec.startsWith("@") ? 2 : 1).join("/"))
  }
  return { files, packages, problems }
}

function besideOf(file: string, written: string): string | undefined {
  try {
    return fileURLToPath(new URL(written, pathToFileURL(file)))
  } catch {
    // What names no file here names none at run time either.
    return undefined
  }
}

/** A module is a file; a package is its whole folder, since what it holds is often found only as it runs. */
async function followPython(file: string, top: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of readPython(text)) {
    const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(name) ?? []
    const [first] = rest.split(".")
    if (!first) continue
    const folder = dots === "" ? top : resolve(dirname(file), ...Array(dots.length - 1).fill(".."))
    const base = join(folder, first)
    if (await isFile(`${base}.py`)) found.push(`${base}.py`)
    else if (await isFolder(base)) found.push(...(await filesUnder(base)).map(path => join(base, path)))
  }
  return found
}

/** Declarations of a package's types that are a package of their own: what a module's tools take is read from types. */
function withTypes(packages: WantedPackage[]): WantedPackage[] {
  const types = packages.map(({ name, ...rest }) => {
    const plain = name.startsWith("@") ? name.slice(1).replace("/", "__") : name
    return { ...rest, name: `@types/${plain}`, optional: true }
  })
  return [...packages, ...types]
}
