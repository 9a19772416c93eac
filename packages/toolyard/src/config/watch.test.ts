import { EventEmitter, on } from "node:events"
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { YardConfig } from "../model/config.ts"
import { candidateFiles, loadConfig } from "./load.ts"
import { diffServers, watchConfig } from "./watch.ts"

let home: string
let project: string
let stop: () => void
let next: () => Promise<string[]>
let loads: { now: number; most: number; total: number }
/** What a load waits for before it ends. */
let gate: Promise<void> | undefined
/** Runs whenever the files are about to be looked at. */
let onLook: () => void

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "watch-"))
  project = join(home, "project")
  mkdirSync(project)
})
afterEach(() => {
  stop()
  rmSync(home, { recursive: true, force: true })
})

const write = (file: string, ...names: string[]): void => {
  const entries = names.map(name => [name, { command: "x" }])
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
}

function start(): void {
  const options = { cwd: project, home, env: {} }
  const events = new EventEmitter()
  const changes = on(events, "change")
  loads = { now: 0, most: 0, total: 0 }
  gate = undefined
  onLook = () => {}
  const load = async (): Promise<YardConfig> => {
    loads.now++
    loads.total++
    loads.most = Math.max(loads.most, loads.now)
    const config = await loadConfig(options)
    await gate
    loads.now--
    return config
  }
  const watching = watchConfig(
    load,
    () => {
      onLook()
      return candidateFiles(options)
    },
    config => events.emit("change", config),
  )
  stop = () => watching.close()
  next = async () => ((await changes.next()).value as [YardConfig])[0].servers.map(each => each.name)
}

describe("watchConfig", () => {
  it("sees an edit, an atomic rename, a deletion and a creation", async () => {
    const file = join(project, "toolyard.json")
    write(file, "a")
    start()
    write(file, "a", "b")
    expect(await next()).toEqual(["a", "b"])
    write(join(project, "temporary"), "c")
    renameSync(join(project, "temporary"), file)
    expect(await next()).toEqual(["c"])
    rmSync(file)
    expect(await next()).toEqual([])
    write(file, "d")
    expect(await next()).toEqual(["d"])
    expect(loads.total).toBe(4)
  })

  it("sees a file that appears in folders which were not there", async () => {
    start()
    const user = join(home, ".config", "toolyard", "toolyard.json")
    mkdirSync(dirname(user), { recursive: true })
    write(user, "user")
    expect(await next()).toEqual(["user"])
    write(user, "user", "more")
    expect(await next()).toEqual(["user", "more"])
  })

  it("sees the project's folder deleted and made anew", async () => {
    write(join(project, "toolyard.json"), "a")
    start()
    rmSync(project, { recursive: true })
    expect(await next()).toEqual([])
    mkdirSync(project)
    write(join(project, "toolyard.json"), "b")
    expect(await next()).toEqual(["b"])
    rmSync(project, { recursive: true })
    mkdirSync(project)
    write(join(project, "toolyard.json"), "at once")
    expect(await next()).toEqual(["at once"])
    write(join(project, "toolyard.json"), "c")
    expect(await next()).toEqual(["c"])
  })

  it("sees an edit of the file that a link leads to", async () => {
    const target = join(home, "dotfiles", "yard.json")
    mkdirSync(dirname(target))
    write(target, "a")
    symlinkSync(target, join(project, "toolyard.json"))
    start()
    write(target, "b")
    expect(await next()).toEqual(["b"])
  })

  it("makes one load of many edits, and none of what else happens in the folder", async () => {
    const file = join(project, "toolyard.json")
    write(file, "a")
    start()
    writeFileSync(join(project, "noise"), "x")
    for (let index = 0; index < 50; index++) write(file, `a${index}`)
    expect(await next()).toEqual(["a49"])
    for (const noise of ["x", "y", "z"]) {
      const looked = Promise.withResolvers<void>()
      onLook = looked.resolve
      writeFileSync(join(project, "noise"), noise)
      await looked.promise
    }
    write(file, "end")
    expect(await next()).toEqual(["end"])
    expect(loads.total).toBe(2)
  })

  it("waits until a file that is being written comes to rest", async () => {
    const file = join(project, "toolyard.json")
    start()
    const names: string[] = []
    onLook = () => {
      if (names.length < 8) write(file, ...names, names[names.push(`n${names.length}`) - 1]!)
    }
    write(file)
    expect(await next()).toEqual(["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"])
    expect(loads.total).toBe(1)
  })

  it("never loads twice at once, and loads again for an edit made meanwhile", async () => {
    const file = join(project, "toolyard.json")
    start()
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    write(file, "first")
    await expect.poll(() => loads.now).toBe(1)
    // Another who watches the same file tells when the second edit has been seen.
    const seen = Promise.withResolvers<void>()
    const other = watchConfig(
      () => loadConfig({ file }),
      () => [file],
      () => seen.resolve(),
    )
    write(file, "second", "edit")
    await seen.promise
    other.close()
    expect(loads.total).toBe(1)
    resolve()
    expect(await next()).toEqual(["first"])
    expect(await next()).toEqual(["second", "edit"])
    expect(loads.most).toBe(1)
  })

  it("is silent once closed, even with a load under way, and leaves no watch open", async () => {
    const open = (): number => process.getActiveResourcesInfo().filter(kind => kind === "FSEventWrap").length
    const before = open()
    start()
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    write(join(project, "toolyard.json"), "a")
    await expect.poll(() => loads.now).toBe(1)
    let told = false
    void next().then(() => {
      told = true
    })
    stop()
    resolve()
    await expect.poll(() => loads.now).toBe(0)
    await new Promise(setImmediate)
    expect(told).toBe(false)
    expect(open()).toBe(before)
  })
})

it("diffServers tells added, removed, changed and same apart", async () => {
  stop = () => {}
  const load = async (mcpServers: unknown) => {
    writeFileSync(join(project, "toolyard.json"), JSON.stringify({ mcpServers }))
    return (await loadConfig({ cwd: project, home, env: {} })).servers
  }
  const before = await load({ same: { command: "x", args: [] }, edited: { command: "x" }, gone: { command: "x" } })
  const after = await load({ fresh: { command: "x" }, edited: { command: "y" }, same: { args: [], command: "x" } })
  const names = Object.entries(diffServers(before, after)).map(([kind, servers]) => [
    kind,
    ...servers.map((s: { name: string }) => s.name),
  ])
  expect(names).toEqual([
    ["added", "fresh"],
    ["removed", "gone"],
    ["changed", "edited"],
    ["same", "same"],
  ])
})
