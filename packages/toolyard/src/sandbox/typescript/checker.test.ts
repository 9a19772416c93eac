import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allGone, descendantsOf, isAlive } from "../../../../../tests/fixtures/processes.ts"
import { until } from "../../../../../tests/fixtures/until.ts"
import type { Declarations } from "./ambient.ts"
import { type Checker, openChecker } from "./checker.ts"

const GITHUB = `export interface GithubCreateIssueParams { owner: string; repo: string; title: string; labels?: string[] }
export interface GithubCreateIssueResult { id: number; url: string }
export interface Tools {
  github: {
    /** Makes an issue. */
    createIssue(params: GithubCreateIssueParams): Promise<GithubCreateIssueResult>
    listIssues(params?: { state?: "open" | "closed" }): Promise<any>
  }
}
`
const SLACK = `export interface Tools { slack: { post(params: { channel: string; text: string }): Promise<any> } }\n`
const DECLARATIONS: Declarations = {
  version: 1,
  files: new Map([
    ["github", GITHUB],
    ["my.slack/server", SLACK],
  ]),
}

/** Each level doubles the work, up to where the compiler itself gives up, many seconds later. */
const SLOW = `type Bits<T extends string, D extends 0[]> =
  D["length"] extends 24 ? T : Bits<\`\${T}0\`, [...D, 0]> | Bits<\`\${T}1\`, [...D, 0]>
type Each = { [K in Bits<"", []>]: Bits<K, []> }
const a: Bits<"", []> = "b"
const b: Each = 1`

const onLinux = it.skipIf(process.platform !== "linux")
const compilers = () => descendantsOf(process.pid).filter(isAlive)

let checker: Checker
beforeAll(async () => {
  checker = openChecker()
  await checker.warm(DECLARATIONS)
})
afterAll(() => checker.close())

async function check(code: string, declarations = DECLARATIONS): Promise<string[]> {
  const found = await checker.check(checker.prepare(code), declarations)
  return found.map(({ line, column, message, hint }) => `${line}:${column} ${message}${hint ? ` | ${hint}` : ""}`)
}

const CREATE =
  "tools.github.createIssue(params: { owner: string; repo: string; title: string; labels?: string[] }): Promise<GithubCreateIssueResult>"

describe("a script that is right", () => {
  it.each([
    'const issue = await tools.github.createIssue({ owner: "a", repo: "b", title: "c" })\nreturn issue.id + 1',
    'import { tools, search, results, input, ToolError } from "toolyard"\nawait search("x", { limit: 3 }), results.get("r"), input.a',
    'import tools from "toolyard"\ntools.slack.post({ channel: "a", text: "b" })',
    'import * as yard from "toolyard"\nyard.tools.github.listIssues()',
    'import type { GithubCreateIssueParams } from "toolyard"\nconst p: GithubCreateIssueParams = { owner: "", repo: "", title: "" }\nawait tools.github.createIssue(p)',
    "const issues = await tools.github.listIssues()\nissues.map(issue => issue.anything.at.all)",
    "try { await tools.github.listIssues() } catch (e) { console.log(e.message, e instanceof ToolError && e.server) }",
    "const counts = {}\nfor (const k of ['a']) counts[k] = (counts[k] ?? 0) + 1\ncounts",
    "const all = []\nfor (const n of [1, 2]) all.push({ n })\nall[0].n.toFixed()",
    "const out = { items: [] }\nout.items.push(1)\nout.items[0].name",
    "const out = {}\nout.total = 5\nout.total + 1",
    "let last = null\nfor (const n of [1]) last = n\nlast",
    "let found\nif (input) found = 'x'\nfound",
    "[1, 2].reduce((all, n) => { all.push(n); return all }, [])",
    "[1, 2].reduce((sums, n) => { sums[n] = (sums[n] ?? 0) + n; return sums }, {})",
    "await new Promise(resolve => setTimeout(resolve, 10))",
    "const sleep = ms => new Promise(done => setTimeout(done, ms))\nawait sleep(1)",
    "await Promise.race([tools.slack.post({ channel: 'c', text: 'a' }), new Promise((_, reject) => setTimeout(() => reject(new Error('slow')), 10))])",
    "const [server, tool] = input\nawait tools[server][tool]({})",
    "for (const name of Object.keys(tools)) console.log(name, Object.keys(tools[name]))",
    "function f(a, b) { return a.b + b }\nf({ b: 1 }, 2)",
    "const unused = 1",
    "input.whatever.there.is",
    "interface Input { a: number }\ninput.a.toFixed(2)",
    "export default async function main({ a = 1 }: { a?: number }) { return a }",
    "if (input) return\nif (input.a) return 1\nreturn { b: 2 }",
    "typeof process === 'undefined'",
    "enum A { B }\nnamespace C { export const d = A.B }\nusing e = null\nC.d",
    "new URL('http://a').searchParams.get('b'), new TextDecoder().decode(new TextEncoder().encode('a')), atob(btoa('a'))",
    "const r = await fetch('http://a', { method: 'POST', headers: new Headers({ a: 'b' }), body: 'c' })\nr.ok ? await r.json() : r.status",
    "clearTimeout(setTimeout(() => {}, 1)), structuredClone({ a: 1 }).a, crypto.randomUUID(), Object.groupBy([1], String)",
  ])("passes: %s", async code => {
    expect(await check(code)).toEqual([])
  })
})

