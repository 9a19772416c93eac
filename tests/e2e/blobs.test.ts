/** Content under its id from the shell: `blobs`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openPlace, type Place } from "./run-cli.ts"

const HELLO = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"

let place: Place
beforeEach(() => {
  place = openPlace()
  place.configure({})
})
afterEach(() => place.close())

describe("blobs", { timeout: 60_000 }, () => {
  it("V16 keep content under its id and give it back, byte for byte", async () => {
    const put = await place.cli(["blobs", "put", "-"], { input: "hello world" })
    expect(put).toEqual({ code: 0, stdout: `cid://${HELLO}\n`, stderr: "" })
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
    writeFileSync(join(place.folder, "data.bin"), bytes)
    const { cid } = JSON.parse((await place.cli(["blobs", "put", "data.bin", "--type", "x/y", "--json"])).stdout)
    const [text, bare, binary] = await Promise.all([
      place.cli(["blobs", "get", `cid://${HELLO}`]),
      place.cli(["blobs", "get", HELLO, "--json"]),
      place.cli(["blobs", "get", cid, "--json"]),
      place.cli(["blobs", "get", cid, "-o", "out.bin"]),
    ])
    expect(text).toEqual({ code: 0, stdout: "hello world", stderr: "" })
    expect(JSON.parse(bare.stdout)).toEqual({
      cid: HELLO,
      size: 11,
      mediaType: "text/plain; charset=utf-8",
      text: "hello world",
    })
    expect(JSON.parse(binary.stdout)).toEqual({ cid, size: 1000, mediaType: "x/y", base64: bytes.toString("base64") })
    expect(readFileSync(join(place.folder, "out.bin")).equals(bytes)).toBe(true)
  })

  it("are listed, newest first, and removed", async () => {
    await place.cli(["blobs", "put", "-"], { input: "first" })
    await place.cli(["blobs", "put", "-"], { input: "hello world" })
    const { blobs } = JSON.parse((await place.cli(["blobs", "list", "--json"])).stdout)
    expect(blobs).toMatchObject([{ cid: HELLO, size: 11, at: expect.any(String) }, { size: 5 }])
    expect((await place.cli(["blobs", "list", "--limit", "1"])).stdout).toMatch(
      new RegExp(`^cid://${HELLO}  11 bytes  .+\n$`),
    )
    expect((await place.cli(["blobs", "rm", HELLO])).stdout).toBe(`Removed cid://${HELLO}.\n`)
    const again = await place.cli(["blobs", "rm", HELLO, "--json"])
    expect(again.code).toBe(66)
    expect(JSON.parse(again.stderr).error.code).toBe("not_found")
    expect((await place.cli(["blobs", "get", HELLO])).code).toBe(66)
  })

  it("that are damaged are not given out", async () => {
    await place.cli(["blobs", "put", "-"], { input: "hello world" })
    const folder = join(place.folder, ".toolyard", "blobs", HELLO.slice(-3, -1))
    writeFileSync(join(folder, HELLO), "hello worle")
    const { code, stdout, stderr } = await place.cli(["blobs", "get", HELLO])
    expect({ code, stdout }).toEqual({ code: 74, stdout: "" })
    expect(stderr).toContain("no longer matched its name")
    expect(readdirSync(folder).some(name => name.includes(".damaged-"))).toBe(true)
  })

  it("leave no trace when they are only asked for", async () => {
    const listed = await place.cli(["blobs", "list"])
    expect(listed).toMatchObject({ code: 0, stdout: "" })
    expect((await place.cli(["blobs", "get", HELLO])).code).toBe(66)
    expect(place.has(".toolyard")).toBe(false)
  })

  it("say what is wrong with the command line", async () => {
    const wrong = [
      ["lis"],
      ["get"],
      ["get", "nonsense"],
      ["get", "cid://../../x"],
      ["put"],
      ["put", "absent.txt"],
      ["list", "x"],
    ]
    const ran = await Promise.all(wrong.map(args => place.cli(["blobs", ...args])))
    expect(ran.map(({ code }) => code)).toEqual(wrong.map(() => 64))
    expect(ran[0]!.stderr).toContain('did you mean "list"')
  })
})
