import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openState } from "./open.ts"

let dir: string
let db: string
let problems: string[]
const open = () => openState(dir, problem => problems.push(problem))
const setAside = async () => (await readdir(dir)).filter(name => /^state\.db\.corrupt-[\dTZ.-]+$/.test(name))

beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), "toolyard-state-")), "yard")
  db = join(dir, "state.db")
  problems = []
})
afterEach(() => rm(join(dir, ".."), { recursive: true, force: true }))

/** A file with some pages in it, closed in good order. */
async function makeSound(): Promise<void> {
  const state = await open()
  await state.store.set("ns", "a", 1)
  await state.store.append(
    "s",
    Array.from({ length: 500 }, (_, n) => ({ n, text: "x".repeat(200) })),
  )
  await state.close()
}

function alter(sql: string): void {
  const raw = new DatabaseSync(db)
  raw.exec(sql)
  raw.close()
}

describe("a damaged state", () => {
  const damages: Record<string, () => Promise<void>> = {
    "full of garbage": () => writeFile(db, "garbage\u0000".repeat(1000)),
    empty: () => truncate(db, 0),
    "cut within the header": () => truncate(db, 60),
    "cut after the first page": () => truncate(db, 4096),
    "cut in the middle": async () => truncate(db, Math.floor((await stat(db)).size / 2)),
    "of another version": async () => alter("PRAGMA user_version = 99"),
    "without its tables": async () => alter("DROP TABLE kv"),
    "a directory": async () => {
      await rm(db)
      await mkdir(join(db, "inside"), { recursive: true })
    },
    "a link to nowhere": async () => {
      await rm(db)
      await symlink(join(dir, "nowhere"), db)
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    it(`is set aside and reported, and a new one begun, when state.db is ${name}`, async () => {
      await makeSound()
      await damage()
      const state = await open()
      expect(state.kind).toBe("sqlite")
      expect(await state.store.get("ns", "a")).toBeUndefined()
      await state.store.set("ns", "a", 2)
      await state.close()
      expect(problems).toEqual([expect.stringContaining("set aside")])
      const [aside, ...others] = await setAside()
      expect(others).toEqual([])
      expect(problems[0]).toContain(aside)
      const again = await open()
      expect(await again.store.get("ns", "a")).toBe(2)
      await again.close()
      expect(problems.length).toBe(1)
    })
  }

  it("is not refilled from the journal of the file that was set aside", async () => {
    await makeSound()
    const state = await open()
    await state.store.set("ns", "b", "from the journal")
    const journal = readFileSync(`${db}-wal`)
    await state.close()
    await rm(db)
    await writeFile(`${db}-wal`, journal)
    const fresh = await open()
    expect(await fresh.store.get("ns", "b")).toBeUndefined()
    await fresh.store.set("ns", "b", 2)
    expect(await fresh.store.get("ns", "b")).toBe(2)
    await fresh.close()
    expect(problems).toEqual([expect.stringContaining("set aside")])
  })

  it("makes room for a new one when the damage shows only in use", async () => {
    await makeSound()
    // Pages in the middle: the first and the last are looked at on opening.
    const bytes = readFileSync(db)
    writeFileSync(db, bytes.fill(0xee, 10 * 4096, 20 * 4096))
    const state = await open()
    expect(problems).toEqual([])
    await expect(state.store.tail("s", { limit: 1000, filter: { n: 1 } })).rejects.toMatchObject({ code: "storage" })
    expect(problems).toEqual([expect.stringContaining("set aside")])
    await state.store.append("s", [{ n: 1 }])
    expect(await state.store.tail("s", { limit: 5 })).toMatchObject([{ data: { n: 1 } }])
    await state.close()
    expect((await setAside()).length).toBe(1)
  })

  it("loses only the entry that is damaged, when it is one", async () => {
    await makeSound()
    alter(`INSERT INTO kv VALUES ('ns', 'bad', '{"half', NULL), ('ns', 'good', '1', NULL)`)
    alter(`INSERT INTO log (stream, at, data) VALUES ('s', 0, '{"half'), ('s', 0, '7')`)
    const state = await open()
    expect(await state.store.get("ns", "bad")).toBeUndefined()
    expect(problems).toEqual([expect.stringContaining("ns/bad")])
    expect(await state.store.entries("ns")).toEqual([
      { key: "a", value: 1 },
      { key: "good", value: 1 },
    ])
    expect(await state.store.tail("s", { limit: 1 })).toMatchObject([{ data: { n: 499 } }])
    await state.close()
  })

  it("falls back to memory where no folder can be made", async () => {
    await writeFile(dir, "a file in its place")
    const state = await open()
    expect(state.kind).toBe("memory")
    expect(problems).toEqual([expect.stringContaining("in memory")])
    await state.close()
  })

  it("keeps everything from other users' eyes", async () => {
    const state = await open()
    await state.store.set("ns", "a", 1)
    const { cid } = await state.blobs.put("secret")
    const modeOf = async (...path: string[]) => (await stat(join(dir, ...path))).mode & 0o777
    expect(await modeOf()).toBe(0o700)
    for (const file of ["state.db", "state.db-wal", "state.db-shm", "state.lock"])
      expect(await modeOf(file)).toBe(0o600)
    expect(await modeOf("blobs", cid.slice(-3, -1))).toBe(0o700)
    expect(await modeOf("blobs", cid.slice(-3, -1), cid)).toBe(0o600)
    await state.close()
  })
})

describe("a damaged blob", () => {
  const pathOf = (cid: string) => join(dir, "blobs", cid.slice(-3, -1), cid)

  it("is set aside, reported and missing, and can be put again", async () => {
    const state = await open()
    const { cid } = await state.blobs.put("precious", { mediaType: "text/x" })
    const damages = [
      () => writeFile(pathOf(cid), "Precious"),
      () => truncateSync(pathOf(cid), 0),
      () => rm(pathOf(cid)).then(() => mkdir(pathOf(cid))),
    ]
    for (const [n, damage] of damages.entries()) {
      await damage()
      expect(await state.blobs.get(cid)).toBeUndefined()
      expect(problems.length).toBe(n + 1)
      expect(problems[n]).toContain(cid)
      expect(await state.blobs.has(cid)).toBe(false)
      await state.blobs.put("precious")
      expect(Buffer.from((await state.blobs.get(cid))!.bytes).toString()).toBe("precious")
    }
    await state.close()
  })

  it("is made good by a put of the same content, without a get in between", async () => {
    const state = await open()
    const { cid } = await state.blobs.put("precious")
    await writeFile(pathOf(cid), "Precious")
    await state.blobs.put("precious")
    expect(await readFile(pathOf(cid), "utf8")).toBe("precious")
    await writeFile(`${pathOf(cid)}.json`, "{half")
    expect((await state.blobs.get(cid))!.mediaType).toBe("application/octet-stream")
    await state.close()
  })

  it("half written by a process that died is cleared away later, a fresh one is left alone", async () => {
    await (await open()).close()
    const [old, young] = ["old", "young"].map(name => join(dir, "blobs", "tmp", name)) as [string, string]
    for (const path of [old, young]) await writeFile(path, "half")
    await utimes(old, 1, 1)
    await (await open()).close()
    expect(await readdir(join(dir, "blobs", "tmp"))).toEqual(["young"])
  })

  it("or any other goes on being kept when the folder is deleted under a running hub", async () => {
    const state = await open()
    await state.blobs.put("one")
    await rm(dir, { recursive: true })
    const { cid } = await state.blobs.put("two")
    expect((await state.blobs.get(cid))!.size).toBe(3)
    expect((await state.blobs.list()).length).toBe(1)
    await state.close()
  })
})
