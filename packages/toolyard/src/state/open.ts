/** The door of the state: SQLite and files in a folder, or memory where there is no folder to write to. */
import { createMemoryBlobs } from "./blobs-memory.ts"
import { createBus } from "./bus.ts"
import { createMemoryStore } from "./memory.ts"
import { messageOf } from "./storage-error.ts"
import type { Report, State } from "./types.ts"

export async function openState(dir: string | undefined, report: Report): Promise<State> {
  if (dir !== undefined) {
    try {
      return await openInFolder(dir, report)
    } catch (error) {
      report(`nothing can be kept in ${dir} (${messageOf(error)}); the state is held in memory until the hub stops`)
    }
  }
  const store = createMemoryStore()
  return { kind: "memory", store, bus: createBus(report), blobs: createMemoryBlobs(), close: () => store.close() }
}

async function openInFolder(dir: string, report: Report): Promise<State> {
  // Loaded here, not above: without a folder neither is needed.
  const [{ openSqliteStore }, { openFileBlobs }] = await Promise.all([
    import("./sqlite.ts"),
    import("./blobs-files.ts"),
  ])
  const store = openSqliteStore(dir, report)
  try {
    const blobs = openFileBlobs(dir, report)
    return { kind: "sqlite", store, bus: createBus(report), blobs, close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}
