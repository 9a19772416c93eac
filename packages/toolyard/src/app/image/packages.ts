/** npm packages, whole and with all that they depend on, laid out so that each finds the versions it finds now. */
import { readFile, realpath, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isObject, type JsonObject } from "../../model/json.ts"
import { filesUnder } from "./files-under.ts"

export interface WantedPackage {
  name: string
  /** The folder in the image that wants it; "" is the top. */
  from: string
  /** The folder on the disk from which it is looked for, upwards. */
  lookFrom: string
  /** Who wants it, for people. */
  because: string
  optional?: boolean
}

export interface Packages {
  /** Path in the image → file on the disk. */
  files: Map<string, string>
  problems: string[]
}

/** Those that the hub has itself. */
const OWN = new Set(["toolyard"])

export async function layOutPackages(wanted: readonly WantedPackage[]): Promise<Packages> {
  const placed = new Map<string, string>()
  const problems = new Set<string>()
  // In order of depth: what a folder wants is placed before what is below it wants, and can't hide it later.
  const depth = ({ from }: WantedPackage): number => upwards(from).length
  const queue = wanted.toSorted((a, b) => depth(a) - depth(b))
  for (const want of queue) {
    if (OWN.has(want.name)) continue
    const folder = await findPackage(want.name, want.lookFrom)
    if (folder === undefined) {
      if (!want.optional) problems.add(`${want.because} needs the package ${want.name}, which is not installed`)
      continue
    }
    const place = placeFor(want, folder, placed)
    if (place === undefined) continue
    placed.set(place, folder)
    queue.push(...(await dependenciesOf(folder, place, want.name)))
  }
  const files = new Map<string, string>()
  for (const [place, folder] of placed)
    for (const path of await filesUnder(folder)) files.set(`${place}/${path}`, join(folder, path))
  return { files, problems: [...problems] }
}

/** As Node looks for it: in every `node_modules` from there upwards. */
export async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name)
    const isThere = await stat(found).then(
      stats => stats.isDirectory(),
      () => false,
    )
    if (isThere) return realpath(found)
    if (dirname(folder) === folder) return undefined
  }
}

/** As far up as nothing else of that name is in between; undefined when it is found already. */
function placeFor({ name, from }: WantedPackage, folder: string, placed: Map<string, string>): string | undefined {
  for (const at of upwards(from)) {
    const found = placed.get(within(at, name))
    if (found === folder) return undefined
    if (found !== undefined) return within(from, name)
  }
  return within("", name)
}

const within = (folder: string, name: string): string => `${folder === "" ? "" : `${folder}/`}node_modules/${name}`

function upwards(folder: string): string[] {
  const segments = folder.split("/").filter(segment => segment !== "")
  return [...segments.map((_, index) => segments.slice(0, segments.length - index).join("/")), ""]
}

async function dependenciesOf(folder: string, place: string, name: string): Promise<WantedPackage[]> {
  const { dependencies, optionalDependencies, peerDependencies } = await readPackageJson(folder)
  const needed = namesIn(dependencies)
  const optional = [...namesIn(optionalDependencies), ...namesIn(peerDependencies)]
  const names = [...new Set([...needed, ...optional])].sort()
  return names.map(wanted => ({
    name: wanted,
    from: place,
    lookFrom: folder,
    because: name,
    ...(optional.includes(wanted) && { optional: true }),
  }))
}

const namesIn = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

export async function readPackageJson(folder: string): Promise<JsonObject> {
  try {
    const content: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    return isObject(content) ? content : {}
  } catch {
    return {}
  }
}
