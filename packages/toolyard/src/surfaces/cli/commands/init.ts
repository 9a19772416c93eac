/** `toolyard init` */
import { constants } from "node:fs"
import { access, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { YardError } from "../../../model/errors.ts"
import type { Context } from "../deps.ts"
import { warn } from "../io.ts"
import { EXAMPLES, type ExampleLanguage, starterText } from "../starter.ts"

export interface InitOptions {
  force?: boolean
  example?: ExampleLanguage
  json?: boolean
}

export async function init({ deps, io }: Context, options: InitOptions): Promise<undefined> {
  const file = join(io.cwd, "toolyard.json")
  const example = options.example && EXAMPLES[options.example]
  const examplePath = example && join(io.cwd, example.file)
  await write(file, starterText(await deps.schemaUrl()), options.force)
  if (example && examplePath) await write(examplePath, example.text, options.force)
  const hides = await access(join(io.cwd, ".mcp.json"), constants.F_OK).then(
    () => true,
    () => false,
  )
  if (options.json) {
    io.out(JSON.stringify({ file, ...(examplePath && { example: examplePath }), ...(hides && { warnings: [HIDES] }) }))
    return
  }
  io.out(`Wrote ${file}${examplePath ? ` and ${examplePath}` : ""}.\n\nNext:`)
  if (example)
    io.out("  toolyard call hello.greet --arg name=World                                call your first tool")
  io.out("  toolyard add files -- npx -y @modelcontextprotocol/server-filesystem .   add a server")
  io.out("  toolyard tools                                                           see its tools")
  io.out("  toolyard serve                                                           let clients use them")
  if (hides) warn(io, HIDES)
}

async function write(file: string, text: string, force = false): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: force ? "w" : "wx" })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST")
      throw new YardError("usage", `${file} is already there`, {
        hint: "Edit it, add to it with `toolyard add`, or replace it with --force.",
      })
    throw new YardError("storage", `can't write ${file} (${code})`, { cause: error })
  }
}

const HIDES = ".mcp.json beside it is no longer read; copy its servers over to keep them"
