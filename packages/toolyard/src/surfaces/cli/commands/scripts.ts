/** `toolyard scripts [save | show | remove] [NAME]` */
import { YardError } from "../../../model/errors.ts"
import { nearest } from "../../../model/nearest.ts"
import type { SavedScript } from "../../../model/run.ts"
import { type About, withClient, type YardClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { unlessAborted } from "../interrupt.ts"
import { readStdin } from "../read-stdin.ts"
import { readScript } from "../run-source.ts"
import { columns, harmless, localTime, oneLine } from "../text.ts"

export interface ScriptsOptions {
  run?: string
  description?: string
  config?: string
  json?: boolean
}

const ACTIONS = ["save", "show", "remove"]
const NONE: About = { pick: () => new Set<string>() }

export async function scripts(
  context: Context,
  options: ScriptsOptions,
  action: string | undefined,
  name: string | undefined,
  file: string | undefined,
): Promise<undefined> {
  const { io } = context
  const { json = false } = options
  const use = <T>(about: About, work: (client: YardClient) => Promise<T>): Promise<T> =>
    withClient(context, { ...options, about }, work)
  if (action === undefined) {
    const found = await use(NONE, ({ code }) => code.scripts())
    if (json) io.out(JSON.stringify({ scripts: found }))
    else printList(context, found)
    return
  }
  if (!ACTIONS.includes(action)) {
    const near = nearest(action, ACTIONS)
    throw new YardError("usage", `there is no "${action}"${near ? `; did you mean "${near}"?` : ""}`, {
      hint: `Write one of ${ACTIONS.join(", ")}, or nothing for a list.`,
    })
  }
  if (name === undefined) throw new YardError("usage", `${action} which script?`, { hint: "See `toolyard scripts`." })
  if (action !== "save" && (file !== undefined || options.run !== undefined || options.description !== undefined))
    throw new YardError("usage", `${action} takes a name and nothing else`)
  if (action === "show") {
    const script = await use(NONE, ({ code }) => code.script(name))
    if (json) io.out(JSON.stringify({ script }))
    else io.out((io.outIsTerminal ? harmless(script.code) : script.code).replace(/\n$/, ""))
  } else if (action === "remove") {
    await use(NONE, ({ code }) => code.removeScript(name))
    io.out(json ? JSON.stringify({ name }) : `Removed ${name}.`)
  } else {
    const source = await readFrom(context, options, file)
    const script = await use({ keeps: true }, async client => {
      // Its types may name those of tools.
      await client.settle()
      return client.code.saveScript(name, source, options.description)
    })
    if (json) io.out(JSON.stringify({ script }))
    else io.out(`Saved ${script.name}@${script.version}. \`toolyard run --script ${script.name}\` runs it.`)
  }
}

async function readFrom(
  { io, signal }: Context,
  { run }: ScriptsOptions,
  file: string | undefined,
): Promise<{ code: string } | { runId: string }> {
  if ((run === undefined) === (file === undefined))
    throw new YardError("usage", run === undefined ? "which code?" : "--run and a file exclude each other", {
      hint: "Give exactly one: --run ID, FILE, or - for stdin.",
    })
  if (run !== undefined) return { runId: run }
  const path = file as string
  return { code: await unlessAborted(path === "-" ? readStdin(io, "the script") : readScript(io, path), signal) }
}

function printList({ io }: Context, found: SavedScript[]): void {
  if (found.length === 0) io.err("No scripts are saved. `toolyard scripts save NAME FILE` saves one.")
  const rows = found.map(({ name, version, savedAt, description = "" }) => [
    { text: `${name}@${version}`, paint: io.paint.bold },
    { text: localTime(Date.parse(savedAt)), paint: io.paint.dim },
    { text: oneLine(description), paint: io.paint.dim },
  ])
  for (const line of columns(rows, io.width)) io.out(line)
}
