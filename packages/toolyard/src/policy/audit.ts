/**
 * One row per call, written in batches: a call never waits for the disk. A batch is one entry of the store's log, which
 * costs a quarter of what an entry for each row would.
 */
import type { Store } from "../state/types.ts"

export interface AuditRow {
  at: number
  tool: string
  server: string
  surface: string
  client?: string | undefined
  session?: string | undefined
  outcome: "ok" | "tool-error" | "refused" | "failed"
  /** The error code when it did not go well. */
  code?: string | undefined
  ms: number
  /** Sizes, never contents: arguments and results may hold secrets. */
  resultBytes?: number | undefined
}

const STREAM = "audit"
const FLUSH_MS = 200
const FLUSH_ROWS = 500
/** About so many rows are kept. */
const KEEP_ROWS = 200_000
const TRIM_EVERY_BATCHES = 100
const READ_BATCHES = 50

export class Audit {
  readonly #store: Store
  readonly #report: (problem: string) => void
  #rows: AuditRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #batches = 0
  /** How many rows a batch has had of late: what the store counts are batches. */
  #usualRows = 1

  constructor(store: Store, report: (problem: string) => void) {
    this.#store = store
    this.#report = report
  }

  record(row: AuditRow): void {
    this.#rows.push(row)
    if (this.#rows.length >= FLUSH_ROWS) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const rows = this.#rows
    if (rows.length === 0) return this.#writing
    this.#rows = []
    this.#writing = this.#writing.then(() => this.#write(rows))
    return this.#writing
  }

  /** Newest first. */
  async tail(limit: number, server?: string): Promise<AuditRow[]> {
    await this.flush()
    const found: AuditRow[] = []
    let before: number | undefined
    while (found.length < limit) {
      const batches = await this.#store.tail(STREAM, { limit: READ_BATCHES, ...(before !== undefined && { before }) })
      for (const { data } of batches) {
        const rows = Array.isArray(data.rows) ? (data.rows as AuditRow[]).toReversed() : []
        found.push(...(server === undefined ? rows : rows.filter(row => row.server === server)))
      }
      before = batches.at(-1)?.id
      if (batches.length < READ_BATCHES) break
    }
    return found.slice(0, limit)
  }

  async #write(rows: AuditRow[]): Promise<void> {
    try {
      await this.#store.append(STREAM, [{ rows }])
      this.#usualRows += (rows.length - this.#usualRows) / TRIM_EVERY_BATCHES
      if (++this.#batches % TRIM_EVERY_BATCHES === 0) {
        await this.#store.trim(STREAM, { maxRows: Math.ceil(KEEP_ROWS / this.#usualRows) })
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#report(`${rows.length} audit rows could not be written: ${reason}`)
    }
  }
}