describe("T9 a script that is wrong", () => {
  it.each([
    [
      "an unknown tool",
      'await tools.github.createIsue({ owner: "a" })',
      [`1:20 \`tools.github\` has no tool \`createIsue\`: did you mean \`createIssue\`? | ${CREATE}`],
    ],
    ["a tool like no other", "tools.slack.zzzzzz()", ["1:13 `tools.slack` has no tool `zzzzzz`. | Tools: post"]],
    [
      "an unknown server",
      "\n  tools.gitub.x()",
      ["2:9 There is no server `gitub`: did you mean `github`? | Servers: github, slack"],
    ],
    [
      "an unknown server, taken apart",
      "const { gihub } = tools",
      ["1:9 There is no server `gihub`: did you mean `github`? | Servers: github, slack"],
    ],
    [
      "a wrong argument",
      'tools.github.createIssue({ owner: 1, repo: "b", title: "c" })',
      [`1:28 Type 'number' is not assignable to type 'string'. | ${CREATE}`],
    ],
    [
      "a value that is not among those allowed",
      'tools.github.listIssues({ state: "all" })',
      [
        `1:27 Type '"all"' is not assignable to type '"closed" | "open" | undefined'. | tools.github.listIssues(params?: { state?: "closed" | "open" }): Promise<any>`,
      ],
    ],
    ["no arguments at all", "tools.github.createIssue()", [`1:14 Expected 1 arguments, but got 0. | ${CREATE}`]],
    [
      "a missing await",
      'const i = tools.github.createIssue({ owner: "a", repo: "b", title: "c" })\ni.id',
      ["2:3 Property 'id' does not exist on type 'Promise<GithubCreateIssueResult>'. | Did you forget to use 'await'?"],
    ],
    [
      "a server without `tools`",
      "github.listIssues()",
      ["1:1 Cannot find name 'github'. | did you mean `tools.github`?"],
    ],
    ["a near miss of `tools`", "tool.github.listIssues()", ["1:1 Cannot find name 'tool'. | did you mean `tools`?"]],
    [
      "a wrong use of the result in a return",
      'return (await tools.github.createIssue({ owner: "", repo: "", title: "" })).nope',
      ["1:77 Property 'nope' does not exist on type 'GithubCreateIssueResult'."],
    ],
    [
      "a wrong use of its own input",
      "interface Input { a: number }\ninput.b",
      ["2:7 Property 'b' does not exist on type 'Input'."],
    ],
    [
      "an import that is not there",
      'import { nothing } from "toolyard"',
      ['1:10 "toolyard" has no export `nothing`. | there are tools, search, results, input, ToolError and the types'],
    ],
    [
      "something absent, for all that another scope has it",
      "{ const process = 1 }\nprocess.exit()",
      [
        "2:1 `process` is not there in the sandbox: there is no process, environment or command line; pass what the script needs as `input`.",
      ],
    ],
  ])("is told of %s", async (_, code, expected) => {
    expect(await check(code)).toEqual(expected)
  })

  it("gets the problems of a refused script without the compiler", async () => {
    expect(await check("process.exit()")).toEqual([expect.stringMatching(/^1:1 `process` is not there/)])
  })

  it("learns nothing of the disk", async () => {
    const own = JSON.stringify(import.meta.filename)
    expect(await check(`let a: typeof import(${own})`)).toEqual([expect.stringContaining("Cannot find module")])
    expect(await check(`/// <reference path=${own} />\nlet a = 1`)).toEqual([expect.stringContaining("not found")])
    expect(await check('let a: import("typescript/unstable/sync").API')).toEqual([
      expect.stringContaining("Cannot find module"),
    ])
  })
})

