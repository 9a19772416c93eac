/** Where the imports of a module lead, without running anything. */
import { dirname, join, resolve } from "node:path"
import { isObject } from "../../model/json.ts"
import { findPackage, readPackageJson } from "./packages.ts"
import { isFile, pathIn } from "./project-path.ts"

/** The file that an import means, as the host of modules finds it, with the declarations of its types. */
export async function resolveModule(base: string): Promise<string[]> {
  const plain = base.replace(/[?#].*$/, "")
  const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".d.ts"]
  const candidates = [
    plain,
    plain.replace(/\.([cm]?)js(x?)$/, ".$1ts$2"),
    plain.replace(/\.js$/, ".tsx"),
    ...endings.map(ending => plain + ending),
    ...endings.map(ending => join(plain, `index${ending}`)),
  ]
  for (const file of candidates) {
    if (!(await isFile(file))) continue
    const types = file.replace(/\.([cm]?)jsx?$/, ".d.$1ts")
    return types !== file && (await isFile(types)) ? [file, types] : [file]
  }
  return []
}

export async function nearest(root: string, from: string, name: string): Promise<string[]> {
  for (let folder = from; folder === root || pathIn(root, folder) !== undefined; folder = dirname(folder)) {
    const file = join(folder, name)
    if (await isFile(file)) return [file]
  }
  return []
}

/** What `#name` or the project's own name leads to, whatever the conditions; undefined for other names. */
export async function ownTargets(root: string, folder: string, spec: string): Promise<string[] | undefined> {
  const [file] = await nearest(root, folder, "package.json")
  if (file === undefined) return spec.startsWith("#") ? [] : undefined
  const content = await readPackageJson(dirname(file))
  const { name } = content
  const isOwn = typeof name === "string" && (spec === name || spec.startsWith(`${name}/`))
  if (
    !spec.startsWith("#") &&
    (!isOwn || content.exports === undefined || (await findPackage(name, folder)) !== undefined)
  )
    return undefined
  const map = spec.startsWith("#") ? content.imports : content.exports
  const key = spec.startsWith("#") ? spec : `.${spec.slice((name as string).length)}`
  const targets = isObject(map) && Object.keys(map).some(one => /^[.#]/.test(one)) ? map : { ".": map }
  return Object.entries(targets).flatMap(([pattern, target]) => {
    const [start, end] = pattern.split("*") as [string, string?]
    const fits = end === undefined ? key === start : key.startsWith(start) && key.endsWith(end)
    const star = end === undefined ? "" : key.slice(start.length, key.length - end.length)
    return fits ? leavesOf(target).map(leaf => resolve(dirname(file), leaf.replaceAll("*", star))) : []
  })
}

function leavesOf(target: unknown): string[] {
  if (typeof target === "string") return target.startsWith("./") ? [target] : []
  if (Array.isArray(target)) return target.flatMap(leavesOf)
  return isObject(target) ? Object.values(target).flatMap(leavesOf) : []
}
