import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { readImage } from "./read.ts"
import { unpackImage } from "./unpack.ts"
import { openProject, type Project } from "./yard.fixture.ts"

let project: Project
beforeEach(() => {
  project = openProject()
})
afterEach(() => project.close())

const configure = (mcpServers: Record<string, unknown>): string => project.write("toolyard.json", { mcpServers })

async function filesOf(options: { include?: string[] } = {}): Promise<string[]> {
  const { file } = await project.build(options)
  const { manifest, close } = await readImage(file)
  await close()
  return manifest.files.map(({ path }) => path)
}

/** Builds it, removes the project, and gives the folder where the image stands now. */
async function move(): Promise<string> {
  const { file } = await project.build()
  const image = await readImage(file)
  const { root } = await unpackImage(image, join(project.base, "elsewhere"))
  await image.close()
  rmSync(project.root, { recursive: true })
  return root
}

describe("what an image holds", () => {
  it("modules with every file that they import, types, data and settings included", async () => {
    configure({ math: { type: "module", file: "./src/math.ts" } })
    project.write("package.json", {
      name: "mine",
      type: "module",
      imports: { "#inner/*": { default: "./inner/*.ts" } },
      exports: { "./self": "./self.ts" },
    })
    project.write("tsconfig.json", "{}")
    project.write(
      "src/math.ts",
      `import type { T } from './types.ts'
       import './legacy.js'
       import '#inner/one'
       import 'mine/self'
       export * from './more.js'
       const lazy = () => import('./lazy')
       let other: import('./only-type.ts').X
       new URL('./data.txt', import.meta.url)
       readFileSync(join(import.meta.dirname, 'a b', 'c.txt'))
       readFileSync(join(import.meta.dirname, name))
       const above = [join(import.meta.dirname, '..'), join(import.meta.dirname, '../../..', 'x'), join(__dirname, 'all')]
       new URL('./%2F', import.meta.url)
       import 'node:fs'
       import path from 'path'`,
    )
    for (const name of [
      "types.ts",
      "more.ts",
      "lazy/index.ts",
      "only-type.ts",
      "data.txt",
      "a b/c.txt",
      "all/in/it",
      "legacy.d.ts",
      "unused.ts",
    ])
      project.write(`src/${name}`, "")
    project.write("src/legacy.js", 'require("./common.cjs"); require.resolve("./named.json")')
    project.write("src/common.cjs", "")
    project.write("src/named.json", "{}")
    project.write("inner/one.ts", "")
    project.write("self.ts", "")
    const built = await project.build()
    expect(built.warnings).toEqual([])
    expect(await filesOf()).toEqual([
      "inner/one.ts",
      "package.json",
      "self.ts",
      "src/a b/c.txt",
      "src/all/in/it",
      "src/common.cjs",
      "src/data.txt",
      "src/lazy/index.ts",
      "src/legacy.d.ts",
      "src/legacy.js",
      "src/math.ts",
      "src/more.ts",
      "src/named.json",
      "src/only-type.ts",
      "src/types.ts",
      "toolyard.json",
      "tsconfig.json",
    ])
  })

  it("files of the servers folder, transforms, specs, and scripts that commands name", async () => {
    configure({
      local: { command: "node", args: ["./bin/server.mjs", "--flag", "nothing.txt"] },
      shell: { type: "command", command: "./bin/tool.sh", args: ["{{x}}"] },
      below: { command: "node", args: ["inner.mjs"], cwd: "bin" },
      api: { type: "openapi", spec: "./api.yaml" },
      changed: { type: "static", transforms: { tools: "./transforms/tools.ts" } },
    })
    const named = ["api.yaml", "bin/inner.mjs", "bin/tool.sh", "transforms/tools.ts", "servers/found.ts"]
    for (const name of named) project.write(name, "")
    project.write("bin/server.mjs", "import './part.mjs'")
    project.write("bin/part.mjs", "")
    project.write("servers/exec", "#!/usr/bin/env node\nrequire('./of-exec.cjs')", 0o755)
    project.write("servers/of-exec.cjs", "")
    const expected = [
      ...named,
      "bin/part.mjs",
      "bin/server.mjs",
      "servers/exec",
      "servers/of-exec.cjs",
      "toolyard.json",
    ]
    expect(await filesOf()).toEqual(expected.sort())
  })

  it("Python files with the modules and whole packages of the project that they import", async () => {
    configure({ stats: { type: "python", file: "./py/stats.py" } })
    project.write(
      "py/stats.py",
      `import os, json as j, helper
from pkg.sub import (
    thing,  # a comment
    other,
)
if True: import lazy; import late
from __future__ import annotations`,
    )
    project.write("py/helper.py", "from deep import x")
    for (const name of ["lazy", "late", "deep", "unused"]) project.write(`py/${name}.py`, "")
    project.write("py/pkg/__init__.py", "")
    project.write("py/pkg/sub/__init__.py", "from ..beside import x\nimport top")
    project.write("py/pkg/beside.py", "")
    project.write("py/pkg/data.json", "{}")
    project.write("py/pkg/__pycache__/x.pyc", "")
    project.write("py/top.py", "")
    expect(await filesOf()).toEqual([
      "py/deep.py",
      "py/helper.py",
      "py/late.py",
      "py/lazy.py",
      "py/pkg/__init__.py",
      "py/pkg/beside.py",
      "py/pkg/data.json",
      "py/pkg/sub/__init__.py",
      "py/stats.py",
      "py/top.py",
      "toolyard.json",
    ])
    expect((await project.build()).needs.programs).toEqual(["python3"])
  })

  it("resources that are files, and for templates what stands under their fixed part", async () => {
    configure({
      notes: {
        type: "static",
        resources: { "file://docs/one.md": {}, "file://./two.ts": {}, "file://all/{+path}": {}, "variable://x": "x" },
      },
    })
    project.write("docs/one.md", "")
    project.write("docs/not.md", "")
    project.write("two.ts", 'import "./three.ts"')
    project.write("three.ts", "")
    project.write("all/deep/a.txt", "")
    project.write("all/.secret", "")
    expect(await filesOf()).toEqual(["all/deep/a.txt", "docs/one.md", "toolyard.json", "two.ts"])
  })

  it("what is asked for by name, also where it begins with a dot", async () => {
    configure({})
    project.write("data/a.txt", "")
    project.write(".hidden", "")
    expect(await filesOf({ include: ["data", ".hidden"] })).toEqual([".hidden", "data/a.txt", "toolyard.json"])
    await expect(project.build({ include: ["absent"] })).rejects.toMatchObject({ code: "usage" })
    await expect(project.build({ include: [".."] })).rejects.toMatchObject({ code: "config_invalid" })
  })

  it("what links lead to, as files", async () => {
    configure({ one: { type: "module", file: "./one.ts" } })
    mkdirSync(join(project.base, "shared"))
    writeFileSync(join(project.base, "shared/real.ts"), "export const x = 1")
    symlinkSync(join(project.base, "shared/real.ts"), join(project.root, "one.ts"))
    const root = await move()
    expect(readFileSync(join(root, "one.ts"), "utf8")).toBe("export const x = 1")
  })
})

