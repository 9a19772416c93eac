/** `toolyard eject SERVER DIR`: a server as a project of its own, which needs no hub. */
import { relative, resolve } from "node:path"
import { whereOf } from "../client.ts"
import type { Context } from "../deps.ts"
import { unlessAborted } from "../interrupt.ts"
import { warn } from "../io.ts"
import { columns, count, oneLine } from "../text.ts"

export interface EjectOptions {
  force?: boolean
  config?: string
  json?: boolean
}

export async function eject(context: Context, options: EjectOptions, server: string, folder: string): Promise<number> {
  const { deps, io, signal } = context
  const request = {
    ...whereOf(context, options),
    server,
    folder: resolve(io.cwd, folder),
    force: options.force ?? false,
  }
  const ejected = await unlessAborted(deps.ejectServer({ ...request, signal }), signal)
  if (options.json) {
    io.out(JSON.stringify(ejected))
    return 0
  }
  const { files, tools, variables, warnings } = ejected
  const place = relative(io.cwd, ejected.folder) || "."
  io.out(`Wrote ${io.paint.bold(server)} (${count(tools.length, "tool")}, ${count(files.length, "file")}) to ${place}.`)
  if (variables.length > 0) {
    io.out("\nIt reads these environment variables (see .env.example):")
    const rows = variables.map(({ name, purpose, required }) => [
      `  ${name}`,
      oneLine(purpose) + (required ? "" : " (optional)"),
    ])
    for (const line of columns(rows, undefined)) io.out(line)
  }
  const shown = /\s/.test(place) ? JSON.stringify(place) : place
  io.out(`\nNext:\n  cd ${shown}\n  npm install\n  npm test\n  npm start`)
  for (const warning of warnings) warn(io, oneLine(warning))
  return 0
}
