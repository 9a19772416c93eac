import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { type Hub, rawServer, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { modernCall, openSession, textOf } from "../fixtures/mcp-client.ts"
import { until } from "../fixtures/until.ts"

afterEach(stopAll)

const config = { mcpServers: { a: rawServer() } }

const auditRows = async (hub: Hub): Promise<number> => {
  const { rows } = (await (await fetch(`${hub.url}/api/audit`)).json()) as { rows: unknown[] }
  return rows.length
}

describe("a state folder that is damaged", () => {
  async function restartOver(damage: (state: string) => void): Promise<Hub> {
    const first = await startHub(config)
    await first.waitUp()
    await modernCall(first.url, "a__echo", { text: "x" })
    await first.stop()
    damage(join(first.folder, ".toolyard"))
    const hub = await startHub(config, { folder: first.folder })
    await hub.waitUp()
    expect(textOf(await modernCall(hub.url, "a__echo", { text: "on" }))).toBe("on")
    return hub
  }

  it("G5 by a corrupt database and corrupt cache files: the hub starts, says so, and keeps rows again", async () => {
    const hub = await restartOver(state => {
      writeFileSync(join(state, "state.db"), "this is no database ".repeat(1000))
      for (const name of readdirSync(join(state, "cache")))
        if (name.endsWith(".json")) writeFileSync(join(state, "cache", name), '{"key":"half of')
    })
    expect(hub.stderr()).toMatch(/state\.db/)
    expect(hub.stderr()).toMatch(/could not be read and was dropped/)
    expect(await auditRows(hub)).toBe(1)
    // What was there is not thrown away.
    const kept = readdirSync(join(hub.folder, ".toolyard")).filter(name => /^state\.db.+/.test(name))
    expect(kept.some(name => readFileSync(join(hub.folder, ".toolyard", name), "latin1").includes("no database"))).toBe(
      true,
    )
  })

  it("by cache files that hold something else: they are not believed", async () => {
    const hub = await restartOver(state => {
      for (const name of readdirSync(join(state, "cache")))
        if (name.endsWith(".json")) writeFileSync(join(state, "cache", name), '{"offer":{"tools":[{"name":"evil"}]}}')
    })
    const { tools } = (await (await openSession(hub.url)).request("tools/list")) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).not.toContain("a__evil")
  })

  it("by a folder in the place of the database: the hub serves", async () => {
    const hub = await restartOver(state => {
      for (const name of readdirSync(state)) if (name.startsWith("state.db")) rmSync(join(state, name))
      mkdirSync(join(state, "state.db"))
    })
    expect(hub.stderr()).toMatch(/state/)
  })

  it("by its removal while the hub serves: calls go on", async () => {
    const hub = await startHub(config)
    await hub.waitUp()
    // The hub may be writing there at this very moment.
    rmSync(join(hub.folder, ".toolyard"), { recursive: true, maxRetries: 10, retryDelay: 20 })
    for (let n = 0; n < 5; n++) expect(textOf(await modernCall(hub.url, "a__echo", { text: `${n}` }))).toBe(`${n}`)
    expect(await hub.stop()).toBe(0)
  })

  it("by a kill in the middle of its work: the next start is a normal one", async () => {
    const first = await startHub(config)
    await first.waitUp()
    await Promise.all(Array.from({ length: 100 }, (_, n) => modernCall(first.url, "a__echo", { text: `${n}` })))
    await first.kill("SIGKILL")
    const hub = await startHub(config, { folder: first.folder })
    await hub.waitUp()
    expect(textOf(await modernCall(hub.url, "a__echo", { text: "on" }))).toBe("on")
    expect(hub.stderr()).not.toMatch(/damaged|set aside|dropped/)
  })
})

describe("two hubs over one folder", () => {
  it("both serve, both keep their rows, and the end of one leaves the other alone", async () => {
    const one = await startHub(config)
    const two = await startHub(config, { folder: one.folder })
    await Promise.all([one.waitUp(), two.waitUp()])
    const calls = [one, two].flatMap(hub =>
      Array.from({ length: 25 }, (_, n) => modernCall(hub.url, "a__echo", { text: `${n}` })),
    )
    expect((await Promise.all(calls)).map(textOf)).toHaveLength(50)
    // The other hub writes its rows a moment later.
    await until(async () => (await auditRows(one)) === 50, "the rows of both")
    expect(await one.stop()).toBe(0)
    expect(textOf(await modernCall(two.url, "a__echo", { text: "on" }))).toBe("on")
    const note = join(two.folder, ".toolyard", "hub.json")
    expect(JSON.parse(readFileSync(note, "utf8"))).toMatchObject({ pid: two.pid })
    expect(await two.stop()).toBe(0)
    expect(existsSync(note)).toBe(false)
  })
})

const mounts = spawnSync("unshare", ["-m", "true"], { stdio: "ignore" }).status === 0

// Needs a small file system of its own, which only root can mount.
describe.runIf(mounts)("a state folder on a full disk", () => {
  /** Starts the hub with a file system of this size in the place of its state folder, seen by itself alone. */
  function startOnDisk(size: string, prepare = ":"): Promise<Hub> {
    const folder = tempFolder()
    const state = join(folder, ".toolyard")
    mkdirSync(state)
    const script = `mount -t tmpfs -o size=${size} tmpfs "$0" && ${prepare}; exec "$@"`
    return startHub(config, { folder, through: ["unshare", "-m", "sh", "-c", script, state] })
  }
  const FILL = 'dd if=/dev/zero of="$0/filler" bs=4096 2>/dev/null'

  it("from the start: the hub starts, says so, and serves", async () => {
    const hub = await startOnDisk("64k", FILL)
    await hub.waitUp()
    for (let n = 0; n < 20; n++) expect(textOf(await modernCall(hub.url, "a__echo", { text: `${n}` }))).toBe(`${n}`)
    expect(hub.stderr()).toMatch(/no space|ENOSPC|full/i)
    expect(await hub.stop()).toBe(0)
  })

  it("from some moment on: calls go on, what cannot be kept is said, and all is well when there is room", async () => {
    const hub = await startOnDisk("12m")
    await hub.waitUp()
    expect(textOf(await modernCall(hub.url, "a__echo", { text: "before" }))).toBe("before")
    expect(await auditRows(hub)).toBe(1)
    const filler = join(`/proc/${hub.pid}/root`, hub.folder, ".toolyard", "filler")
    expect(() => writeFileSync(filler, Buffer.alloc(16_000_000))).toThrow("ENOSPC")
    const session = await openSession(hub.url)
    for (let n = 0; n < 50; n++) expect(textOf(await session.call("a__echo", { text: `${n}` }))).toBe(`${n}`)
    // A result too large to pass on has nowhere to be kept: that is an error, not a cut.
    const large = await session.call("a__big", { bytes: 6_000_000 }).catch((error: Error) => error)
    expect(large instanceof Error ? large.message : textOf(large)).toMatch(/space|full|ENOSPC/i)
    await until(() => /audit rows could not be written/.test(hub.stderr()), "the log to say that rows were lost")

    rmSync(filler)
    expect((await session.call("a__big", { bytes: 6_000_000 })).isError).toBeFalsy()
    const rows = await auditRows(hub)
    await session.call("a__echo", { text: "after" })
    await until(async () => (await auditRows(hub)) > rows, "rows to be kept again")
  })
})