describe("what an image does not hold", () => {
  it("files outside of the project: the build is refused", async () => {
    writeFileSync(join(project.base, "x.ts"), "")
    configure({ one: { type: "module", file: "../x.ts" } })
    await expect(project.build()).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("outside"),
    })
    configure({ one: { type: "module", file: "./y.ts" } })
    project.write("y.ts", 'import "../x.ts"')
    await expect(project.build()).rejects.toThrow("y.ts needs")
  })

  it("secrets: variables stay as they are written, and what is written out is told", async () => {
    const secret = "ghp_0123456789abcdef"
    configure({
      one: { command: "node", env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", OTHER: "${OTHER:-x}" }, args: ["--env", ".env"] },
      two: { type: "http", url: "https://example.test/${TENANT}", headers: { Authorization: "Bearer abc" } },
    })
    project.write(".env", secret)
    project.write("servers/three.ts", "readFileSync(join(import.meta.dirname, '../.env'))")
    const { buildImage } = await import("./build.ts")
    const built = await buildImage({
      cwd: project.root,
      file: "toolyard.json",
      output: project.image,
      createdBy: "0",
      env: { GITHUB_TOKEN: secret, TENANT: "acme" },
    })
    const bytes = readFileSync(project.image, "utf8")
    expect(bytes).not.toContain(secret)
    expect(bytes).not.toContain("acme")
    expect(built.needs).toEqual({
      variables: ["GITHUB_TOKEN", "TENANT"],
      programs: ["node"],
      addresses: ["https://example.test/${TENANT}"],
    })
    expect(built.warnings).toEqual([
      expect.stringContaining("two: Authorization is written out"),
      expect.stringContaining("one: .env is not in the image"),
      expect.stringContaining("servers/three.ts: .env is not in the image"),
    ])
  })

  it("what is not there, which is told", async () => {
    configure({
      one: { type: "module", file: "./one.ts" },
      gone: { type: "module", file: "./gone.ts" },
      absolute: { command: "node", args: [join(project.root, "one.ts")] },
    })
    project.write(
      "one.ts",
      'import "./missing.ts"; import "not-installed"; import type { ToolContext } from "toolyard"',
    )
    const { warnings } = await project.build()
    expect(warnings).toEqual([
      expect.stringContaining("one.ts is a path of this machine"),
      'one.ts: imports "./missing.ts", which is not there',
      "gone needs gone.ts, which is not there",
      "one.ts needs the package not-installed, which is not installed",
    ])
  })

  it("a configuration that can't be read", async () => {
    project.write("toolyard.json", "{ nonsense")
    await expect(project.build()).rejects.toMatchObject({ code: "config_invalid" })
    rmSync(join(project.root, "toolyard.json"))
    await expect(project.build()).rejects.toMatchObject({ code: "config_invalid" })
  })
})

