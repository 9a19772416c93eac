/**
 * Writes down what happens in a run, as it happens: enough to show it later, and to take it up again without doing
 * anything twice. Rows are kept in the order in which they were given, so whoever finds one finds all before it.
 */
import type { Blobs, Store } from "../../state/types.ts"
import type { Kept, RunRow } from "./rows.ts"
import { dropBlob, useBlob } from "./run-blobs.ts"

/** Longer texts are kept as blobs. */
const LONGEST_ROW = 64 * 1024
/** How long rows that nobody waits for are gathered. */
const GATHER_MS = 50

export const streamOf = (runId: string): string => `run ${runId}`

/** A row, or one whose texts are still being put away. */
type Given = RunRow | Promise<RunRow>

export interface Journal {
  /** Resolves when the row, and all before it, will survive the process. */
  write(row: Given): Promise<void>
  /** Written soon, and before anything that is given later. */
  note(row: Given): void
  /** A row that holds a text. */
  holding(text: string, toRow: (kept: Kept) => RunRow): Given
  keep(bytes: Uint8Array | string, mediaType: string): Promise<string>
  drop(cid: string): Promise<void>
  flush(): Promise<void>
  /** Whether anything was kept as a blob. */
  readonly hasBlobs: boolean
}

/** `onFailure` is told when what nobody waits for could not be written. */
export function openJournal(runId: string, store: Store, blobs: Blobs, onFailure: (error: unknown) => void): Journal {
  const stream = streamOf(runId)
  let rows: Given[] = []
  let soon: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    last = last.then(writeAll, writeAll)
    return last
  }

  async function writeAll(): Promise<void> {
    if (rows.length === 0) return
    const batch = rows
    rows = []
    const ready: RunRow[] = []
    try {
      for (const row of batch) ready.push(row instanceof Promise ? await row : row)
      await store.append(stream, ready)
    } catch (error) {
      // They are tried once more with whatever comes next; a row whose text could not be put away is not.
      rows.unshift(...ready, ...batch.slice(ready.length + 1))
      throw error
    }
  }

  const add = (row: Given): void => {
    // Whoever waits is told when it is its turn.
    if (row instanceof Promise) row.catch(() => {})
    rows.push(row)
  }

  let hasBlobs = false
  const keep: Journal["keep"] = (bytes, mediaType) => {
    hasBlobs = true
    return useBlob(store, blobs, runId, bytes, mediaType)
  }

  return {
    write(row) {
      add(row)
      // Rows of one turn of the event loop go into one transaction.
      soon ??= Promise.resolve().then(() => {
        soon = undefined
        return flush()
      })
      return soon
    },
    note(row) {
      add(row)
      timer ??= setTimeout(() => void flush().catch(onFailure), GATHER_MS)
    },
    holding(text, toRow) {
      if (text.length <= LONGEST_ROW) return toRow({ text })
      return keep(text, "application/json").then(cid => toRow({ cid }))
    },
    keep,
    drop: cid => dropBlob(store, blobs, runId, cid),
    flush,
    get hasBlobs() {
      return hasBlobs
    },
  }
}
