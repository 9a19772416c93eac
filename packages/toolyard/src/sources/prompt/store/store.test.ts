import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { DocumentPage } from "../model.ts"
import { ITEM_PAGE, SLUG } from "../prompt.fixture.ts"
import type { Generated } from "./generated.ts"
import { folderOf, isMadeFrom, isSameReading, readStored, type Stored, store } from "./store.ts"

let base: string
let folder: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "toolyard-store-"))
  folder = folderOf(base, "shelf")
})
afterEach(() => rm(base, { recursive: true, force: true }))

const made = (code: string): Generated => ({
  plan: { description: "A shelf", tools: [SLUG] },
  handlers: new Map([["slug", code]]),
  whitelist: { prompt: ["shelf.example"], pages: [] },
  report: { tools: [{ name: "slug", verdict: "verified", repairs: 0, cases: [], findings: [] }], warnings: [] },
  examples: { slug: [] },
})
const said: string[] = []
const keep = (code: string, more: { overwrite?: boolean; pages?: DocumentPage[] } = {}): Promise<Stored> =>
  store(folder, made(code), {
    prompt: "A shelf",
    model: "test/one",
    pages: [ITEM_PAGE],
    problem: text => said.push(text),
    ...more,
  })
const find = (): Promise<Stored | undefined> => readStored(folder, text => said.push(text))
const file = (name: string): Promise<string> => readFile(join(folder, name), "utf8")

describe("a generated server on the disk", () => {
  it("B15 is plain files that can be read and compared, and comes back as it was", async () => {
    const stored = await keep("export default async () => 1\n")
    expect((await readdir(folder)).toSorted()).toEqual([
      "examples.json",
      "handlers",
      "manifest.json",
      "plan.json",
      "report.json",
      "whitelist.json",
    ])
    expect(await file("handlers/slug.ts")).toBe("export default async () => 1\n")
    expect(await find()).toEqual(stored)
    expect((await find())?.generated).toEqual(made("export default async () => 1\n"))
    expect(await readdir(base)).toEqual([".drafts", "shelf"])
  })

  it("B12 is known by prompt, model and what was read; a page that can't be read now does not count", async () => {
    const { manifest } = await keep("1")
    expect(isMadeFrom(manifest, { prompt: "A shelf", model: "test/one" })).toBe(true)
    expect(isMadeFrom(manifest, { prompt: "A shelf" })).toBe(true)
    expect(isMadeFrom(manifest, { prompt: "A shelf", model: "test/two" })).toBe(false)
    expect(isMadeFrom(manifest, { prompt: "Another", model: "test/one" })).toBe(false)
    expect(isSameReading(manifest, [ITEM_PAGE])).toBe(true)
    expect(isSameReading(manifest, [])).toBe(true)
    expect(isSameReading(manifest, [{ ...ITEM_PAGE, markdown: "changed" }])).toBe(false)
    expect(isSameReading(manifest, [ITEM_PAGE, { url: "https://new.example/", markdown: "" }])).toBe(false)
  })

  it("B15 keeps a file that was edited, says so, and puts what was generated beside it", async () => {
    await keep("1")
    await writeFile(join(folder, "handlers/slug.ts"), "mine")
    await writeFile(join(folder, "NOTES.md"), "my notes")
    expect((await find())?.edited).toEqual(["handlers/slug.ts"])
    said.length = 0
    const stored = await keep("2")
    expect(said).toEqual([expect.stringMatching(/slug\.ts was edited and is kept.*slug\.ts\.new/)])
    expect(stored.edited).toEqual(["handlers/slug.ts"])
    expect(stored.generated.handlers.get("slug")).toBe("mine")
    expect(await file("handlers/slug.ts")).toBe("mine")
    expect(await file("handlers/slug.ts.new")).toBe("2")
    expect(await file("NOTES.md")).toBe("my notes")
  })

  it("B15 replaces everything when that is asked for", async () => {
    await keep("1")
    await writeFile(join(folder, "handlers/slug.ts"), "mine")
    expect((await keep("2", { overwrite: true })).edited).toEqual([])
    expect(await file("handlers/slug.ts")).toBe("2")
  })

  it.each([
    ["manifest.json", "{"],
    ["manifest.json", '{"generator": 0}'],
    ["plan.json", "[]"],
    ["whitelist.json", "\0\0"],
    ["handlers/slug.ts", ""],
  ])("B12 is dropped and made again when %s is %j; what was there stays beside it", async (name, text) => {
    await keep("1")
    await writeFile(join(folder, name), text)
    said.length = 0
    expect(await find()).toBeUndefined()
    expect(said).toEqual([expect.stringContaining("cannot be used")])
    await keep("2")
    expect((await find())?.generated.handlers.get("slug")).toBe("2")
    expect(await readFile(join(base, ".shelf.corrupt", name), "utf8")).toBe(text)
  })

  it("is not there once its folder is deleted", async () => {
    await keep("1")
    await rm(folder, { recursive: true })
    expect(await find()).toBeUndefined()
  })

  it("is the old one when the process died between the two renames", async () => {
    await keep("1")
    await rename(folder, join(base, ".shelf.old"))
    await mkdir(join(base, ".drafts", "half"), { recursive: true })
    expect((await find())?.generated.handlers.get("slug")).toBe("1")
    expect(existsSync(join(base, ".shelf.old"))).toBe(false)
  })

  it("B12 is whole, old or new, however often its writer is killed", async () => {
    await keep("0")
    const worker = join(import.meta.dirname, "store.child.ts")
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, ["--no-warnings", worker, folder], { stdio: ["ignore", "pipe", "inherit"] })
      await lines(child, 3 + round * 2)
      child.kill("SIGKILL")
      await new Promise(resolve => child.once("exit", resolve))
      const stored = await find()
      expect(stored?.edited).toEqual([])
      expect(stored?.generated.handlers.get("slug")).toBe(`// ${stored?.generated.plan.description}\n`)
    }
  })

  it("stays within its folder, whatever the server is called", () => {
    for (const name of ["..", ".", "a b", ".hidden", "x..y", "日本"])
      expect(folderOf("/base", name)).toMatch(/^[\\/]base[\\/][A-Za-z0-9_-][A-Za-z0-9_.-]*$/)
  })
})

function lines(child: ChildProcess, count: number): Promise<void> {
  let seen = 0
  return new Promise(resolve => {
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString().split("\n").length - 1
      if (seen >= count) resolve()
    })
  })
}
