/** `/metrics` in Prometheus' text format. */
import type { Catalog } from "../../catalog/catalog.ts"

export function prometheus(catalog: Catalog, sessions: number): string {
  const lines: string[] = []
  const family = (name: string, type: string, help: string): void => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
  }
  family("toolyard_server_up", "gauge", "Whether a server is connected.")
  for (const member of catalog.servers())
    lines.push(`toolyard_server_up{server=${quote(member.name)}} ${member.health().state === "up" ? 1 : 0}`)
  family("toolyard_tools", "gauge", "Tools offered by a server.")
  for (const member of catalog.servers())
    lines.push(`toolyard_tools{server=${quote(member.name)}} ${member.tools.length}`)
  family("toolyard_calls_under_way", "gauge", "Calls under way at a server.")
  for (const member of catalog.servers())
    lines.push(`toolyard_calls_under_way{server=${quote(member.name)}} ${member.slots.used}`)
  family("toolyard_sessions", "gauge", "Open client sessions.")
  lines.push(`toolyard_sessions ${sessions}`)
  family("toolyard_memory_bytes", "gauge", "Resident memory of the hub.")
  lines.push(`toolyard_memory_bytes ${process.memoryUsage.rss()}`)
  family("toolyard_calls_total", "counter", "Tool calls by outcome.")
  for (const [server, { calls }] of catalog.metrics.servers) {
    for (const [outcome, count] of Object.entries(calls))
      lines.push(`toolyard_calls_total{server=${quote(server)},outcome=${quote(outcome)}} ${count}`)
  }
  family("toolyard_call_duration_seconds", "histogram", "Duration of tool calls.")
  for (const [server, { buckets, totalMs }] of catalog.metrics.servers) {
    let sum = 0
    for (const [index, count] of buckets.entries()) {
      sum += count
      const bound = catalog.metrics.bucketBounds[index]
      lines.push(
        `toolyard_call_duration_seconds_bucket{server=${quote(server)},le="${bound === undefined ? "+Inf" : bound / 1000}"} ${sum}`,
      )
    }
    lines.push(`toolyard_call_duration_seconds_sum{server=${quote(server)}} ${totalMs / 1000}`)
    lines.push(`toolyard_call_duration_seconds_count{server=${quote(server)}} ${sum}`)
  }
  return `${lines.join("\n")}\n`
}

const quote = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`
