/** One row per call, written in batches: a call never waits for the disk. */
import type { Caller } from "../model/source.ts"
import type { Store } from "../state/types.ts"

export interface AuditRow {
  at: number
  tool: string
  server: string
  surface: string
  client?: string
  session?: string
  outcome: "ok" | "tool-error" | "refused" | "failed"
  /** The error code when it did not go well. */
  code?: string
  ms: number
  /** Sizes, never contents: arguments and results may hold secrets. */
  resultBytes?: number
}

const STREAM = "audit"
const FLUSH_MS = 200
const FLUSH_ROWS = 500
const KEEP_ROWS = 200_000
const TRIM_EVERY = 20_000

export class Audit {
  readonly #store: Store
  readonly #report: (problem: string) => void
  #rows: AuditRow[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #sinceTrim = 0

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

  async tail(limit: number, server?: string): Promise<AuditRow[]> {
    await this.flush()
    const rows = await this.#store.tail(STREAM, { limit, ...(server !== undefined && { filter: { server } }) })
    return rows.map(row => row.data as unknown as AuditRow)
  }

  async #write(rows: AuditRow[]): Promise<void> {
    try {
      await this.#store.append(STREAM, rows)
      this.#sinceTrim += rows.length
      if (this.#sinceTrim >= TRIM_EVERY) {
        this.#sinceTrim = 0
        await this.#store.trim(STREAM, { maxRows: KEEP_ROWS })
      }
    } catch (error) {
      this.#report(
        `${rows.length} audit rows could not be written: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
}

export function callerFields(caller: Caller): Pick<AuditRow, "surface" | "client" | "session"> {
  return {
    surface: caller.surface,
    ...(caller.client !== undefined && { client: caller.client }),
    ...(caller.session !== undefined && { session: caller.session }),
  }
}
