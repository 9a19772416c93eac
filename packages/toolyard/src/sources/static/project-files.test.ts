import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listProjectFiles, readProjectFile } from "./project-files.ts"

let folder: string
let root: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolyard-files-")))
  root = join(folder, "project")
  await mkdir(join(root, "docs/deep"), { recursive: true })
  await mkdir(join(root, ".toolyard"))
  await mkdir(join(folder, "outside"))
  await writeFile(join(folder, "outside/secret.txt"), "SECRET")
  await writeFile(join(folder, "project-not.txt"), "SECRET")
  await writeFile(join(root, ".toolyard/hub.json"), "SECRET")
  await writeFile(join(root, "docs/a b.md"), "# A")
  await writeFile(join(root, "docs/..odd.txt"), "odd")
  await writeFile(join(root, "docs/deep/%2e.txt"), "percent")
  await writeFile(join(root, ".env"), "own")
  await symlink("a b.md", join(root, "docs/link.md"))
  await symlink(join(folder, "outside"), join(root, "docs/out"))
  await symlink("../outside/secret.txt", join(root, "secret-link"))
  await symlink(".toolyard", join(root, "private-link"))
  await symlink("loop", join(root, "loop"))
  await symlink("project", join(folder, "project-link"))
  await writeFile(join(root, "big.bin"), "")
  await truncate(join(root, "big.bin"), 10 * 1024 * 1024 + 1)
})
afterAll(() => rm(folder, { recursive: true }))

const read = async (uri: string): Promise<string> => (await readProjectFile(uri, root)).toString()

describe("file:// within the project", () => {
  it("V7 reads its files, by relative and absolute paths, over links that stay inside", async () => {
    expect(await read("file://docs/a%20b.md")).toBe("# A")
    expect(await read("file://./docs/a%20b.md")).toBe("# A")
    expect(await read(`file://${root}/docs/a%20b.md`)).toBe("# A")
    expect(await read("file://docs/link.md")).toBe("# A")
    expect(await read("file://docs/..odd.txt")).toBe("odd")
    expect(await read("file://docs/deep/%252e.txt")).toBe("percent")
    expect((await readProjectFile("file://docs/a%20b.md", join(folder, "project-link"))).toString()).toBe("# A")
  })

  it.each([
    "file://../outside/secret.txt",
    "file://docs/../../outside/secret.txt",
    "file://docs/../docs/link.md",
    "file://%2e%2e/outside/secret.txt",
    "file://docs/%2E%2E/%2e%2e/outside/secret.txt",
    "file://docs%2f..%2f..%2foutside%2fsecret.txt",
    "file://docs\\..\\..\\outside\\secret.txt",
    "file://docs%5c..%5c..%5coutside%5csecret.txt",
    "file://docs/out/secret.txt",
    "file://secret-link",
    "file://.toolyard/hub.json",
    "file://./.toolyard/hub.json",
    "file://%2etoolyard/hub.json",
    "file://.TOOLYARD/hub.json",
    "file://private-link/hub.json",
    "file:///etc/passwd",
    "file:////etc/passwd",
    "file://localhost/etc/passwd",
    "file://a%00b",
    "file://docs/a%20b.md%00.png",
    "file://%zz",
    "file://",
    "file:///",
    "file://.",
    "file://docs",
    "file://docs/",
    "file://docs/deep",
    "file://loop",
    "file://docs/a%20b.md/x",
    "file://docs/a%20b.md?x=1",
    "file://docs/a%20b.md#x",
    "file:docs/a%20b.md",
    "http://docs/a%20b.md",
  ])("has nothing under %s", async uri => {
    await expect(read(uri)).rejects.toMatchObject({ code: "unknown_resource" })
  })

  it("has nothing beside the project in a folder whose name begins the same", async () => {
    await expect(read(`file://${folder}/project-not.txt`)).rejects.toMatchObject({ code: "unknown_resource" })
    await expect(read(`file://${root}/../outside/secret.txt`)).rejects.toMatchObject({ code: "unknown_resource" })
    await expect(read(`file://${root}`)).rejects.toMatchObject({ code: "unknown_resource" })
  })

  it("V7 has a size limit, and says so", async () => {
    await expect(read("file://big.bin")).rejects.toMatchObject({
      code: "payload_too_large",
      message: expect.stringContaining("the limit is 10 MB"),
    })
  })

  it.skipIf(process.platform === "win32")("does not wait for a pipe", async () => {
    execFileSync("mkfifo", [join(root, "pipe")])
    await expect(read("file://pipe")).rejects.toMatchObject({
      code: "unknown_resource",
      message: expect.stringContaining("is not a file"),
    })
    await rm(join(root, "pipe"))
  })

  it("never gives what is outside, however the path is put together", async () => {
    const piece = fc.constantFrom(
      ...[
        "..",
        ".",
        "",
        "/",
        "%2e",
        "%2E%2e",
        "%2f",
        "\\",
        "%5c",
        "docs",
        "out",
        "outside",
        "secret.txt",
        "secret-link",
      ],
      ...[".toolyard", "hub.json", "private-link", "project", "%00", "etc/passwd", folder, root, "//"],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.constantFrom("", "/"), async (pieces, between) => {
        const got = await read(`file://${pieces.join(between)}`).catch((error: { code: string }) => error.code)
        expect(["unknown_resource", "payload_too_large", "# A", "odd", "own"]).toContain(got)
      }),
      { numRuns: 1000 },
    )
  })

  it("lists its files, but no hidden ones, and nothing through links", async () => {
    expect(await listProjectFiles(root, "")).toEqual(["big.bin", "docs/a b.md", "docs/deep/%2e.txt"])
    expect(await listProjectFiles(root, "docs/out")).toEqual([])
    expect(await listProjectFiles(root, "../outside")).toEqual([])
    expect(await listProjectFiles(root, "nowhere")).toEqual([])
  })
})
