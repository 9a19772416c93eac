/** `toolyard stats` */
import type { ApiStats } from "../../../model/api.ts"
import type { AuditRow } from "../../../policy/audit.ts"
import { withClient } from "../client.ts"
import type { Context } from "../deps.ts"
import { columns, count, milliseconds } from "../text.ts"

/** Without a hub the numbers are those of so many of the last calls. */
const LOOKED_AT = 10_000

type Servers = ApiStats["servers"]

export async function stats(context: Context, options: { config?: string; json?: boolean }): Promise<undefined> {
  const { io } = context
  const about = { pick: () => new Set<string>() }
  const { counted, rows } = await withClient(context, { ...options, about }, async client => {
    const counted = await client.stats()
    return { counted, rows: counted ? [] : await client.audit(LOOKED_AT) }
  })
  const servers = counted?.servers ?? countRows(rows)
  if (options.json) {
    io.out(JSON.stringify(counted ?? { servers, calls: rows.length }))
    return
  }
  if (counted) {
    const { running, waiting, completed, failed, cancelled } = counted.runs
    io.out(`up for ${duration(counted.uptimeSeconds)}, ${count(counted.sessions, "session")}, ${memory(counted)}`)
    io.out(
      `runs: ${completed} completed, ${failed} failed, ${cancelled} cancelled, ${running} running, ${waiting} waiting`,
    )
  } else io.err(`No hub is running: counted from the record, ${count(rows.length, "call")} back.`)
  for (const line of columns(toTable(servers), io.width)) io.out(line)
}

/** The kept calls, counted as a hub counts them. */
export function countRows(rows: AuditRow[]): Servers {
  const servers: Servers = {}
  const totals = new Map<string, number>()
  for (const { server, outcome, ms, resultBytes = 0 } of rows) {
    servers[server] ??= { ok: 0, toolErrors: 0, refused: 0, failed: 0, meanMs: 0, resultBytes: 0 }
    const own = servers[server]
    own[outcome === "tool-error" ? "toolErrors" : outcome]++
    own.resultBytes += resultBytes
    totals.set(server, (totals.get(server) ?? 0) + ms)
    own.meanMs = (totals.get(server) as number) / (own.ok + own.toolErrors + own.refused + own.failed)
  }
  return servers
}

function toTable(servers: Servers): string[][] {
  const rows = Object.entries(servers).map(([name, { ok, toolErrors, refused, failed, meanMs, resultBytes }]) => [
    name,
    ...[ok, toolErrors, refused, failed].map(String),
    milliseconds(meanMs),
    `${resultBytes} bytes`,
  ])
  return rows.length === 0 ? [] : [["server", "ok", "tool errors", "refused", "failed", "mean", "results"], ...rows]
}

const memory = ({ memoryBytes }: ApiStats): string => `${Math.round(memoryBytes / 1024 / 1024)} MB`

function duration(seconds: number): string {
  const parts = { d: 86_400, h: 3600, min: 60 }
  let rest = Math.round(seconds)
  const words: string[] = []
  for (const [unit, length] of Object.entries(parts)) {
    if (rest < length) continue
    words.push(`${Math.floor(rest / length)} ${unit}`)
    rest %= length
  }
  return words.length > 0 ? words.join(" ") : `${rest} s`
}
