import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cidOf } from "../../state/cid.ts"
import { openState } from "../../state/open.ts"
import { fillState } from "./fill-state.ts"
import { type Manifest, parseManifest, toManifestText } from "./manifest.ts"
import { readImage } from "./read.ts"
import { openProject, type Project } from "./yard.fixture.ts"

const refused = expect.objectContaining({ code: "image_invalid" })

let project: Project
beforeEach(() => {
  project = openProject({
    "toolyard.json": { mcpServers: { notes: { type: "static", resources: { "file://docs/a.md": {} } } } },
    "docs/a.md": "# A\n",
  })
})
afterEach(() => project.close())

describe("an image", () => {
  it("V16 is the same bytes for the same yard, wherever and whenever it is built", async () => {
    const twin = openProject({
      "docs/a.md": "# A\n",
      "toolyard.json": readFileSync(join(project.root, "toolyard.json"), "utf8"),
    })
    const [one, two] = [await project.build(), await twin.build()]
    expect(one.id).toBe(two.id)
    expect(readFileSync(one.file).equals(readFileSync(two.file))).toBe(true)
    twin.write("docs/a.md", "# B\n")
    expect((await twin.build()).id).not.toBe(one.id)
    twin.close()
  })

  it("V16 is refused when any byte of it differs", async () => {
    const { file, id } = await project.build()
    const bytes = readFileSync(file)
    await readImage(bytes, { id })
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] as number) ^ change
        await expect(readImage(changed)).rejects.toEqual(refused)
      }),
      { numRuns: 500 },
    )
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      await expect(readImage(changed), `byte ${at}`).rejects.toEqual(refused)
    }
  })

  it("V16 is refused when it is cut off, goes on, or is in another order", async () => {
    project.write("docs/b.md", "# B, which is longer\n")
    project.write("toolyard.json", { mcpServers: { n: { type: "static", resources: { "file://docs/{x}": {} } } } })
    const bytes = readFileSync((await project.build()).file)
    for (let length = 0; length < bytes.length; length++)
      await expect(readImage(bytes.subarray(0, length)), `first ${length}`).rejects.toEqual(refused)
    for (const more of ["\0", "x", bytes])
      await expect(readImage(Buffer.concat([bytes, Buffer.from(more)]))).rejects.toEqual(refused)
    const at = bytes.indexOf("# A\n")
    const [a, rest] = [bytes.subarray(at, at + 4), bytes.subarray(at + 4)]
    await expect(readImage(Buffer.concat([bytes.subarray(0, at), rest, a]))).rejects.toEqual(refused)
  })

  it("names what differs", async () => {
    const { file } = await project.build()
    const bytes = readFileSync(file)
    bytes[bytes.indexOf("# A\n")] = 0x21
    await expect(readImage(bytes)).rejects.toThrow("docs/a.md is not what the image's manifest says")
    await expect(readImage(file, { id: await cidOf(bytes) })).rejects.toThrow("as was asked for")
    await expect(readImage(Buffer.from("PK\x03\x04"))).rejects.toThrow("not an image")
    await expect(readImage(Buffer.from("toolyard-image 2\n"))).rejects.toThrow("format 2")
  })

  it("is refused when its manifest is honest about its id but not fit to be unpacked", async () => {
    const { file } = await project.build()
    const { manifest } = await readImage(readFileSync(file))
    const [first] = manifest.files
    const forge = async (change: Partial<Manifest>, text = toManifestText({ ...manifest, ...change })) => {
      const body = readFileSync(file)
      const contents = body.subarray(body.indexOf("# A\n"))
      return Buffer.concat([
        Buffer.from(`toolyard-image 1\n${await cidOf(Buffer.from(text))} ${text.length}\n${text}`),
        contents,
      ])
    }
    await readImage(await forge({ createdBy: "someone" }))
    for (const path of ["../x", "/x", "a\\b", "a\0", ".toolyard/state.db", "TOOLYARD.json"])
      await expect(readImage(await forge({ files: [...manifest.files, { ...first!, path }] })), path).rejects.toEqual(
        refused,
      )
    await expect(readImage(await forge({ files: [...manifest.files, first!] }))).rejects.toEqual(refused)
    await expect(readImage(await forge({ files: [{ ...first!, size: 5 }, manifest.files[1]!] }))).rejects.toEqual(
      refused,
    )
    await expect(readImage(await forge({ config: "other.json" }))).rejects.toEqual(refused)
    const spaced = JSON.stringify(JSON.parse(toManifestText(manifest)), null, 1)
    await expect(readImage(await forge({}, spaced))).rejects.toEqual(refused)
    const reversed = JSON.stringify({ ...manifest, files: manifest.files.toReversed() })
    await expect(readImage(await forge({}, reversed))).rejects.toEqual(refused)
  })

  it("has a manifest that survives being written and read", () => {
    const manifest: Manifest = {
      version: 1,
      createdBy: "1",
      config: "a",
      needs: { variables: ["A"], programs: [], addresses: [] },
      files: [{ path: "a", cid: `bafkrei${"a".repeat(52)}`, size: 1, mode: "644" }],
      blobs: [],
      scripts: [],
    }
    expect(parseManifest(toManifestText(manifest))).toEqual(manifest)
    expect(() => parseManifest(toManifestText(manifest).replace('"version":1', '"version":2'))).toThrow("version")
  })

  it("carries the contents that the configuration names, and the saved scripts", async () => {
    const state = await openState(join(project.root, ".toolyard"), () => {})
    const { cid } = await state.blobs.put("kept", { mediaType: "text/x" })
    const absent = await cidOf(Buffer.from("never put"))
    const { openScripts } = await import("../../code/scripts/scripts.ts")
    await openScripts(state.store, () => {}).save({ name: "hello", code: "return 1", inputSchema: { type: "object" } })
    await state.close()
    project.write("toolyard.json", {
      mcpServers: { c: { type: "static", resources: { [`cid://${cid}`]: {}, [`cid://${absent}`]: {} } } },
    })
    const built = await project.build()
    expect(built).toMatchObject({ blobs: 1, scripts: 1 })
    expect(built.warnings).toEqual([`cid://${absent} is not among the blobs, and so not in the image`])
    const target = await openState(undefined, () => {})
    await fillState(await readImage(readFileSync(built.file)), target)
    expect(await target.blobs.get(cid)).toMatchObject({ mediaType: "text/x", size: 4 })
    expect(await openScripts(target.store, () => {}).get("hello")).toMatchObject({ code: "return 1", version: 1 })
    await target.close()
  })

  it("is there whole or not at all", async () => {
    const output = join(project.base, "no", "such", "folder", "x.image")
    await expect(project.build({ output })).rejects.toMatchObject({ code: "storage" })
    await project.build()
    const before = readdirSync(project.base)
    await project.build()
    expect(readdirSync(project.base)).toEqual(before)
    expect(existsSync(output)).toBe(false)
    expect(statSync(project.image).size).toBe((await readImage(readFileSync(project.image))).size)
  })

  it("holds at most 1 GB, and no larger one is read", async () => {
    const large = project.write("docs/a.md", "")
    truncateSync(large, 1024 ** 3 + 1)
    await expect(project.build()).rejects.toMatchObject({ code: "payload_too_large" })
    await expect(readImage(large)).rejects.toEqual(refused)
  })

  it("holds no earlier image of itself", async () => {
    project.write("toolyard.json", { mcpServers: { n: { type: "static", resources: { "file://{+path}": {} } } } })
    const output = join(project.root, "yard.image")
    const one = await project.build({ output })
    const two = await project.build({ output })
    expect(two.id).toBe(one.id)
    writeFileSync(join(project.root, "docs/new.md"), "new")
    expect((await project.build({ output })).files).toBe(one.files + 1)
  })
})
