/** `toolyard doctor`: looks at everything that can be wrong, and says what to do about it. */
import { whereOf } from "../client.ts"
import type { Context } from "../deps.ts"
import { type Finding, inspectConfig, inspectFolder, inspectHub, inspectNode } from "../doctor/findings.ts"
import { inspectServers, type ServerFinding } from "../doctor/servers.ts"
import { findHub } from "../find-hub.ts"
import type { Paint } from "../paint.ts"
import { count, harmless, oneLine } from "../text.ts"
import { unknownServer } from "../tool-name.ts"

export interface DoctorOptions {
  config?: string
  json?: boolean
}

export async function doctor(context: Context, options: DoctorOptions, server: string | undefined): Promise<number> {
  const { io, deps } = context
  const where = whereOf(context, options)
  const config = await deps.loadConfig(where)
  const names = config.servers.map(({ name }) => name)
  if (server !== undefined && !names.includes(server)) throw unknownServer(server, names)
  const search = await findHub(context, where)
  const checks = [
    inspectNode(process.versions.node),
    ...inspectConfig(config, server),
    await inspectFolder(config.root, deps),
    inspectHub(search),
  ]
  if (!options.json) for (const check of checks) printFinding(check, context)
  const servers = await inspectServers(context, where, search.hub, server)
  const ok = [...checks, ...servers].every(({ status }) => status !== "problem")
  if (options.json) io.out(JSON.stringify({ ok, checks, servers }))
  else {
    for (const found of servers) printServer(found, context)
    const problems = [...checks, ...servers].filter(({ status }) => status === "problem").length
    io.out(ok ? "\nAll is well." : `\n${count(problems, "problem")}.`)
  }
  return ok ? 0 : 1
}

const MARKS = { ok: "✓", warning: "!", problem: "✗" } as const

function mark(status: Finding["status"], { green, yellow, red }: Paint): string {
  return { ok: green, warning: yellow, problem: red }[status](MARKS[status])
}

function printFinding({ status, what, message, fix }: Finding, { io }: Context): void {
  io.out(`${mark(status, io.paint)} ${io.paint.bold(what)}: ${harmless(message)}`)
  if (fix) io.out(`    ${io.paint.dim("→")} ${harmless(fix)}`)
}

function printServer(found: ServerFinding, { io }: Context): void {
  const { status, name, state, era, tools, connectMs, reason, logs = [] } = found
  const facts = [
    state,
    ...(era ? [`${era} protocol`] : []),
    ...(state === "up" ? [count(tools, "tool")] : []),
    ...(connectMs === undefined ? [] : [`connected in ${connectMs} ms`]),
    ...(reason === undefined ? [] : [oneLine(reason)]),
  ]
  io.out(`${mark(status, io.paint)} ${io.paint.bold(name)}: ${facts.join(", ")}`)
  for (const line of logs) io.out(`    ${io.paint.dim(`| ${harmless(line)}`)}`)
  if (found.fix) io.out(`    ${io.paint.dim("→")} ${found.fix}`)
}
