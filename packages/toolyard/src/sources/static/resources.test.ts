import { readdirSync, readFileSync } from "node:fs"
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../../../../../tests/fixtures/until.ts"
import type { JsonObject } from "../../model/json.ts"
import { cidFor, newCall, type Project, startProject } from "./static.fixture.ts"

let project: Project
beforeAll(async () => {
  project = await startProject()
  await mkdir(join(project.root, "docs/deep"), { recursive: true })
  await mkdir(join(project.root, "docs/.git"))
  await mkdir(join(project.root, "b c"))
  await writeFile(join(project.root, "b c/.env"), "SECRET")
  await writeFile(join(project.root, "docs/a.md"), "# A")
  await writeFile(join(project.root, "docs/b c.md"), "# B")
  await writeFile(join(project.root, "docs/deep/d.json"), "{}")
  await writeFile(join(project.root, "docs/.git/config"), "SECRET")
  await writeFile(join(project.root, ".env"), "SECRET")
  await writeFile(join(project.root, "picture.png"), Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1"))
  await symlink("/etc", join(project.root, "docs/etc"))
})
afterAll(() => project.end())

const read = async (resources: object, uri: string): Promise<JsonObject> => {
  const { contents } = await (await project.open({ resources })).read(uri, newCall())
  expect(contents).toHaveLength(1)
  return (contents as JsonObject[])[0] as JsonObject
}

describe("resources written in the configuration", () => {
  it("V7 are listed as they are written, with their size where their content is written too", async () => {
    const source = await project.open({
      resources: {
        "variable://motto": "ünï",
        "variable://limits": { title: "Limits", json: { max: 3 }, annotations: { priority: 1 } },
        "variable://bytes": { blob: "AAEC", mimeType: "image/x-icon", name: "Icon" },
        "file://docs/a.md": { description: "A page" },
        "file://docs/{+path}": { name: "Pages" },
        "server://other/echo?a=1": {},
      },
    })
    expect(source.list()?.resources).toEqual([
      { name: "motto", uri: "variable://motto", mimeType: "text/plain", size: 5 },
      {
        name: "limits",
        title: "Limits",
        annotations: { priority: 1 },
        uri: "variable://limits",
        mimeType: "application/json",
        size: 9,
      },
      { name: "Icon", uri: "variable://bytes", mimeType: "image/x-icon", size: 3 },
      { name: "a.md", description: "A page", uri: "file://docs/a.md" },
      { name: "echo", uri: "server://other/echo?a=1" },
    ])
    expect(source.list()?.templates).toEqual([{ name: "Pages", uriTemplate: "file://docs/{+path}" }])
    expect(source.list()?.capabilities).toEqual({ resources: { subscribe: true }, completions: {} })
  })

  it("V7 give texts, JSON and bytes that are written there", async () => {
    const resources = { "variable://t": "{{plain}}", "variable://j": { json: [1] }, "note://b": { blob: "AAEC" } }
    expect(await read(resources, "variable://t")).toEqual({
      uri: "variable://t",
      mimeType: "text/plain",
      text: "{{plain}}",
    })
    expect(await read(resources, "variable://j")).toMatchObject({ mimeType: "application/json", text: "[1]" })
    expect(await read(resources, "note://b")).toEqual({
      uri: "note://b",
      mimeType: "application/octet-stream",
      blob: "AAEC",
    })
  })

  it("V7 give the content under a content id", async () => {
    const cid = cidFor("content")
    project.blobs.push({ cid, bytes: Buffer.from("content"), mediaType: "text/markdown" })
    const uri = `cid://${cid}`
    expect(await read({ [uri]: {} }, uri)).toEqual({ uri, mimeType: "text/markdown", text: "content" })
    const gone = `cid://${cidFor("gone")}`
    await expect(read({ [gone]: {} }, gone)).rejects.toMatchObject({ code: "unknown_resource" })
  })

  it.each([
    [
      "server://other/echo?a=1&b=two&c=true&d=007&e=1.50&f=%5B1%5D&g=x&g=2",
      '{"a":1,"b":"two","c":true,"d":"007","e":"1.50","f":[1],"g":["x",2]}',
    ],
    ["server://other/echo?args=%7B%22a%22%3A%7B%22b%22%3A1%7D%7D&c=%22123%22", '{"a":{"b":1},"c":"123"}'],
    ["server://other/echo", "{}"],
  ])("V7 give the live result of a call: %s", async (uri, text) => {
    expect(await read({ [uri]: {} }, uri)).toEqual({ uri, mimeType: "text/plain", text })
  })

  it("V7 give structured results as JSON, values as their text, pictures as bytes, and fail as the tool fails", async () => {
    const of = (tool: string): Promise<JsonObject> => read({ [`server://other/${tool}`]: {} }, `server://other/${tool}`)
    expect(await of("structured?a=1")).toMatchObject({ mimeType: "application/json", text: '{"a":1}' })
    expect(await of("wrapped")).toMatchObject({ text: "7" })
    expect(await of("picture")).toMatchObject({ mimeType: "image/png", blob: "aGk=" })
    await expect(of("fail")).rejects.toMatchObject({
      code: "upstream_error",
      message: "other.fail failed: it went wrong",
    })
    await expect(of("nothing")).rejects.toMatchObject({ code: "unknown_tool" })
  })

  it("V7 give files of the project: text as text, bytes as base64", async () => {
    expect(await read({ "file://./docs/a.md": {} }, "file://./docs/a.md")).toEqual({
      uri: "file://./docs/a.md",
      mimeType: "text/markdown",
      text: "# A",
    })
    expect(await read({ "file://picture.png": {} }, "file://picture.png")).toMatchObject({
      mimeType: "image/png",
      blob: expect.stringMatching(/^iVBOR/),
    })
    expect(await read({ "file://.env": {} }, "file://.env")).toMatchObject({ text: "SECRET" })
    expect(await read({ "file://docs/a.md": "written" }, "file://docs/a.md")).toMatchObject({ text: "written" })
  })

  it("V7 are read through templates, confined in the same way, and hidden files only where they are written out", async () => {
    const resources = {
      "file://docs/{+path}": {},
      "variable://hi/{name}": "Hi {{name}}",
      "server://other/echo{?a}": {},
    }
    expect(await read(resources, "file://docs/deep/d.json")).toMatchObject({ mimeType: "application/json", text: "{}" })
    expect(await read(resources, "file://docs/b%20c.md")).toMatchObject({ text: "# B" })
    expect(await read(resources, "variable://hi/J%C3%B6")).toMatchObject({ text: "Hi Jö" })
    expect(await read(resources, "server://other/echo?a=2")).toMatchObject({ text: '{"a":2}' })
    for (const path of [
      "../.env",
      "%2e%2e/.env",
      "etc/passwd",
      ".git/config",
      "%2egit/config",
      "deep%2f..%2f.git/config",
      "nowhere",
    ]) {
      await expect(read(resources, `file://docs/${path}`)).rejects.toMatchObject({ code: "unknown_resource" })
    }
    for (const uri of ["file://b c/%2eenv", "file://b c%2f.env", "file://b%20c/.env"]) {
      await expect(read({ "file://{+path}": {} }, uri)).rejects.toMatchObject({ code: "unknown_resource" })
    }
    await expect(read({ "file://{a}{b}": {} }, "file://.env")).rejects.toMatchObject({ code: "unknown_resource" })
    await expect(read({ "file://{+p}": {} }, "file:///etc/passwd")).rejects.toMatchObject({ code: "unknown_resource" })
    expect(await read({ "file://docs/.git/{name}": {} }, "file://docs/.git/config")).toMatchObject({ text: "SECRET" })
    await expect(read(resources, "server://other/echo?b=2")).rejects.toMatchObject({ code: "unknown_resource" })
  })

  it("V7 are not found under any other URI", async () => {
    const resources = { "variable://a": "a", "variable://{name}": {} }
    for (const uri of ["variable://b", "variable://A", "file://docs/a.md", "", "__proto__"]) {
      await expect(read(resources, uri)).rejects.toMatchObject({ code: "unknown_resource" })
    }
  })
})

/** How many folders the system watches for this process. */
function watchesOfThisProcess(): number {
  const infos = readdirSync("/proc/self/fd").flatMap(fd => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`, "utf8").split("\n")
    } catch {
      // The listing's own descriptor is closed by now.
      return []
    }
  })
  return infos.filter(line => line.startsWith("inotify wd:")).length
}

describe("subscriptions", () => {
  it("tell when a file is edited, replaced, deleted and made again, until they end", async () => {
    const source = await project.open({ resources: { "file://live/{name}": {} } })
    const heard: string[] = []
    source.on("updated", uri => heard.push(uri))
    const next = async (what: string, change: () => Promise<void>): Promise<void> => {
      const before = heard.length
      await change()
      await until(() => heard.length > before, what)
    }
    const file = join(project.root, "live/x.txt")
    const uri = "file://live/x.txt"
    await source.subscribe(uri)
    await source.subscribe(uri)
    await next("the file to be made in a folder that was not there", async () => {
      await mkdir(join(project.root, "live"))
      await writeFile(file, "1")
    })
    await next("the edit", () => writeFile(file, "22"))
    await next("the replacement", async () => {
      await writeFile(`${file}.new`, "333")
      await rename(`${file}.new`, file)
    })
    await next("the deletion", () => rm(file))
    await next("the file to be made again", () => writeFile(file, "4"))
    expect(new Set(heard)).toEqual(new Set([uri]))

    // Another watch hears of the next edit; the one that ended does not.
    const other = await project.open({ resources: { [uri]: {} } })
    const others: string[] = []
    other.on("updated", changed => others.push(changed))
    await other.subscribe(uri)
    await source.unsubscribe(uri)
    const before = heard.length
    await writeFile(file, "55555")
    await until(() => others.length > 0, "the other to hear of it")
    expect(heard.length).toBe(before)
  })

  it.skipIf(process.platform !== "linux")("leave no watch behind when they end or the source is closed", async () => {
    const source = await project.open({ resources: { "file://docs/{+path}": {} } })
    const before = watchesOfThisProcess()
    await source.subscribe("file://docs/a.md")
    await source.subscribe("file://docs/deep/d.json")
    expect(watchesOfThisProcess()).toBe(before + 2)
    await source.unsubscribe("file://docs/a.md")
    expect(watchesOfThisProcess()).toBe(before + 1)
    await source.close()
    expect(watchesOfThisProcess()).toBe(before)
    await expect(source.subscribe("file://docs/a.md")).rejects.toMatchObject({ code: "server_down" })
  })

  it("are taken for what never changes, and refused for what there is not", async () => {
    const source = await project.open({ resources: { "variable://a": "a", "file://docs/{+path}": {} } })
    await source.subscribe("variable://a")
    await source.unsubscribe("variable://a")
    for (const uri of ["variable://b", "file://docs/.git/config", "file://docs/../.env", "file://docs/etc/passwd"]) {
      await expect(source.subscribe(uri)).rejects.toMatchObject({ code: "unknown_resource" })
    }
  })
})