describe("declarations that change", () => {
  it("count from the next check on, in both directions", async () => {
    const code = "await tools.github.closeIssue({ id: 1 })"
    const more = GITHUB.replace("    /** Makes", "    closeIssue(params: { id: number }): Promise<any>\n    /** Makes")
    const newer = { version: 2, files: new Map([...DECLARATIONS.files, ["github", more]]) }
    expect(await check(code)).toHaveLength(1)
    expect(await check(code, newer)).toEqual([])
    expect(await check(`${code}\n1`)).toHaveLength(1)
  })

  it("may bring servers and take them away", async () => {
    const third = {
      version: 3,
      files: new Map([["third", "export interface Tools { third: { go(): Promise<number> } }"]]),
    }
    expect(await check("await tools.third.go() + 1", third)).toEqual([])
    expect(await check("tools.github.listIssues()", third)).toEqual([
      "1:7 There is no server `github`. | Servers: third",
    ])
    expect(await check("tools.x.y()", { version: 4, files: new Map() })).toEqual([
      "1:7 There is no server `x`. | There are none.",
    ])
    expect(await check("await tools.github.listIssues() // again")).toEqual([])
  })

  it("that are broken for one server leave the others whole", async () => {
    const broken = { version: 5, files: new Map([...DECLARATIONS.files, ["bad", "export interface Tools { bad: {{{"]]) }
    expect(await check("tools.slack.post({ channel: 1 })", broken)).toHaveLength(1)
  })
})

describe("the checker", () => {
  it("answers many checks in any number at once, each with its own findings", async () => {
    const found = await Promise.all(Array.from({ length: 30 }, (_, i) => check(`const a${i}: string = ${i}`)))
    expect(found.map(([first]) => first)).toEqual(
      found.map(() => "1:7 Type 'number' is not assignable to type 'string'."),
    )
  })

  it("does not check the same script twice against the same version", () => {
    const script = checker.prepare("1 + 1")
    expect(checker.prepare("1 + 1")).toBe(script)
    expect(checker.check(script, DECLARATIONS)).toBe(checker.check(script, DECLARATIONS))
  })

  onLinux("goes on when its compiler has died", async () => {
    const own = openChecker()
    const before = compilers()
    await own.warm(DECLARATIONS)
    const [compiler] = compilers().filter(pid => !before.includes(pid))
    process.kill(compiler as number, "SIGKILL")
    await allGone([compiler as number])
    expect(await own.check(own.prepare("tools.github.x()"), DECLARATIONS)).toHaveLength(1)
    await own.close()
  })

  onLinux("gives up a script that takes too long, and is there for the next", async () => {
    const others = compilers()
    const own = openChecker({ timeoutMs: 2000 })
    await own.warm(DECLARATIONS)
    const slow = own.check(own.prepare(SLOW), DECLARATIONS)
    const queued = own.check(own.prepare("2"), DECLARATIONS)
    await Promise.all([slow, queued].map(late => expect(late).rejects.toMatchObject({ code: "timeout" })))
    await until(() => descendantsOf(process.pid).every(pid => others.includes(pid)), "the compiler to be gone")
    expect(await own.check(own.prepare("const a: string = 1"), DECLARATIONS)).toHaveLength(1)
    expect(await own.check(own.prepare("2"), DECLARATIONS)).toEqual([])
    await own.close()
  })

  onLinux("leaves no process behind when it is closed, even at work", async () => {
    const own = openChecker()
    const before = descendantsOf(process.pid)
    await own.warm(DECLARATIONS)
    const made = descendantsOf(process.pid).filter(pid => !before.includes(pid))
    expect(made).toHaveLength(1)
    const last = own.check(own.prepare("const a = 1"), DECLARATIONS)
    const refused = expect(last).rejects.toMatchObject({ code: "cancelled" })
    await own.close()
    await refused
    expect(descendantsOf(process.pid).filter(pid => made.includes(pid))).toEqual([])
    await expect(own.check(own.prepare("2"), DECLARATIONS)).rejects.toMatchObject({ code: "cancelled" })
  })

  onLinux("takes its compiler along when the process is killed", async () => {
    const module = JSON.stringify(new URL("./checker.ts", import.meta.url).href)
    const program = `import { openChecker } from ${module}
      await openChecker().warm({ version: 1, files: new Map() }); console.log("warm"); setInterval(() => {}, 1000)`
    const hub = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "ignore"] })
    await once(hub.stdout, "data")
    const [compiler] = descendantsOf(hub.pid as number)
    expect(isAlive(compiler as number)).toBe(true)
    hub.kill("SIGKILL")
    await allGone([compiler as number])
  })

  it("does not keep a process alive that has nothing else to do", async () => {
    const module = JSON.stringify(new URL("./checker.ts", import.meta.url).href)
    const program = `import { openChecker } from ${module}
      const checker = openChecker()
      console.log((await checker.check(checker.prepare("const a: string = 1"), { version: 1, files: new Map() })).length)`
    const hub = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "ignore"] })
    const [[data], [code]] = await Promise.all([once(hub.stdout, "data"), once(hub, "exit")])
    expect([String(data), code]).toEqual(["1\n", 0])
  })
})
