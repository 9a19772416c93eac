/** `toolyard remove NAME` */

import { YardError } from "../../../model/errors.ts"
import type { Context } from "../deps.ts"
import { editTarget, type TargetOptions } from "../edit-target.ts"
import { unknownServer } from "../tool-name.ts"

export async function remove(
  context: Context,
  options: TargetOptions & { json?: boolean },
  name: string,
): Promise<undefined> {
  const { deps, io } = context
  const file = await editTarget(context, options)
  if (!(await deps.removeServer(file, name))) throw await whyNot(name, file, options, context)
  io.out(options.json ? JSON.stringify({ name, file }) : `Removed ${io.paint.bold(name)} from ${file}.`)
}

async function whyNot(name: string, file: string, options: TargetOptions, { deps, io }: Context): Promise<YardError> {
  const other = options.user || options.config !== undefined ? undefined : await deps.userFile()
  if (other !== undefined && other !== file) {
    const { servers } = await deps.loadConfig({ cwd: io.cwd, config: other })
    if (servers.some(server => server.name === name))
      return new YardError("unknown_server", `"${name}" stands in ${other}, not in ${file}`, {
        hint: `\`toolyard remove ${name} --user\` removes it there.`,
      })
  }
  const { servers } = await deps.loadConfig({ cwd: io.cwd, config: file })
  return unknownServer(
    name,
    servers.map(server => server.name),
  )
}
