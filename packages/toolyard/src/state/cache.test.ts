import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openCache } from "./cache.ts"

let dir: string
let problems: string[]
const open = () => openCache(dir, problem => problems.push(problem))
const files = async () => (await readdir(join(dir, "cache"))).filter(name => name.endsWith(".json"))

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "toolyard-cache-"))
  problems = []
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe("the sources' cache", () => {
  it("gives a value back at once, and after a restart", async () => {
    const cache = open()
    cache.set("offer:a", { tools: [{ name: "x" }] })
    expect(cache.get("offer:a")).toEqual({ tools: [{ name: "x" }] })
    expect(cache.get("offer:b")).toBeUndefined()
    await cache.close()
    expect(cache.get("offer:a")).toEqual({ tools: [{ name: "x" }] })
    expect(open().get("offer:a")).toEqual({ tools: [{ name: "x" }] })
    expect(problems).toEqual([])
  })

  it("ends with the last of many values, in one file per key for the owner only", async () => {
    const cache = open()
    for (let n = 0; n <= 50; n++) {
      cache.set("a", { n })
      if (n % 10 === 0) await new Promise(resolve => setImmediate(resolve))
    }
    cache.set("b", { n: -1 })
    await cache.flush()
    expect(open().get("a")).toEqual({ n: 50 })
    expect(open().get("b")).toEqual({ n: -1 })
    const names = await files()
    expect(names.length).toBe(2)
    expect((await stat(join(dir, "cache", names[0]!))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(dir, "cache", "tmp"))).toEqual([])
  })

  it("takes any key and any JSON value", async () => {
    const keys = ["", "../../x", "a/b", "\u0000", "\ud800", "\ufffd", "__proto__", "k".repeat(10_000)]
    const value = JSON.parse('{"__proto__":{"x":1},"s":"\\ud800"}')
    const cache = open()
    for (const [n, key] of keys.entries()) cache.set(key, { n, value })
    await cache.close()
    const later = open()
    for (const [n, key] of keys.entries()) {
      expect(JSON.stringify(later.get(key))).toBe(JSON.stringify({ n, value }))
    }
    expect((await files()).length).toBe(keys.length)
  })

  it("drops and reports a file it can't read, whatever stands there", async () => {
    const cache = open()
    cache.set("a", { n: 1 })
    await cache.close()
    const [name] = await files()
    const path = join(dir, "cache", name!)
    const damages = [
      () => writeFile(path, '{"key":"a","value":{"n"'),
      () => writeFile(path, ""),
      () => writeFile(path, '{"key":"b","value":{}}'),
      () => writeFile(path, '{"key":"a","value":[]}'),
      () => writeFile(path, "null"),
      () => mkdir(path),
    ]
    for (const [n, damage] of damages.entries()) {
      await damage()
      expect(open().get("a")).toBeUndefined()
      expect(problems.length).toBe(n + 1)
      expect(await files()).toEqual([])
    }
  })

  it("reports, and never throws, when a value or the disk won't do", async () => {
    const cache = open()
    const circle: Record<string, unknown> = {}
    circle.self = circle
    cache.set("circle", circle)
    expect(cache.get("circle")).toBeUndefined()
    expect(problems.length).toBe(1)

    await rm(join(dir, "cache"), { recursive: true })
    await writeFile(join(dir, "cache"), "a file in its place")
    cache.set("a", { n: 1 })
    await cache.flush()
    expect(problems.length).toBe(2)
    expect(cache.get("a")).toEqual({ n: 1 })
    await cache.close()

    const blocked = open()
    expect(problems.length).toBe(3)
    blocked.set("a", { n: 2 })
    expect(blocked.get("a")).toEqual({ n: 2 })
    await blocked.close()
  })

  it("lives in memory without a folder", async () => {
    const cache = openCache(undefined, problem => problems.push(problem))
    cache.set("a", { n: 1 })
    await cache.flush()
    expect(cache.get("a")).toEqual({ n: 1 })
    await cache.close()
    cache.set("b", { n: 2 })
    expect(cache.get("b")).toBeUndefined()
  })
})
