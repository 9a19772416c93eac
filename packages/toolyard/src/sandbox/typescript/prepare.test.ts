import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { originalPosition, prepareScript, type ReadyScript } from "./prepare.ts"

function ready(code: string): ReadyScript {
  const script = prepareScript(code)
  if (!script.ok) throw new Error(`${JSON.stringify(code)}: ${JSON.stringify(script.problems)}`)
  return script
}

const problems = (code: string) => {
  const script = prepareScript(code)
  return script.ok ? [] : script.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

const tools = { calc: { add: async ({ a, b }: { a: number; b: number }) => a + b } }

async function run(code: string, input?: unknown): Promise<unknown> {
  class ToolError extends Error {}
  const globals = { tools, search: () => ["found"], results: {}, ToolError, input }
  const value = await (runInNewContext(ready(code).js, globals) as (input: unknown) => Promise<unknown>)(input)
  return typeof value === "object" ? JSON.parse(JSON.stringify(value)) : value
}

/** Where the script fails, in its own lines. */
async function failsAt(code: string): Promise<string | undefined> {
  const script = ready(code)
  const work = runInNewContext(script.js, { tools }, { filename: "script.js" }) as () => Promise<unknown>
  const error = await work().then(
    () => undefined,
    (reason: Error) => reason,
  )
  const [, line, column] = /script\.js:(\d+):(\d+)/.exec(error?.stack ?? "") ?? []
  const at = originalPosition(script, { line: Number(line), column: Number(column) })
  return at && `${at.line}:${at.column}`
}

describe("the value of a script", () => {
  it.each<[string, string, unknown]>([
    ["its last expression", "const a = 1\na + 1", 2],
    ["an object in parentheses", "const a = 1;\n({ a })", { a: 1 }],
    ["an awaited last expression", "await tools.calc.add({ a: 1, b: 2 })", 3],
    ["a promise", "tools.calc.add({ a: 1, b: 2 })", 3],
    ["a lone string", '"use me"', "use me"],
    ["an expression before function declarations", "main()\n\nasync function main() { return 4 }", 4],
    ["an expression before types", "5\ninterface A { b: string }\ntype C = A;\n", 5],
    ["an expression with a comment behind", "6 // six", 6],
    ["nothing, when it is empty", "", undefined],
    ["nothing, when a declaration is last", "const a = 1", undefined],
    ["nothing, when a block is last", "{ 1 }", undefined],
    ["its return", "return 7", 7],
    ["a return in nested blocks", "for (const a of [1, 8]) { if (a > 1) { return a } }\n9", 8],
    ["its default export", "export default { a: 1 }", { a: 1 }],
    ["its default export, not a later expression", "export default 10\n11", 10],
    ["a return before the default export", "return 12\nexport default 13", 12],
    ["what was exported as default", "const a = 14\nexport { a as default }", 14],
  ])("is %s", async (_, code, value) => {
    expect(await run(code)).toEqual(value)
  })

  it.each([
    ["function declaration", "export default function main(given: { a: number }) { return given.a }"],
    ["function without a name", "export default function (given: { a: number }) { return given.a }\n(1)"],
    ["async function", "export default async function main({ a }: { a: number }) { return a }"],
    ["arrow function", "export default async ({ a }: { a: number }): Promise<number> => a"],
    ["function exported by name", "const main = (given: any) => given.a\nexport { main as default }"],
    ["function when `input` is declared anew", "const input = 1\nexport default (given: any) => given.a"],
  ])("is what the default %s gives for the input", async (_, code) => {
    expect(await run(code, { a: 3 })).toBe(3)
  })

  it("is the class itself, uncalled, when that is the default export", async () => {
    expect(String(await run("export default class A {}"))).toBe("class A {}")
  })
})

describe("what a script may hold", () => {
  it.each<[string, string, unknown]>([
    ["T8 the import of tools", 'import { tools } from "toolyard"\nawait tools.calc.add({ a: 1, b: 1 })', 2],
    [
      "imports under other names",
      'import { tools as t, search as s } from "toolyard"\nconst tools = s()\n;[t, tools][1]',
      ["found"],
    ],
    ["the default import, which is tools", 'import yard from "toolyard"\nyard.calc.add({ a: 2, b: 2 })', 4],
    ["the namespace import", 'import * as yard from "toolyard"\nyard.tools.calc.add({ a: 3, b: 3 })', 6],
    [
      "type imports",
      'import type { A } from "toolyard"\nimport { type B, tools } from "toolyard"\nlet a: A | B = 7\na',
      7,
    ],
    ["an import between lines without semicolons", 'const a = 8\nimport { tools } from "toolyard"\n;(a)', 8],
    ["an import that would join two lines", 'let f = 1\nimport { tools } from "toolyard"\n(f)', 1],
    [
      "exports that nobody imports",
      "export const a = 9\nexport type B = number\nexport function c() {}\nexport { a as d }\na",
      9,
    ],
    ["a line for the shell", "#!/usr/bin/env toolyard\n10", 10],
    ["a byte order mark", "\uFEFF11", 11],
    ["other line ends", "const a = 12\r\nconst b = `x\r\ny`\r\na", 12],
    ["directives", '"use strict"\n13', 13],
    ["enums", "enum A { B = 14 }\nA.B", 14],
    ["constant enums", "const enum A { B = 15 }\nA.B", 15],
    ["namespaces", "namespace A { export const b = 16 }\nA.b", 16],
    ["parameter properties", "class A { constructor(readonly b: number) {} }\nnew A(17).b", 17],
    ["assertions of types", "const a = <any>{ b: 18 } as { b?: number } satisfies object\na!.b!", 18],
    [
      "generics and overloads",
      "function a(b: string): void\nfunction a<T>(b: T): T\nfunction a(b: any) { return b }\na<number>(19)",
      19,
    ],
    ["declarations of what is elsewhere", 'declare const a: number\ndeclare module "b" {}\n20', 20],
    ["disposal", "const log: string[] = []\n{ using a = { [Symbol.dispose]() { log.push('gone') } } }\nlog", ["gone"]],
    ["asynchronous disposal", "await using a = { async [Symbol.asyncDispose]() {} }\n22", 22],
    ["a name of its own for input", "const input = 23\ninput", 23],
    [
      "names that are absent elsewhere but its own",
      "const process = { env: { A: 24 } }\nfunction require(a: number) { return a }\nrequire(process.env.A)",
      24,
    ],
    ["a look whether something is there", "typeof process === 'undefined' && typeof require", "undefined"],
    ["properties that are called like what is absent", "const a = { process: 1, fs: { eval: 25 } }\na.fs.eval", 25],
    ["`this` that is nothing", "String(this)", "undefined"],
  ])("takes %s", async (_, code, value) => {
    expect(await run(code)).toEqual(value)
  })

  it("is strict", async () => {
    await expect(run("const a = Object.freeze({ b: 1 })\n;(a as any).b = 2")).rejects.toThrow(/read only/)
  })
})

describe("what is refused", () => {
  it.each([
    ["} evil {", "1:1"],
    ["1 })(); (() => {", "1:3"],
    ["const a = 1\nconst a = 2", "1:7"],
    ["let a = \n  ;", "2:3"],
    ["const 😀 = 1", "1:7"],
    ["await: 1", "1:6"],
    ["with (a) {}", "1:1"],
    ["break", "1:1"],
    ["namespace A { return 1 }", "1:15"],
    ["class A { static { return 1 } }", "1:20"],
    ["@a class B {}", "1:1"],
    ["class A { accessor b = 1 }", "1:11"],
    ["export = 1", "1:1"],
  ])("tells where %j is wrong", (code, at) => {
    expect(problems(code).map(problem => problem.split(" ")[0])).toContain(at)
  })

  it.each([
    'import fs from "node:fs"',
    'import "axios"',
    'import a = require("b")',
    'export * from "c"',
    'export { d } from "e"',
    'const f = await import("node:fs")',
    "await import(String(1))",
  ])("G4 explains what can be imported at %j", code => {
    expect(problems(code).join()).toMatch(
      /^1:\d+ Cannot import .+ in the sandbox: .*tools, search, results, input, ToolError/,
    )
  })

  it.each([
    "process.exit()",
    'require("fs")',
    'eval("1")',
    'new Function("1")',
    'Function("1")',
    "Deno.cwd()",
    "Bun.file('a')",
    "fs.readFileSync('a')",
    "Buffer.from('a')",
    "window.open()",
    "document.title",
    "module.exports = 1",
    "new WebSocket('a')",
    "Intl.NumberFormat()",
  ])("G4 explains why there is no %s", code => {
    expect(problems(`const a = 1\nif (a) { ${code} }`)).toHaveLength(1)
    expect(problems(`const a = 1\nif (a) { ${code} }`)[0]).toMatch(/^2:\d+ `\w+` is not there in the sandbox: .{20}/)
  })

  it.each<[string, (n: number) => string]>([
    ["brackets", n => "[".repeat(n) + "]".repeat(n)],
    ["brackets that stay open", n => "[".repeat(n)],
    ["blocks", n => "{".repeat(n) + "}".repeat(n)],
    ["functions", n => "function a(){".repeat(n) + "}".repeat(n)],
    ["classes", n => `a=${"class extends ".repeat(n)}A${"{}".repeat(n)}`],
    ["arrows", n => `${"()=>".repeat(n)}1`],
    ["types", n => `let a:${"A<".repeat(n)}B${">".repeat(n)}`],
    ["tuples", n => `let a:${"[".repeat(n)}${"]".repeat(n)}`],
    ["keyof", n => `let a:${"keyof ".repeat(n)}B`],
    ["labels", n => `${Array.from({ length: n }, (_, i) => `a${i}:`).join("")};`],
    ["statements without blocks", n => `${"if(a)".repeat(n)};`],
    ["else", n => `${"if(a){}else ".repeat(n)}{}`],
    ["operators", n => `1${"+1".repeat(n)}`],
    ["signs", n => `${"!".repeat(n)}1`],
    ["words", n => `${"typeof\n".repeat(n)}1`],
    ["choices", n => `${"a?".repeat(n)}1${":1".repeat(n)}`],
    ["templates", n => `${"`${".repeat(n)}1${"}`".repeat(n)}`],
    ["members", n => `a${".b".repeat(n)}`],
    ["tags", n => `a${"``".repeat(n)}`],
  ])("refuses endless %s, and lives", (_, nest) => {
    // Up to the most that is read at all, and beyond.
    for (const n of [1000, 1600, 2400, 4900, 20_000, 300_000])
      expect(prepareScript(nest(n)).code).toHaveLength(nest(n).length)
    expect(problems(nest(300_000))).toEqual([expect.stringMatching(/^1:1 The script is too large/)])
  })

  it("G4 explains import.meta", () => {
    expect(problems("import.meta.url")[0]).toMatch(/^1:1 `import.meta` is not there/)
  })
})

describe("which servers a script names", () => {
  it.each<[string, string[] | undefined]>([
    ["await tools.github.list(); tools.slack.post; tools['my server'].x()", ["github", "slack", "my server"]],
    ['import { tools as t } from "toolyard"\nt.github.list()', ["github"]],
    ["const { github, slack: s } = tools", ["github", "slack"]],
    ["1", []],
    ["tools[input.server].list()", undefined],
    ["Object.keys(tools)", undefined],
    ["const { github, ...rest } = tools", undefined],
    ['import * as yard from "toolyard"\nyard.tools.github.list()', undefined],
    ["globalThis.tools.github.list()", undefined],
  ])("%j", (code, servers) => {
    const found = ready(code).servers
    expect(found && new Set(found)).toEqual(servers && new Set(servers))
  })
})

describe("places", () => {
  it("are those of the script as it was written", async () => {
    expect(await failsAt("interface A {\n  b: string\n}\n\n// why\nconst a: any =\n  null\na.b.c")).toBe("8:3")
    expect(
      await failsAt('import { tools } from "toolyard"\n\n\nexport default () => {\n\n  throw new Error("x") }'),
    ).toBe("6:9")
    expect(await failsAt("const f = (a: any): string =>\n\n\n  a.b.c\r\n\r\nf({})")).toBe("4:7")
  })

  it("stay right whatever stands before them", async () => {
    const before = fc.constantFrom(
      "",
      "// a comment",
      "/* over\n lines */",
      "interface A<T> { b: T }",
      "type B = {\n  c: string\n}",
      "const t = `a\n\n${1}\n`",
      "enum E {\n A,\n B }",
      "for (const x of [1,\n 2]) { x }",
      'import { tools as u } from "toolyard"',
      "export function g(\n  a?: number,\n): void {}",
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(before, { maxLength: 8 }),
        fc.constantFrom("\n", "\r\n", ";\n\n"),
        async (lines, end) => {
          const code = [...lines, "const bad: any = null", "  bad.x"].join(end)
          const line = code.split(/\r\n|\n/).length
          expect(await failsAt(code)).toBe(`${line}:7`)
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe("whatever is written", () => {
  const piece = fc.constantFrom(
    ...'{ } ( ) [ ] ; , . : ? => = + - ! ` ${ \' " / * // /* */ <!-- --> \\ # @ < > as any a b 1 return await async function class export default import from const let type enum namespace declare using if else for of in new typeof throw try catch yield static get tools tools.a.b() input "toolyard" /x/ `t` ({a:1}) \n \r\n \t \u2028 \uFEFF 😀 })() }})'.split(
      " ",
    ),
  )
  it("becomes one function, or problems with places, and never an exception", () => {
    const parses = (js: string) => {
      const { program, errors } = parseSync("script.js", js, { lang: "js", sourceType: "script" })
      const [only, ...more] = program.body
      const inner =
        only?.type === "ExpressionStatement" &&
        only.expression.type === "ParenthesizedExpression" &&
        only.expression.expression
      return errors.length === 0 && more.length === 0 && inner && inner.type === "FunctionExpression" && inner.async
    }
    let accepted = 0
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const script = prepareScript(pieces.join(" "))
        if (script.ok) {
          accepted++
          expect(parses(script.js)).toBe(true)
        } else {
          expect(script.problems.length).toBeGreaterThan(0)
          for (const { line, column } of script.problems) expect(Math.min(line, column)).toBeGreaterThan(0)
        }
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(20)
  })
})
