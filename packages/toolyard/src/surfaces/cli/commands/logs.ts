/** `toolyard logs [SERVER]` */
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { AuditRow } from "../../../policy/audit.ts"
import { whereOf } from "../client.ts"
import type { Context } from "../deps.ts"
import { findHub } from "../find-hub.ts"
import { unlessAborted } from "../interrupt.ts"
import { createRemoteClient } from "../remote-client.ts"
import { type Cell, columns, harmless, localTime, milliseconds } from "../text.ts"
import { unknownServer } from "../tool-name.ts"

export interface LogsOptions {
  limit: number
  follow?: boolean
  config?: string
  json?: boolean
}

interface Records {
  /** The newest first. */
  rows(limit: number): Promise<AuditRow[]>
  /** What the server wrote to stderr; only a hub that runs it can know. */
  lines(): Promise<string[] | undefined>
  close(): Promise<void>
}

const LOOK_AGAIN_MS = 500
const FOLLOW_ROWS = 1000

export async function logs(context: Context, options: LogsOptions, server: string | undefined): Promise<undefined> {
  const { io, signal } = context
  const records = await openRecords(context, options, server)
  try {
    const rows = (await unlessAborted(records.rows(options.limit), signal)).reverse()
    const lines =
      server === undefined ? undefined : (await unlessAborted(records.lines(), signal))?.slice(-options.limit)
    if (options.json && !options.follow) {
      io.out(JSON.stringify({ rows, ...(lines && { lines }) }))
      return
    }
    if (options.json) for (const row of rows) io.out(JSON.stringify(row))
    else {
      for (const line of lines ?? []) io.out(`${io.paint.dim(`${server} |`)} ${harmless(line)}`)
      if (server !== undefined && lines === undefined)
        io.err(
          `No hub is running, so what ${server} wrote to stderr is not known; \`toolyard doctor ${server}\` starts it.`,
        )
      for (const line of columns(
        rows.map(row => toCells(row, context)),
        io.width,
      ))
        io.out(line)
      if (rows.length === 0 && !options.follow) io.err("No calls have been made yet.")
    }
    if (options.follow) await follow(records, rows, context, options)
  } finally {
    await records.close()
  }
}

async function follow(records: Records, shown: AuditRow[], context: Context, options: LogsOptions): Promise<void> {
  const { io, signal } = context
  let seen = new Set(shown.map(keyOf))
  for (;;) {
    await pause(LOOK_AGAIN_MS, undefined, { signal })
    const rows = (await unlessAborted(records.rows(Math.max(FOLLOW_ROWS, options.limit)), signal)).reverse()
    const last = rows.findLastIndex(row => seen.has(keyOf(row)))
    for (const row of rows.slice(last + 1))
      io.out(options.json ? JSON.stringify(row) : columns([toCells(row, context)], io.width).join(""))
    if (rows.length > 0) seen = new Set(rows.map(keyOf))
  }
}

const keyOf = (row: AuditRow): string => JSON.stringify(row)

async function openRecords(context: Context, options: LogsOptions, server: string | undefined): Promise<Records> {
  const where = whereOf(context, options)
  const { hub } = await findHub(context, where)
  if (hub) {
    const client = createRemoteClient(hub, context)
    if (server !== undefined) await client.server(server)
    return {
      rows: limit => client.audit(limit, server),
      lines: async () => (server === undefined ? undefined : (await client.server(server)).logs),
      close: () => client.close(),
    }
  }
  const { root, servers } = await context.deps.loadConfig(where)
  const names = servers.map(({ name }) => name)
  if (server !== undefined && !names.includes(server)) throw unknownServer(server, names)
  const audit = await context.deps.openAudit(join(root, ".toolyard"))
  return { rows: limit => audit.tail(limit, server), lines: async () => undefined, close: () => audit.close() }
}

function toCells({ at, tool, outcome, ms, code, surface, client }: AuditRow, { io }: Context): Cell[] {
  const { dim, green, red } = io.paint
  return [
    { text: localTime(at), paint: dim },
    { text: tool },
    { text: outcome, paint: outcome === "ok" ? green : red },
    { text: milliseconds(ms) },
    { text: client ?? surface, paint: dim },
    { text: code ?? "", paint: red },
  ]
}
