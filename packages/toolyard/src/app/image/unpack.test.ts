import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { readImage } from "./read.ts"
import { imagesFolder, unpackImage } from "./unpack.ts"
import { openProject, type Project } from "./yard.fixture.ts"

let project: Project
beforeEach(() => {
  project = openProject({
    "toolyard.json": { mcpServers: { n: { type: "static", resources: { "file://docs/{+path}": {} } } } },
    "docs/a.md": "a",
    "docs/deep/b.md": "b",
  })
  project.write("docs/run.sh", "#!/bin/sh\n", 0o755)
})
afterEach(() => project.close())

const modeOf = (file: string): number => statSync(file).mode & 0o777

async function unpack(): Promise<{ root: string; config: string }> {
  const image = await readImage(project.image)
  try {
    return await unpackImage(image, join(project.base, "cache", "images"))
  } finally {
    await image.close()
  }
}

describe("unpacking", () => {
  it("puts every file back, for nobody else and not to be edited", async () => {
    const { id } = await project.build()
    const { root, config } = await unpack()
    expect(root.endsWith(id)).toBe(true)
    expect(readFileSync(config, "utf8")).toBe(readFileSync(join(project.root, "toolyard.json"), "utf8"))
    expect(readFileSync(join(root, "docs/deep/b.md"), "utf8")).toBe("b")
    expect([root, join(root, "docs/a.md"), join(root, "docs/run.sh")].map(modeOf)).toEqual([0o700, 0o444, 0o555])
  })

  it("leaves what is right alone, mends what is not, and removes what does not belong", async () => {
    await project.build()
    const { root } = await unpack()
    const at = (path: string): string => join(root, path)
    const untouched = lstatSync(at("docs/deep/b.md"))
    chmodSync(at("docs/a.md"), 0o644)
    writeFileSync(at("docs/a.md"), "x")
    chmodSync(at("docs/run.sh"), 0o777)
    rmSync(at("toolyard.json"))
    symlinkSync(join(project.root, "toolyard.json"), at("toolyard.json"))
    mkdirSync(at("servers"))
    writeFileSync(at("servers/evil.ts"), "export const evil = () => 1")
    symlinkSync("/", at("docs/link"))
    mkdirSync(at(".toolyard"))
    writeFileSync(at(".toolyard/kept"), "kept")

    await unpack()
    expect(readFileSync(at("docs/a.md"), "utf8")).toBe("a")
    expect([at("docs/a.md"), at("docs/run.sh")].map(modeOf)).toEqual([0o444, 0o555])
    expect(lstatSync(at("toolyard.json")).isFile()).toBe(true)
    expect(existsSync(at("servers/evil.ts"))).toBe(false)
    expect(existsSync(at("docs/link"))).toBe(false)
    expect(readFileSync(at(".toolyard/kept"), "utf8")).toBe("kept")
    expect(lstatSync(at("docs/deep/b.md")).ino).toBe(untouched.ino)
  })

  it("does not write into what a folder was replaced with", async () => {
    await project.build()
    const { root } = await unpack()
    const elsewhere = join(project.base, "elsewhere")
    mkdirSync(elsewhere)
    rmSync(join(root, "docs"), { recursive: true })
    symlinkSync(elsewhere, join(root, "docs"))
    await unpack()
    expect(lstatSync(join(root, "docs")).isDirectory()).toBe(true)
    expect(existsSync(join(elsewhere, "a.md"))).toBe(false)
  })

  it("refuses a folder that others can write to", async () => {
    await project.build()
    const { root } = await unpack()
    chmodSync(root, 0o777)
    await expect(unpack()).rejects.toMatchObject({ code: "storage", message: expect.stringContaining("only you") })
  })

  it("goes well when several do it at once", async () => {
    await project.build()
    const roots = await Promise.all(Array.from({ length: 8 }, unpack))
    expect(new Set(roots.map(({ root }) => root)).size).toBe(1)
    expect(readFileSync(join(roots[0]!.root, "docs/a.md"), "utf8")).toBe("a")
  })

  it("keeps images among the user's caches", () => {
    expect(imagesFolder({ XDG_CACHE_HOME: "/caches" })).toBe("/caches/toolyard/images")
    expect(imagesFolder({ XDG_CACHE_HOME: "relative" })).not.toContain("relative")
  })
})
