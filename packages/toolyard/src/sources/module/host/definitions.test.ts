import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { describeOnce } from "./definitions.ts"
import { writeFiles } from "./host-case.ts"

function project(): { folder: string; file: string; cache: string } {
  const folder = writeFiles({
    "m.ts":
      'import type { Shape } from "./types.ts"\nexport function area(shape: Shape): number { return shape.width }',
    "types.ts": "export interface Shape { width: number }",
  })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, file: join(folder, "m.ts"), cache: join(folder, "cache") }
}
const kept = (cache: string): string[] => readdirSync(cache).map(name => join(cache, name))

/** Puts something into what is kept that the compiler would not say. */
function mark(cache: string): void {
  for (const path of kept(cache)) writeFileSync(path, readFileSync(path, "utf8").replaceAll('"area"', '"kept"'))
}
const namesOf = async (file: string, cache: string | undefined): Promise<string[]> => {
  return (await describeOnce(file, cache)).functions.map(({ definition }) => definition.name)
}

describe("what a module's types say", () => {
  it("is kept, and used while nothing has changed, wherever the project stands", async () => {
    const { folder, file, cache } = project()
    const first = await describeOnce(file, cache)
    expect(first.files.toSorted()).toEqual([file, join(folder, "types.ts")])
    expect(await describeOnce(file, cache)).toEqual(first)
    mark(cache)
    expect(await namesOf(file, cache)).toEqual(["kept"])
    const moved = `${folder}-moved`
    renameSync(folder, moved)
    onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
    const elsewhere = await describeOnce(join(moved, "m.ts"), join(moved, "cache"))
    expect(elsewhere.functions[0]?.definition.name).toBe("kept")
    expect(elsewhere.files.toSorted()).toEqual([join(moved, "m.ts"), join(moved, "types.ts")])
  })

  it.each([
    ["m.ts", "export function area(): number { return 1 }"],
    ["types.ts", "export interface Shape { width: string }"],
    ["tsconfig.json", '{ "compilerOptions": { "strict": false } }'],
    ["node_modules/.package-lock.json", "{}"],
  ])("is found out anew when %s changes", async (name, text) => {
    const { folder, file, cache } = project()
    mkdirSync(join(folder, "node_modules"))
    await describeOnce(file, cache)
    mark(cache)
    expect(await namesOf(file, cache)).toEqual(["kept"])
    writeFileSync(join(folder, name), text)
    expect(await namesOf(file, cache)).toEqual(["area"])
  })

  it("is found out anew, and kept whole, when what was kept is spoilt", async () => {
    const { file, cache } = project()
    const first = await describeOnce(file, cache)
    const [path = ""] = kept(cache)
    const text = readFileSync(path, "utf8")
    for (const spoilt of [
      "",
      text.slice(0, 100),
      "null",
      "{}",
      '{"files":[]}',
      '{"files":[],"around":"","description":{}}',
    ]) {
      writeFileSync(path, spoilt)
      expect(await describeOnce(file, cache)).toEqual(first)
      expect(readFileSync(path, "utf8")).toBe(text)
      expect(kept(cache)).toEqual([path])
    }
  })

  it("is found out without a folder, or with one that can't be written", async () => {
    const { file } = project()
    expect(await namesOf(file, undefined)).toEqual(["area"])
    expect(await namesOf(file, file)).toEqual(["area"])
  })
})
