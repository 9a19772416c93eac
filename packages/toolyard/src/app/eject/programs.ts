/** Files of the project that go along with a server, and the npm packages that they import. */
import { readFile } from "node:fs/promises"
import { YardError } from "../../model/errors.ts"
import { followFiles, type Start } from "../image/follow.ts"
import { findPackage, readPackageJson, type WantedPackage } from "../image/packages.ts"

export interface Gone {
  /** Path in the project → content. */
  files: Map<string, Buffer>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  warnings: string[]
}

export async function takeFiles(root: string, starts: readonly Start[]): Promise<Gone> {
  const followed = await followFiles(root, starts).catch((error: unknown) => {
    if (!(error instanceof YardError)) throw error
    throw new YardError(error.code, error.message, { hint: "Move it into the project's folder.", cause: error })
  })
  const files = new Map<string, Buffer>()
  for (const [path, file] of followed.files) files.set(path, await readFile(file))
  return { files, ...(await versionsOf(followed.packages, followed.problems)) }
}

/** The versions that are installed now. */
async function versionsOf(wanted: readonly WantedPackage[], problems: readonly string[]): Promise<Omit<Gone, "files">> {
  const found = { dependencies: {} as Record<string, string>, devDependencies: {} as Record<string, string> }
  const warnings = [...problems]
  for (const { name, lookFrom, because, optional } of wanted) {
    if (name === "toolyard" || name === "@types/toolyard") continue
    const folder = await findPackage(name, lookFrom)
    const { version } = folder === undefined ? {} : await readPackageJson(folder)
    if (typeof version !== "string") {
      if (!optional) warnings.push(`${because} needs the package ${name}, which is not installed`)
      continue
    }
    const list = optional || name.startsWith("@types/") ? found.devDependencies : found.dependencies
    if (list[name] !== undefined && list[name] !== version)
      warnings.push(`${because} uses ${name} ${version}, others ${list[name]}: only the latter is installed`)
    list[name] ??= version
  }
  return { ...found, warnings: [...new Set(warnings)] }
}
