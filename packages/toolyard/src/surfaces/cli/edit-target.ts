/** Which file `add` and `remove` change. */
import { join, resolve } from "node:path"
import { YardError } from "../../model/errors.ts"
import { whereOf } from "./client.ts"
import type { Context } from "./deps.ts"

export interface TargetOptions {
  config?: string
  user?: boolean
}

/** The file that is in use, whatever its name: a new one beside it would hide what it holds. */
export async function editTarget(context: Context, options: TargetOptions): Promise<string> {
  const { deps, io } = context
  if (options.user && options.config !== undefined)
    throw new YardError("usage", "--user and --config name two different files", { hint: "Leave one of them out." })
  if (options.config !== undefined) return resolve(io.cwd, options.config)
  if (options.user) {
    const file = await deps.userFile()
    if (file === undefined) throw new YardError("usage", "this user has no home folder, and so no file of their own")
    return file
  }
  const { project } = await deps.findFiles(whereOf(context, options))
  return project ?? join(io.cwd, "toolyard.json")
}
