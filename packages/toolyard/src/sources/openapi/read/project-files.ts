/** Reads what a description of the project refers to: files of the project, and nothing outside its folder. */
import { readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { YardError } from "../../../model/errors.ts"
import { MAX_BYTES } from "./parse.ts"

/** Links are followed before it is judged where a file is. */
export async function readProjectFile(root: string, uri: string): Promise<string> {
  const path = fileURLToPath(uri)
  const [folder, file] = await Promise.all([realpath(root), realpath(path)])
  const inside = relative(folder, file)
  if (isAbsolute(inside) || inside === ".." || inside.startsWith(`..${sep}`)) {
    throw new YardError("denied", `${path} is outside of the project's folder, so it is not read`)
  }
  const { size } = await stat(file)
  if (size > MAX_BYTES) throw new YardError("payload_too_large", `${path} has ${Math.round(size / 1e6)} MB`)
  return await readFile(file, "utf8")
}
