/** `toolyard boot`: a server from a prompt, made now, with every step told. */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { YardError } from "../../../model/errors.ts"
import type { JsonObject } from "../../../model/json.ts"
import { openBootLog } from "../boot-log.ts"
import { whereOf } from "../client.ts"
import type { BootedServer, Context } from "../deps.ts"
import { editTarget } from "../edit-target.ts"
import { warn } from "../io.ts"
import { columns, count, harmless, indent, oneLine } from "../text.ts"
import { serve } from "./serve.ts"

export interface BootOptions {
  promptFile?: string
  name?: string
  provider?: string
  model?: string
  apiKey?: string
  baseUrl?: string
  allow?: string[]
  cacheDir?: string
  cache: boolean
  dryRun?: boolean
  add?: boolean
  serve?: boolean
  port: number
  config?: string
  verbose?: boolean
  logFile?: string
  json?: boolean
}

export async function boot(context: Context, options: BootOptions, written: string | undefined): Promise<number> {
  const { deps, io, signal } = context
  if (options.dryRun && (options.add || options.serve))
    throw new YardError("usage", "--dry-run makes nothing that could be added or served", { hint: "Leave it out." })
  const prompt = await readPrompt(written, options.promptFile, io.cwd)
  const name = options.name ?? nameFrom(prompt)
  const { allow = [] } = options
  const { provider, model } = options
  const plain = { type: "prompt", prompt, ...(allow.length > 0 && { allow }) }
  const file = await editTarget(context, options)
  await checkName(context, name, plain, file, options.add === true)
  const log = await openBootLog(io, options)
  const booted = await deps
    .boot({
      ...whereOf(context, options),
      name,
      prompt,
      allow,
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
      ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
      ...(options.cacheDir !== undefined && { folder: resolve(io.cwd, options.cacheDir) }),
      cache: options.cache,
      dryRun: options.dryRun === true,
      signal,
      onEvent: log.write,
    })
    .finally(log.close)
  // A model that is named here is the server's own; else it is the configuration's, as it may be then.
  const isNamed = booted.model !== undefined && (provider ?? model) !== undefined
  const entry = isNamed ? { ...plain, model: booted.model } : plain
  if (options.dryRun) {
    io.out(JSON.stringify(booted.plan, null, 2))
    return 0
  }
  if (options.add) await deps.setServer(file, name, entry)
  if (options.json) io.out(JSON.stringify({ name, ...shown(booted), entry, ...(options.add && { added: file }) }))
  else print(context, name, booted, options.add ? file : undefined)
  return options.serve ? serveIt(context, options, name, entry) : 0
}

/** Found out before anything is paid for. */
async function checkName(
  { deps, io }: Context,
  name: string,
  entry: JsonObject,
  file: string,
  isAdded: boolean,
): Promise<void> {
  const problems = await deps.checkEntry(name, entry, dirname(file))
  const wrong = problems.find(({ severity }) => severity === "error")
  if (wrong) throw new YardError("usage", wrong.message, { hint: wrong.fix ?? "Choose another with --name." })
  if (!isAdded) return
  const { servers } = await deps.loadConfig({ cwd: io.cwd, config: file })
  if (servers.some(server => server.name === name && server.entry.type !== "prompt"))
    throw new YardError("usage", `there is already a server "${name}" in ${file}`, { hint: "Choose another --name." })
}

async function readPrompt(written: string | undefined, file: string | undefined, cwd: string): Promise<string> {
  if ((written === undefined) === (file === undefined))
    throw new YardError("usage", written === undefined ? "there is no prompt" : "there are two prompts", {
      hint: 'Give exactly one: toolyard boot "PROMPT", or --prompt-file FILE.',
    })
  if (file === undefined) return filled(written as string, "the prompt is empty")
  const path = resolve(cwd, file)
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new YardError("usage", `${path} cannot be read (${error.code})`, { hint: "Check the path." })
  })
  return filled(text, `${path} is empty`)
}

function filled(text: string, problem: string): string {
  const trimmed = text.replace(/^\uFEFF/, "").trim()
  if (trimmed === "") throw new YardError("usage", problem, { hint: "Say what the tools should do." })
  return trimmed
}

/** `Hacker News: top stories …` is `hacker-news`. */
function nameFrom(prompt: string): string {
  const [start = ""] = prompt
    .replace(/https?:\/\/\S+/g, " ")
    .trim()
    .split(/[:.,;!?\n(–—]/)
  const words = start.toLowerCase().match(/[a-z0-9]+/g) ?? []
  let name = ""
  for (const word of words) {
    if (name.length + word.length > 24) break
    name += name === "" ? word : `-${word}`
  }
  return name || "generated"
}

function shown({ plan: _, ...rest }: BootedServer): Omit<BootedServer, "plan"> {
  return rest
}

function print({ io }: Context, name: string, booted: BootedServer, added: string | undefined): void {
  const { how, tools, quarantined, whitelist, warnings, edited, folder } = booted
  const made = {
    cached: "made before, and still right",
    described: "from the description alone",
    generated: "made now",
    planned: "",
  }
  io.out(`${io.paint.bold(name)}: ${count(tools.length, "tool")}, ${made[how]}`)
  const rows = tools.map(tool => [tool.name, oneLine(tool.description)])
  for (const line of columns(rows, io.width === undefined ? undefined : io.width - 2)) io.out(`  ${line}`)
  if (quarantined.length > 0) {
    io.out(`Left out, since they could not be made to work:`)
    for (const tool of quarantined) io.out(indent(`${tool.name}: ${oneLine(tool.reason)}`))
  }
  io.out(`Hosts that they may reach: ${whitelist.map(harmless).join(", ") || "none"}`)
  if (folder !== undefined) io.out(`Files: ${folder}`)
  for (const file of edited) io.out(`  ${file} was edited by hand and is kept`)
  for (const warning of warnings) warn(io, oneLine(warning))
  if (added !== undefined) io.out(`Added ${io.paint.bold(name)} to ${added}.`)
  else io.out(`To add it: the same command with --add, or --serve to try it at once.`)
}

/** A hub with this one server, made a moment ago: nothing is asked of a model any more. */
async function serveIt(context: Context, options: BootOptions, name: string, entry: JsonObject): Promise<number> {
  return serve(context, {
    port: options.port,
    host: "127.0.0.1",
    auth: true,
    watch: false,
    logLevel: "info",
    ...(options.json && { json: true }),
    ...(options.add
      ? { ...(options.config !== undefined && { config: options.config }) }
      : { content: { mcpServers: { [name]: entry } } }),
    ...(options.cacheDir !== undefined && { folder: resolve(context.io.cwd, options.cacheDir) }),
  })
}
