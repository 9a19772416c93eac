import { afterEach, expect, it, vi } from "vitest"
import { openYard, type Yard } from "./eject.fixture.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let yard: Yard
afterEach(() => yard?.close())

const MATH = `/** Sums and the like. */
import type { ToolContext } from "toolyard"
import { twice, type Pair } from "../lib/pair"
import { table } from "../lib/table.js"
import { greet } from "greet"
import settings from "./settings.json"
import { z } from "zod"
console.log("printed while it is loaded")

/** Adds two numbers. */
export function add(a: number, b: number): number { return a + b }
/** Adds up a pair, twice. */
export const addPair = ({ left, right = 1 }: Pair): { sum: number } => ({ sum: twice(left + right) })
export function all(first: string, ...rest: string[]): string { return [first, ...rest].join("+") }
export async function* count(to: number): AsyncGenerator<number> { for (let i = 1; i <= to; i++) yield i }
export function later(at: Date, by: bigint = 1000n): Date { return new Date(at.getTime() + Number(by)) }
export function picture(): Uint8Array { return Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]) }
export async function slow(text: string, context: ToolContext): Promise<unknown> {
  context.progress(1, 2, "half way")
  console.log("noise")
  return { text, found: table.get(text), deep: settings.deep, said: greet(text), env: process.env.MODE }
}
export async function outside(context: ToolContext): Promise<unknown> { return context.call("other__tool") }
export const upper = {
  description: "Shouts.",
  inputSchema: z.object({ text: z.string().trim() }),
  run: ({ text }: { text: string }) => text.toUpperCase(),
}
export function fail(): never { throw new RangeError("out of range") }
export function _private() {}`

it("B15 is the author's own file with what it imports, called as before", async () => {
  yard = openYard({ math: { type: "module", file: "./servers/math.ts", env: { MODE: "${MODE}" } } })
  yard.write("servers/math.ts", MATH)
  yard.write(
    "lib/pair.ts",
    "export interface Pair { left: number; right?: number }\nexport const twice = (n: number): number => n * 2\n",
  )
  yard.write("lib/table.ts", 'enum Kind { One = "first" }\nexport const table = new Map([["one", Kind.One]])\n')
  yard.write("node_modules/greet/package.json", {
    name: "greet",
    version: "1.2.3",
    type: "module",
    exports: "./index.js",
  })
  yard.write("node_modules/greet/index.js", "export const greet = name => `Hello, ${name}`\n")
  yard.write("servers/settings.json", { deep: 1 })
  yard.link("zod")
  const ejected = await yard.eject("math", { env: { MODE: "very-secret-value", PATH: process.env.PATH } })
  expect(ejected.everything()).not.toMatch(/toolyard|very-secret-value/i)
  expect(JSON.parse(ejected.read("package.json")).dependencies).toMatchObject({
    greet: "1.2.3",
    zod: expect.any(String),
  })
  expect(ejected.read("src/module/servers/math.ts")).toContain('import { twice, type Pair } from "../lib/pair.ts"')
  expect(ejected.files).toContain("src/module/lib/table.js")
  expect(ejected.warnings).toEqual([expect.stringContaining("lib/table.ts is JavaScript now")])
  expect(ejected.read("src/handlers/index.ts")).toContain("mathModule.add(args.a, args.b)")
  ejected.use(yard.root, "greet")
  expect(ejected.check()).toBe("")
  const { status, fail, output } = ejected.test()
  expect({ status, fail }, output).toEqual({ status: 0, fail: 0 })

  await using server = ejected.start({ MODE: "m" })
  expect((await server.request("tools/list")).tools).toEqual(ejected.tools)
  const value = async (name: string, args = {}): Promise<unknown> => (await server.call(name, args)).structuredContent
  expect(await value("add", { a: 1, b: 2 })).toEqual({ result: 3 })
  expect(await value("addPair", { left: 2 })).toEqual({ sum: 6 })
  expect(await value("all", { first: "a", rest: ["b", "c"] })).toEqual({ result: "a+b+c" })
  expect(await value("count", { to: 3 })).toEqual({ result: [1, 2, 3] })
  expect(await value("later", { at: "2026-01-01T00:00:00Z" })).toEqual({ result: "2026-01-01T00:00:01.000Z" })
  expect(await value("slow", { text: "one" })).toEqual({
    text: "one",
    found: "first",
    deep: 1,
    said: "Hello, one",
    env: "m",
  })
  expect(server.notices).toMatchObject([
    { method: "notifications/progress", params: { progress: 1, message: "half way" } },
  ])
  expect(await value("upper", { text: " a " })).toEqual({ result: "A" })
  expect((await server.call("picture")).content).toMatchObject([{ type: "image", mimeType: "image/png" }])
  expect(await server.call("fail")).toEqual({ isError: true, content: [{ type: "text", text: "out of range" }] })
  expect(await server.call("outside")).toMatchObject({ isError: true, content: [{ text: /other__tool.*not here/ }] })
  for (const [name, args] of [
    ["add", { a: "1" }],
    ["upper", {}],
  ] as const)
    expect(await server.call(name, args)).toMatchObject({
      isError: true,
      content: [{ text: /^the arguments do not fit: / }],
    })
})

it("does not eject what Node could not run", async () => {
  yard = openYard({ one: { type: "module", file: "./one.ts" } })
  yard.write(
    "one.ts",
    "const d = (..._: unknown[]): void => {}\n@d class A {}\nexport function a(): string { return A.name }\n",
  )
  await expect(yard.eject("one", { env: process.env })).rejects.toMatchObject({ code: "usage", message: /decorators/ })
})
