import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openState } from "../../state/open.ts"
import type { State } from "../../state/types.ts"
import { openHolders } from "./holders.ts"
import { type Journal, openJournal } from "./journal.ts"
import { readKept, readRows } from "./record.ts"
import type { RunRow } from "./rows.ts"

let folder: string
let state: State
let failures: unknown[]
let journal: Journal

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolyard-journal-"))
  state = await openState(folder, problem => expect.unreachable(problem))
  failures = []
  journal = openJournal("r", state.store, state.blobs, error => failures.push(error))
})
afterEach(async () => {
  await state.close()
  await rm(folder, { recursive: true, force: true })
})

const log = (text: string): RunRow => ({ t: "log", level: "log", text })
const rows = (): Promise<RunRow[]> => readRows(state.store, "r")
const sql = (text: string): void => {
  const raw = new DatabaseSync(join(folder, "state.db"))
  raw.exec(text)
  raw.close()
}

describe("the journal of a run", () => {
  it("keeps rows in the order in which they were given, those with large texts too", async () => {
    journal.note(log("one"))
    const large = "x".repeat(100_000)
    journal.note(journal.holding(large, answer => ({ t: "done", id: 1, ok: true, ms: 1, answer })))
    await Promise.all([journal.write(log("two")), journal.write(log("three"))])
    const found = await rows()
    expect(found.map(row => (row.t === "log" ? row.text : row.t))).toEqual(["one", "done", "two", "three"])
    expect(found[1]?.t === "done" && (await readKept(found[1].answer, state.blobs))).toBe(large)
  })

  it("says that a row could not be written, and writes it with the next that can", async () => {
    sql("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'full'); END")
    await expect(journal.write(log("one"))).rejects.toMatchObject({ code: "storage" })
    sql("DROP TRIGGER full")
    await journal.write(log("two"))
    expect(await rows()).toEqual([log("one"), log("two")])
    expect(failures).toEqual([])
  })
})

describe("the holders of runs", () => {
  it("of which one is gone are told by its word, not by a number that another process has now", async () => {
    const [ours, theirs] = [openHolders(state.store), openHolders(state.store)]
    expect(await ours.isTaken(theirs.me)).toBe(false)
    await theirs.ready()
    expect(await ours.isTaken(theirs.me)).toBe(true)
    expect(await ours.isTaken({ hub: theirs.me.hub, pid: 2 ** 22 + 1 })).toBe(false)
    await theirs.close()
    expect(await ours.isTaken(theirs.me)).toBe(false)
  })

  it("get a run one at a time", async () => {
    const all = [1, 2, 3, 4].map(() => openHolders(state.store))
    for (const holders of all) await holders.ready()
    const got = await Promise.all(all.map(holders => holders.claim("r")))
    expect(got.filter(Boolean)).toHaveLength(1)
    const [winner, loser] = [all[got.indexOf(true)], all[got.indexOf(false)]]
    expect(await winner?.claim("r")).toBe(true)
    await winner?.close()
    expect(await loser?.claim("r")).toBe(true)
    for (const holders of all) await holders.close()
  })
})
