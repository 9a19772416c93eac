/** Makes one file of a whole yard: its configuration as it is written, and every file and content that this needs. */
import { existsSync } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { openScripts } from "../../code/scripts/scripts.ts"
import { findFiles, type LoadOptions } from "../../config/files.ts"
import { loadConfig, unreadableFiles } from "../../config/load.ts"
import type { YardConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import { openState } from "../../state/open.ts"
import type { State } from "../../state/types.ts"
import { placed } from "../../surfaces/cli/config-problem.ts"
import { filesUnder } from "./files-under.ts"
import { followFiles, type Start } from "./follow.ts"
import { inParallel } from "./in-parallel.ts"
import { MAX_BYTES, type Manifest } from "./manifest.ts"
import { layOutPackages } from "./packages.ts"
import { findPathFault } from "./paths.ts"
import { isFile, isFolder, pathIn } from "./project-path.ts"
import { type Material, tooLarge, weigh, writeImage } from "./write.ts"
import { filesOfServers, readWritten, type Written, withPython } from "./written.ts"

export interface BuildOptions extends LoadOptions {
  /** Where the image is written. */
  output: string
  /** Files and folders of the project that nothing names and that are to be in it. */
  include?: readonly string[]
  /** The version of toolyard. */
  createdBy: string
}

export interface BuiltImage {
  id: string
  file: string
  size: number
  files: number
  blobs: number
  scripts: number
  needs: Manifest["needs"]
  /** What is not as it should be, or not in the image. */
  warnings: string[]
}

export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { project } = findFiles(options)
  if (project === undefined)
    throw new YardError("usage", "there is no toolyard.json to make an image of", {
      hint: "Write one with `toolyard init`, or name a file with --config.",
    })
  const root = dirname(project)
  const written = readWritten(project, root)
  // A variable that is not set here may be where the image runs: its server is in the image all the same.
  const unset = Object.fromEntries(written.needs.variables.map(name => [name, `\${${name}}`]))
  const config = await loadConfig({ ...options, file: project, env: { ...unset, ...(options.env ?? process.env) } })
  const [unreadable] = unreadableFiles(config)
  if (unreadable !== undefined) {
    const problem = config.problems.find(({ file }) => file === unreadable)
    throw new YardError("config_invalid", problem ? placed(problem) : `${unreadable} cannot be read`)
  }
  const needs = withPython(written.needs, config.servers)
  const found = await findAll(root, options, config)
  found.files.set(pathIn(root, project) as string, project)
  // An earlier image in the project is no part of it.
  const output = resolve(options.cwd ?? process.cwd(), options.output)
  found.files.delete(pathIn(root, output) ?? "")
  const fault = findPathFault([...found.files.keys()])
  if (fault) throw new YardError("config_invalid", `no image can be made: ${fault}`, { hint: "Rename or remove it." })

  const materials = new Map<string, Material>()
  const kept = await readState(root, written, materials)
  const manifest: Manifest = {
    version: 1,
    createdBy: options.createdBy,
    config: pathIn(root, project) as string,
    needs,
    files: await weighFiles(found.files, materials),
    blobs: kept.blobs,
    scripts: kept.scripts,
  }
  const { id, size } = await writeImage(output, manifest, materials)
  return {
    id,
    file: output,
    size,
    files: manifest.files.length,
    blobs: kept.blobs.length,
    scripts: kept.scripts.length,
    needs,
    warnings: [
      ...config.problems.map(placed),
      ...written.warnings,
      ...found.problems,
      ...kept.problems,
      ...(await serversElsewhere(options, config)),
    ],
  }
}

async function findAll(root: string, options: BuildOptions, config: YardConfig) {
  const named = await filesOfServers(root, config.servers)
  const included: Start[] = []
  for (const name of options.include ?? []) {
    const path = resolve(options.cwd ?? process.cwd(), name)
    if (!(await isFolder(path)) && !(await isFile(path)))
      throw new YardError("usage", `there is no ${path} to include`, { hint: "Check the path." })
    const files = (await isFolder(path)) ? (await filesUnder(path)).map(file => join(path, file)) : [path]
    included.push(...files.map(file => ({ file, because: "--include", plain: true })))
  }
  const followed = await followFiles(root, [...named.starts, ...included])
  const packages = await layOutPackages(followed.packages)
  return {
    files: new Map([...followed.files, ...packages.files]),
    problems: [...named.problems, ...followed.problems, ...packages.problems],
  }
}

async function weighFiles(files: Map<string, string>, materials: Map<string, Material>): Promise<Manifest["files"]> {
  const stats = await Promise.all([...files].map(async ([path, file]) => ({ path, file, ...pick(await stat(file)) })))
  const total = stats.reduce((sum, { size }) => sum + size, 0)
  if (total > MAX_BYTES) throw tooLarge(`the files of this yard have ${total} bytes`)
  const weighed: Manifest["files"] = []
  await inParallel(stats, async ({ path, file, mode }) => {
    const { cid, size, material } = await weigh({ file })
    materials.set(cid, material)
    weighed.push({ path, cid, size, mode })
  })
  return weighed
}

function pick({ size, mode }: { size: number; mode: number }): { size: number; mode: "644" | "755" } {
  return { size, mode: (mode & 0o111) === 0 ? "644" : "755" }
}

/** What is kept beside the project and belongs to it: the contents that it names, and the saved scripts. */
async function readState(root: string, { cids }: Written, materials: Map<string, Material>) {
  const blobs: Manifest["blobs"] = []
  const scripts: Manifest["scripts"] = []
  const problems: string[] = []
  const folder = join(root, ".toolyard")
  const state: State | undefined = existsSync(folder)
    ? await openState(folder, problem => problems.push(problem))
    : undefined
  try {
    for (const cid of cids) {
      const blob = await state?.blobs.get(cid)
      if (!blob) problems.push(`cid://${cid} is not among the blobs, and so not in the image`)
      else {
        blobs.push({ cid, size: blob.size, mediaType: blob.mediaType })
        materials.set(cid, { bytes: blob.bytes })
      }
    }
    const saved = state ? await openScripts(state.store, () => {}).list() : []
    for (const { name, code, description, inputSchema } of saved) {
      // Neither version nor time: the same scripts are the same bytes.
      const text = JSON.stringify({ name, code, ...(description !== undefined && { description }), inputSchema })
      const { cid, size, material } = await weigh({ bytes: Buffer.from(text) })
      scripts.push({ name, cid, size })
      materials.set(cid, material)
    }
  } finally {
    await state?.close()
  }
  return { blobs, scripts, problems }
}

/** Servers of the user's own file belong to the user, not to the yard. */
async function serversElsewhere(options: LoadOptions, config: YardConfig): Promise<string[]> {
  if (options.file !== undefined) return []
  const inside = new Set(config.servers.map(({ name }) => name))
  const others = (await loadConfig(options)).servers.filter(({ name }) => !inside.has(name))
  return others.map(({ name }) => `${name} is a server of your own file, and not in the image`)
}
