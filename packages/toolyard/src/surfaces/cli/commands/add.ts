/** `toolyard add NAME …` */
import { existsSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import { PATIENCE_MS } from "../client.ts"
import type { Context } from "../deps.ts"
import { editTarget, type TargetOptions } from "../edit-target.ts"
import { type EntryOptions, secretsIn, toEntry } from "../entry.ts"
import { within } from "../interrupt.ts"
import { warn } from "../io.ts"
import { count, oneLine } from "../text.ts"

export interface AddOptions extends EntryOptions, TargetOptions {
  force?: boolean
  check: boolean
  json?: boolean
}

interface Check {
  state: string
  tools: string[]
  reason?: string
}

export async function add(context: Context, options: AddOptions, name: string, command: string[]): Promise<undefined> {
  const { deps, io } = context
  const file = await editTarget(context, options)
  const entry = placed(toEntry(options, command), file, io.cwd)
  const { servers } = await deps.loadConfig({ cwd: io.cwd, config: file })
  if (!options.force && servers.some(server => server.name === name))
    throw new YardError("usage", `there is already a server "${name}" in ${file}`, {
      hint: "Choose another name, or replace it with --force.",
    })
  const warnings = await problemsOf(name, entry, file, context)
  await deps.setServer(file, name, entry)
  const check = options.check ? await tryOut(name, file, options.user !== true, context) : undefined
  if (options.json) {
    io.out(JSON.stringify({ name, file, ...(check && { check }), ...(warnings.length > 0 && { warnings }) }))
    return
  }
  io.out(`Added ${io.paint.bold(name)} to ${file}.`)
  for (const warning of warnings) warn(io, warning)
  if (check?.state === "up") io.out(`It is up and offers ${count(check.tools.length, "tool")}${listed(check.tools)}.`)
  else if (check) {
    warn(io, `it is ${check.state}${check.reason ? `: ${oneLine(check.reason)}` : ""}`)
    io.err(
      `${io.paintErr.dim("hint:")} \`toolyard doctor ${name}\` tells more; \`toolyard remove ${name}\` takes it out again.`,
    )
  }
}

/** Paths are given from where the shell stands, and written from where the configuration does. */
function placed(entry: JsonObject, config: string, cwd: string): JsonObject {
  const key = entry.type === "openapi" ? "spec" : "file"
  const given = entry[key]
  if (typeof given !== "string" || /^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return entry
  const path = resolve(cwd, given)
  if (!existsSync(path))
    throw new YardError("usage", `there is no file ${path}`, { hint: "Check the path, or write the file first." })
  const near = relative(dirname(config), path).replaceAll("\\", "/")
  return { ...entry, [key]: near.startsWith("..") ? path : `./${near}` }
}

/** What is plainly wrong is not written at all; what is merely doubtful is said. */
async function problemsOf(name: string, entry: JsonObject, file: string, { deps }: Context): Promise<string[]> {
  const problems = await deps.checkEntry(name, entry, dirname(file))
  const wrong = problems.find(({ severity }) => severity === "error")
  if (wrong) throw new YardError("config_invalid", wrong.message, wrong.fix === undefined ? {} : { hint: wrong.fix })
  const secrets = secretsIn(entry)
  return [
    ...problems.map(({ message, fix }) => `${message}${fix ? ` (${fix})` : ""}`),
    ...(secrets.length > 0
      ? [`${secrets.join(", ")} is now in the file as it stands; \${VARIABLE} would take it from the environment`]
      : []),
  ]
}

async function tryOut(name: string, file: string, keep: boolean, { deps, io, signal }: Context): Promise<Check> {
  const yard = await deps.openYard({ cwd: io.cwd, config: file, only: server => server.name === name, keep })
  try {
    io.progress(`connecting to ${name} …`)
    await within(yard.connected, PATIENCE_MS, signal)
    io.progress("")
    const member = yard.catalog.requireServer(name)
    const { state, reason } = member.health()
    return { state, tools: member.tools.map(tool => tool.name), ...(reason !== undefined && { reason }) }
  } finally {
    await yard.close()
  }
}

function listed(tools: string[]): string {
  if (tools.length === 0) return ""
  const shown = tools.slice(0, 8)
  return `: ${shown.map(oneLine).join(", ")}${tools.length > shown.length ? ", …" : ""}`
}
