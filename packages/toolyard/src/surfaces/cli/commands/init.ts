/** `toolyard init` */
import { constants } from "node:fs"
import { access, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { YardError } from "../../../model/errors.ts"
import type { Context } from "../deps.ts"
import { warn } from "../io.ts"
import { starterText } from "../starter.ts"

export async function init({ deps, io }: Context, options: { force?: boolean; json?: boolean }): Promise<undefined> {
  const file = join(io.cwd, "toolyard.json")
  const flag = options.force ? "w" : "wx"
  await writeFile(file, starterText(await deps.schemaUrl()), { flag }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST")
      throw new YardError("usage", `${file} is already there`, {
        hint: "Edit it, add to it with `toolyard add`, or replace it with --force.",
      })
    throw new YardError("storage", `can't write ${file} (${error.code})`, { cause: error })
  })
  const hides = await access(join(io.cwd, ".mcp.json"), constants.F_OK).then(
    () => true,
    () => false,
  )
  if (options.json) {
    io.out(JSON.stringify({ file, ...(hides && { warnings: [HIDES] }) }))
    return
  }
  io.out(`Wrote ${file}.\n\nNext:`)
  io.out("  toolyard add files -- npx -y @modelcontextprotocol/server-filesystem .   add a server")
  io.out("  toolyard tools                                                           see its tools")
  io.out("  toolyard serve                                                           let clients use them")
  if (hides) warn(io, HIDES)
}

const HIDES = ".mcp.json beside it is no longer read; copy its servers over to keep them"
