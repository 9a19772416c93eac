/** Writes a server of the yard as a project of its own: it runs, and passes its tests, without the yard. */
import { existsSync } from "node:fs"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type { LoadOptions } from "../../config/files.ts"
import { loadConfig } from "../../config/load.ts"
import type { FileEntry, ServerConfig } from "../../model/config.ts"
import { YardError } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { secretsIn } from "../../surfaces/cli/entry.ts"
import { unknownServer } from "../../surfaces/cli/tool-name.ts"
import { loadAsWritten } from "./as-written.ts"
import type { EjectInput, Ejection, Files, Variable } from "./ejection.ts"
import { toProject } from "./project.ts"

export interface EjectOptions extends LoadOptions {
  server: string
  folder: string
  /** Writes into a folder that holds something already; what has other names stays. */
  force: boolean
  signal: AbortSignal
}

export interface Ejected {
  server: string
  type: string
  folder: string
  files: string[]
  tools: string[]
  variables: Variable[]
  warnings: string[]
}

/** Loaded when it is needed: each brings the source that it is about. */
const EJECTORS: Record<string, (input: EjectInput, signal: AbortSignal) => Promise<Ejection>> = {
  async openapi(input, signal) {
    const [{ ejectOpenApi }, { readOpenApi }] = await Promise.all([import("./openapi.ts"), import("./read-api.ts")])
    return ejectOpenApi(input, await readOpenApi(input, signal))
  },
  async graphql(input, signal) {
    const [{ ejectGraphQl }, { readGraphQl }] = await Promise.all([import("./graphql.ts"), import("./read-api.ts")])
    return ejectGraphQl(input, (await readGraphQl(input, signal)).tools)
  },
  async prompt(input) {
    const { ejectStored } = await import("./prompt.ts")
    return ejectStored(input)
  },
  async command(input) {
    const [{ ejectCommand }, { openOffer }] = await Promise.all([import("./command.ts"), import("./open-offer.ts")])
    const { CommandSource } = await import("../../sources/command/source.ts")
    const { tools } = await openOffer(input, watchdog => new CommandSource(input.written, watchdog))
    return ejectCommand(input, tools)
  },
  async static(input) {
    const [{ ejectStatic }, { toContext }] = await Promise.all([import("./static.ts"), import("./open-offer.ts")])
    return ejectStatic(input, toContext(input.root).yard)
  },
  async module(input) {
    const { file } = input.server.entry as FileEntry
    if (file.startsWith("cid://"))
      throw new YardError("usage", `${input.server.name} is content of the yard, not a file`, {
        hint: "Write it to a file of the project with `toolyard blobs get`, name that in `file`, and eject again.",
      })
    const [{ ejectModule }, { openOffer }] = await Promise.all([import("./module.ts"), import("./open-offer.ts")])
    const { openModule } = await import("../../sources/module/source.ts")
    const { describeModule } = await import("../../sources/module/describe/describe.ts")
    const offer = await openOffer(input, watchdog => openModule(input.server, watchdog))
    return ejectModule(input, { offer, description: describeModule(file) })
  },
}

const WHY_NOT: Record<string, string> = {
  stdio: "it is a program of its own already, which any client can start",
  http: "it runs elsewhere, and there is nothing of it here",
  sse: "it runs elsewhere, and there is nothing of it here",
  python: "only what runs on Node can be ejected so far",
}

export async function ejectServer(options: EjectOptions): Promise<Ejected> {
  const { server: name, force, signal } = options
  const folder = resolve(options.cwd ?? process.cwd(), options.folder)
  const config = await loadConfig(options)
  const server = config.servers.find(one => one.name === name)
  if (!server)
    throw unknownServer(
      name,
      config.servers.map(one => one.name),
    )
  const { type } = server.entry
  const eject = Object.hasOwn(EJECTORS, type) ? EJECTORS[type] : undefined
  if (!eject)
    throw new YardError(
      "usage",
      `${name} is of type "${type}", which can't be ejected: ${WHY_NOT[type] ?? "nobody knows how"}`,
      {
        hint: `Servers of these types can be: ${Object.keys(EJECTORS).sort().join(", ")}.`,
      },
    )
  refuseOverlays(server)
  const written = (await loadAsWritten(options, config)).servers.find(one => one.name === name)
  if (!written || written.entry.type !== type)
    throw new YardError("config_invalid", `the entry of ${name} means something else without its variables`, {
      hint: "Write out what is no secret, and eject again.",
    })
  if (secretsIn(written.entry as JsonObject).includes("an argument"))
    throw new YardError("usage", `an argument of ${name} looks like a secret, which would be written out`, {
      hint: "Write ${VARIABLE} in its place in toolyard.json, and eject again.",
    })
  await refuseFull(folder, force)
  const ejection = await eject({ root: config.root, server, written }, signal)
  const files = await toProject({ name, description: written.description }, ejection)
  signal.throwIfAborted()
  await writeFiles(folder, files)
  return {
    server: name,
    type,
    folder,
    files: [...files.keys()].sort(),
    tools: ejection.tools.map(tool => tool.name),
    variables: ejection.variables,
    warnings: ejection.warnings,
  }
}

/** What is computed or laid over another server needs the hub that does it. */
function refuseOverlays({ name, transforms, additions, entry }: ServerConfig): void {
  const adds = Object.values(additions).some(items => Object.keys(items).length > 0)
  const what =
    Object.keys(transforms).length > 0 ? "transforms" : adds && entry.type !== "static" ? "additions" : undefined
  if (what === undefined) return
  throw new YardError("usage", `${name} has ${what} of its own in the configuration, which can't be ejected with it`, {
    hint: "Move what is written out to a server of type static, and eject the two apart.",
  })
}

async function refuseFull(folder: string, force: boolean): Promise<void> {
  if (force || !existsSync(folder)) return
  const inside = await readdir(folder).catch(() => ["a file"])
  if (inside.length === 0) return
  throw new YardError("usage", `${folder} is not empty`, { hint: "Name a new folder, or write into it with --force." })
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  try {
    for (const [path, content] of files) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      const isProgram = path === "src/server.ts" || (path.startsWith("program/") && String(content).startsWith("#!"))
      await writeFile(file, content, isProgram ? { mode: 0o755 } : undefined)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new YardError("storage", `${folder} can't be written (${code ?? message})`, { cause: error })
  }
}
