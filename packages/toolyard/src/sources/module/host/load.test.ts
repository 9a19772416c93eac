import { describe, expect, it } from "vitest"
import { openHost, startHost, textOf, writeFiles } from "./host-case.ts"

/** What a host that can't load its module says last. */
async function lastLine(files: Record<string, string>): Promise<string | undefined> {
  await using host = startHost(files)
  expect(await host.exited).toBe(1)
  return host.stderr().trimEnd().split("\n").at(-1)
}

describe("loading a module", () => {
  it("runs all of TypeScript: enums, namespaces, parameter properties, decorators", async () => {
    await using host = startHost({
      "all.ts": `
        enum Color { Red, Green = "g" }
        namespace Inner { export const value = 2 }
        const seen: string[] = []
        function mark(...args: any[]) { seen.push(String(args[1] ?? args[0].name)) }
        function twice(_target: object, _key: string, descriptor: PropertyDescriptor) {
          const { value } = descriptor
          return { ...descriptor, value(this: unknown) { return value.call(this) * 2 } }
        }
        @mark class Box {
          constructor(private readonly inside: number, @mark other?: string) {}
          @twice get2() { return this.inside }
          @mark field = 1
        }
        export function all() { return { color: Color.Green, red: Color[0], inner: Inner.value, twice: new Box(4).get2(), seen } }`,
    })
    const { structuredContent } = await host.call("all")
    expect(structuredContent).toEqual({ color: "g", red: "Red", inner: 2, twice: 8, seen: ["field", "Box", "Box"] })
  })

  it("runs JSX with the runtime that the file names", async () => {
    await using host = startHost({
      "page.tsx": `/** @jsxImportSource hono/jsx */
        export function page(name: string): string { return String(<b class="x">{name}</b>) }`,
    })
    expect(textOf(await host.call("page", { name: "<i>" }))).toBe('<b class="x">&lt;i&gt;</b>')
  })

  it("finds what is imported as the compiler does: .js for .ts, no ending, a folder, JSON, CommonJS", async () => {
    await using host = startHost({
      "main.ts": `
        import { a } from "./a.js"
        import { b } from "./b"
        import { c } from "./c"
        import data from "./data.json"
        import old from "./old.cjs"
        import { createRequire } from "node:module"
        const required = createRequire(import.meta.url)("./required.cts")
        export function all() { return { a, b, c, data, old: old.value, required: required.value } }`,
      "a.ts": "export const a: string = 'a'",
      "b.tsx": "export const b: string = 'b'",
      "c/index.ts": "export const c: string = 'c'",
      "data.json": '{ "deep": [1], "__proto__": 1 }',
      "old.cjs": "const path = require('node:path'); exports.value = path.basename(__filename)",
      "required.cts": "const value: number = 3\nmodule.exports = { value }",
    })
    expect((await host.call("all")).structuredContent).toMatchObject({
      a: "a",
      b: "b",
      c: "c",
      data: { deep: [1] },
      old: "old.cjs",
      required: 3,
    })
  })

  it("serves a module that is CommonJS itself", async () => {
    await using host = startHost({
      "math.cjs": `/** @param {number} a @param {number} b */
        function add(a, b) { return a + b }
        module.exports = { add }`,
    })
    expect(textOf(await host.call("add", { a: 1, b: 2 }))).toBe("3")
  })

  it("names every file of the author's that it loaded or took types from, and none of a package", async () => {
    await using host = startHost({
      "main.ts": `import { z } from "zod"
        import { inner } from "./lib/inner.js"
        import type { Shape } from "./types.ts"
        export function area(shape: Shape): number { return inner(z.number().parse(shape.width)) }`,
      "lib/inner.ts": "export const inner = (value: number): number => value",
      "types.ts": "export interface Shape { width: number }",
      "unused.ts": "export const x = 1",
    })
    const { result } = await host.request("initialize", { protocolVersion: "2025-06-18" })
    expect(result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } })
    const { capabilities } = result as { capabilities: { experimental: Record<string, { files: string[] }> } }
    const files = capabilities.experimental["toolyard/files"]?.files.toSorted()
    expect(files).toEqual(["lib/inner.ts", "main.ts", "types.ts"].map(name => `${host.folder}/${name}`))
  })

  it("needs no package for types of toolyard, and says so when values of it are missing", async () => {
    await using host = startHost({
      "main.ts": `import { ToolContext } from "toolyard"
        export function id(context: ToolContext) { return { id: context.requestId } }`,
    })
    expect((await host.call("id")).structuredContent).toEqual({ id: 1 })
    const folder = writeFiles({ "main.mjs": 'import { openYard } from "toolyard"' })
    await using alone = openHost(folder, ["main.mjs"])
    expect(await alone.exited).toBe(1)
    expect(alone.stderr()).toContain(
      "\nmain.mjs:1:26: Cannot find package 'toolyard': for its types write `import type`",
    )
  })

  it("gives nothing to a module that reads its input, and keeps what it prints out of the protocol", async () => {
    await using host = startHost({
      "main.js": `import process, { stdout } from "node:process"
        console.log("one"); process.stdout.write("two\\n"); stdout.write("three\\n"); console.info("four")
        let read = ""
        for await (const chunk of process.stdin) read += chunk
        export function input() { console.log("five"); return { read } }`,
    })
    expect((await host.call("input")).structuredContent).toEqual({ read: "" })
    for (const word of ["one", "two", "three", "four", "five"]) expect(host.stderr()).toContain(`${word}\n`)
  })

  it("calls nothing that is exported as `then`", async () => {
    await using host = startHost({ "main.ts": "export function then(a: string) { return `then ${a}` }" })
    expect(textOf(await host.call("then", { a: "x" }))).toBe("then x")
  })

  it.each([
    [
      "a missing file",
      { "m.ts": 'import { x } from "./x.ts"\nexport const y = x' },
      "m.ts:1:19: Cannot find module './x.ts'",
    ],
    ["a missing package", { "m.mjs": "import 'no-such'" }, "m.mjs:1:8: Cannot find package 'no-such'"],
    [
      "a missing file of another file",
      { "m.ts": 'import "./a/n.ts"', "a/n.ts": '// ü\nimport "./x"' },
      "a/n.ts:2:8: Cannot find module './x'",
    ],
    [
      "a missing export",
      { "m.ts": 'import { x } from "./n.ts"\nexport const y = x', "n.ts": "export {}" },
      "m.ts:1:10: The requested module './n.ts' does not provide an export named 'x'",
    ],
    ["a syntax error in TypeScript", { "m.ts": "// ü\nexport const a: = 1" }, "m.ts:2:17: "],
    ["a syntax error in JavaScript", { "m.mjs": "// ü\nexport const a = ;" }, "m.mjs:2:18: Unexpected token ';'"],
    [
      "bad JSON",
      { "m.ts": 'import d from "./d.json"\nexport const y = d', "d.json": '{\n"a": }' },
      "d.json:2:6: not valid JSON",
    ],
    ["an error at import", { "m.ts": 'interface A {}\n\nthrow new Error("two\\n  lines")' }, "m.ts:3:7: two lines"],
    ["an odd path", { "a (1) ü/m m.ts": 'type A = 1\nthrow new Error("x")' }, "m m.ts:2:7: x"],
    ["an odd path of CommonJS", { "a (1) ü/m m.cjs": '\nthrow new Error("x")' }, "m m.cjs:2:7: x"],
    ["something else thrown", { "m.js": 'throw "text"' }, "m.js: threw text"],
    ["a rejection that nobody handles", { "m.ts": 'Promise.reject(new Error("lost"))' }, "m.ts:1:16: lost"],
  ])("ends with one clear line for %s", async (_, files, expected) => {
    expect((await lastLine(files))?.slice(0, expected.length)).toBe(expected)
  })

  it("ends with one clear line when there is no such file", async () => {
    await using host = startHost({ "a.ts": "" }, ["b.ts"])
    expect(await host.exited).toBe(1)
    expect(host.stderr()).toBe("b.ts: there is no such file\n")
  })
})
