/** `toolyard repl`, from a pipe and at a terminal. */
import { spawn, spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BIN, entry, openPlace, type Place } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
  place.configure({ demo: entry() })
})
afterEach(() => place.close())

const repl = (lines: string[], ...args: string[]) => place.cli(["repl", ...args], { input: `${lines.join("\n")}\n` })

describe.each(["in this process", "through a hub"])("repl %s", { timeout: 60_000 }, where => {
  beforeEach(async () => {
    if (where === "through a hub") await place.serve()
  })

  it("G7 T8 runs each entry, and remembers values and the last one", async () => {
    const ran = await repl([
      "const { sum } = await tools.demo.add({ a: 1, b: 2 })",
      "sum + 1",
      "_ * 10",
      "let word = 'x', f = () => 1; word.repeat(sum)",
      "_",
    ])
    expect(ran).toEqual({ code: 0, stdout: "4\n40\nxxx\nxxx\n", stderr: "f is not JSON, and is not remembered\n" })
  })

  it("G7 goes on with an entry while something in it is open", async () => {
    const ran = await repl([
      "const list = [",
      "  1,",
      "  2,",
      "]",
      "for (const one of list) {",
      "  console.log(one)",
      "}",
    ])
    expect(ran).toEqual({ code: 0, stdout: "1\n2\n", stderr: "" })
  })

  it("G7 says what is wrong with an entry where it was typed, and goes on", async () => {
    const { code, stdout, stderr } = await repl([
      "const n = 1",
      "n.nothing.more",
      "const s: string = n + 1 as number",
      "n",
    ])
    expect(stderr).toContain("at script.ts:1:")
    expect(stderr).toMatch(/1:7 Type 'number' is not assignable to type 'string'/)
    expect({ code, stdout }).toEqual({ code: 65, stdout: "1\n" })
  })

  it("G7 has commands for types and search", async () => {
    const { stdout, stderr } = await repl([
      ".types demo.add",
      ".search add numbers",
      ".types dmo",
      ".hlep",
      ".exit",
      "1",
    ])
    expect(stdout).toContain("interface DemoAddParams")
    expect(stdout).toContain("demo__add\n  tools.demo.add(")
    expect(stderr).toContain('did you mean "demo"?')
    expect(stderr).toContain("There is no .hlep")
    expect(stdout).not.toMatch(/^1$/m)
  })

  it("prints a report for each entry with --json", async () => {
    const { stdout } = await repl(["const a = 1; a + 1", "a"], "--json")
    const reports = stdout
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line))
    expect(reports).toMatchObject([
      { status: "completed", value: 2 },
      { status: "completed", value: 1 },
    ])
  })
})

describe.skipIf(spawnSync("script", ["--version"]).status !== 0)("repl at a terminal", { timeout: 60_000 }, () => {
  /** Types each part once the one before it has shown what it waits for. */
  async function sit(steps: [seen: RegExp, typed: string][]): Promise<string> {
    const child = spawn("script", ["-qfec", `exec ${process.execPath} ${BIN} repl`, "/dev/null"], {
      cwd: place.folder,
      env: { PATH: process.env.PATH, HOME: place.base, NO_COLOR: "1", TERM: "xterm" },
      stdio: ["pipe", "pipe", "inherit"],
    })
    let raw = ""
    let shown = ""
    let from = 0
    const left = [...steps]
    const ended = new Promise<void>(resolve => child.once("close", () => resolve()))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      raw += text
      shown = stripVTControlCharacters(raw)
      const found = left[0]?.[0].exec(shown.slice(from))
      if (!found) return
      from = shown.length
      child.stdin.write((left.shift() as [RegExp, string])[1])
    })
    await ended
    expect(left).toEqual([])
    return shown
  }

  it("G7 completes names, ends an entry with Ctrl-C and remembers what was typed", async () => {
    const shown = await sit([
      [/> $/, "await tools.dem\t"],
      [/tools\.demo/, ".ad\t"],
      [/tools\.demo\.add|add$/, "({ a: 20, b: 22 })\r"],
      [/42[\s\S]*> $/, "await tools.demo.hang({})\r"],
      [/calling demo__hang/, "\u0003"],
      [/> $/, "\u0004"],
    ])
    expect(shown).toContain('"sum": 42')
    expect(shown).toContain("interrupted")
    expect(place.read(".toolyard/repl-history")).toContain("tools.demo.add({ a: 20, b: 22 })\n")
  })
})