describe("npm packages in an image", () => {
  const add = (
    folder: string,
    version: string,
    rest: Record<string, unknown> = {},
    code = `module.exports = ${JSON.stringify(version)}`,
  ) => {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1]
    project.write(`${folder}/package.json`, { name, version, main: "index.js", ...rest })
    project.write(`${folder}/index.js`, code)
  }

  it("find each the version that they find now, from wherever they were installed", async () => {
    project.write(
      "src/a/app.cjs",
      'console.log(JSON.stringify([require("one"), require("@scope/two"), require("shared")]))',
    )
    configure({ app: { command: "node", args: ["src/a/app.cjs"] } })
    const both = 'module.exports = [require("./package.json").version, require("shared")]'
    add("../node_modules/one", "1.0.0", { dependencies: { shared: "*" }, optionalDependencies: { absent: "*" } }, both)
    add("../node_modules/shared", "3.0.0")
    add("src/node_modules/shared", "4.0.0")
    add(
      "node_modules/@scope/two",
      "2.0.0",
      { dependencies: { shared: "*", three: "*" } },
      'module.exports = [require("shared"), require("three")]',
    )
    add("node_modules/@scope/two/node_modules/shared", "5.0.0")
    add("node_modules/three", "3.3.3", { dependencies: { shared: "*" } }, both)
    const before = execFileSync(process.execPath, ["src/a/app.cjs"], { cwd: project.root, encoding: "utf8" })
    expect(JSON.parse(before)).toEqual([["1.0.0", "3.0.0"], ["5.0.0", ["3.3.3", "3.0.0"]], "4.0.0"])
    const root = await move()
    rmSync(join(project.base, "node_modules"), { recursive: true })
    expect(execFileSync(process.execPath, ["src/a/app.cjs"], { cwd: root, encoding: "utf8" })).toBe(before)
  })

  it("that are linked from a store are found as they are used", async () => {
    project.write("app.mjs", 'import { b } from "a"; console.log(b)')
    configure({ app: { command: "node", args: ["app.mjs"] } })
    const store = "node_modules/.store"
    add(
      `${store}/a@1/node_modules/a`,
      "1.0.0",
      { type: "module", exports: { import: "./index.js" }, dependencies: { b: "*" } },
      'export { default as b } from "b"',
    )
    add(`${store}/b@2/node_modules/b`, "2.0.0")
    symlinkSync(join(project.root, store, "a@1/node_modules/a"), join(project.root, "node_modules/a"))
    symlinkSync(join(project.root, store, "b@2/node_modules/b"), join(project.root, store, "a@1/node_modules/b"))
    const root = await move()
    expect(execFileSync(process.execPath, ["app.mjs"], { cwd: root, encoding: "utf8" })).toBe("2.0.0\n")
  })

  it("are there when a command names a file in one, with their types, and in circles", async () => {
    configure({
      app: { command: "node", args: ["node_modules/cli/index.js"] },
      typed: { type: "module", file: "./t.ts" },
    })
    project.write("t.ts", 'import "circle/sub"; import "@scope/plain"')
    add("node_modules/cli", "1.0.0", { dependencies: { circle: "*" } })
    add("node_modules/circle", "1.0.0", { peerDependencies: { cli: "*", none: "*" } })
    add("node_modules/@scope/plain", "1.0.0")
    add("node_modules/@types/scope__plain", "1.0.0")
    project.write("node_modules/circle/.npmrc", "secret")
    const built = await project.build()
    expect(built.warnings).toEqual([])
    const folders = (await filesOf()).filter(path => path.endsWith("package.json"))
    expect(folders).toEqual([
      "node_modules/@scope/plain/package.json",
      "node_modules/@types/scope__plain/package.json",
      "node_modules/circle/package.json",
      "node_modules/cli/package.json",
    ])
    expect(await filesOf()).not.toContain("node_modules/circle/.npmrc")
  })
})
