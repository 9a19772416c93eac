/** Counts of what passed through the pipeline, for `/metrics` and `/api/stats`. */
import type { AuditRow } from "../policy/audit.ts"

const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000]

export interface ServerMetrics {
  calls: Record<AuditRow["outcome"], number>
  /** Calls by upper bound of their duration, the last for all that took longer. */
  buckets: number[]
  totalMs: number
  resultBytes: number
}

export class Metrics {
  readonly servers = new Map<string, ServerMetrics>()
  readonly bucketBounds = BUCKETS_MS

  record(row: AuditRow): void {
    let server = this.servers.get(row.server)
    if (!server) {
      server = {
        calls: { ok: 0, "tool-error": 0, refused: 0, failed: 0 },
        buckets: new Array(BUCKETS_MS.length + 1).fill(0),
        totalMs: 0,
        resultBytes: 0,
      }
      this.servers.set(row.server, server)
    }
    server.calls[row.outcome]++
    server.totalMs += row.ms
    server.resultBytes += row.resultBytes ?? 0
    let bucket = 0
    while (bucket < BUCKETS_MS.length && row.ms > (BUCKETS_MS[bucket] as number)) bucket++
    ;(server.buckets[bucket] as number)++
  }
}
