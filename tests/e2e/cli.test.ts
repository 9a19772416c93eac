/** What every command has in common: help, errors, exit codes, JSON, and an empty yard. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { entry, openPlace, type Place } from "./run-cli.ts"

const COMMANDS = [
  ...["serve", "stdio", "servers", "tools", "search", "call"],
  ...["run", "repl", "types", "runs", "approvals", "scripts"],
  ...["init", "add", "remove", "doctor", "logs", "stats"],
]

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

describe("the command line", { timeout: 60_000 }, () => {
  it("prints its version, and nothing else", async () => {
    for (const flag of ["--version", "-V"]) {
      const ran = await place.cli([flag])
      expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" })
    }
  })

  it("prints help when it is asked for or when there is no command", async () => {
    const [asked, none, word] = await Promise.all([place.cli(["--help"]), place.cli([]), place.cli(["help"])])
    expect(asked).toMatchObject({ code: 0, stderr: "" })
    for (const command of COMMANDS) expect(asked.stdout).toMatch(new RegExp(`^  ${command} `, "m"))
    expect(none).toEqual(asked)
    expect(word).toEqual(asked)
  })

  it.each(COMMANDS)("has help with a purpose and examples for %s", async command => {
    const { code, stdout, stderr } = await place.cli([command, "--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`Usage: toolyard ${command}`)
    expect(stdout).toMatch(/\n\n[a-z].+\n/)
    expect(stdout).toMatch(new RegExp(`Examples:\n(?:.*\n)*.*toolyard ${command}`))
    if (command !== "stdio") expect(stdout).toContain("--json")
  })

  it("names the command that was meant, and exits with 64", async () => {
    const ran = await place.cli(["sreve"])
    expect(ran).toMatchObject({ code: 64, stdout: "" })
    expect(ran.stderr).toContain('did you mean "serve"?')
  })

  it("exits with 64 for an unknown option, a missing argument and a bad number", async () => {
    const wrong = [
      ["tools", "--jsn"],
      ["call"],
      ["serve", "--port", "70000"],
      ["search", "x", "--limit", "no"],
      ["servers", "x"],
    ]
    const ran = await Promise.all(wrong.map(args => place.cli(args)))
    expect(ran.map(({ code }) => code)).toEqual(wrong.map(() => 64))
    for (const { stdout, stderr } of ran) {
      expect(stdout).toBe("")
      expect(stderr).toMatch(/^error: .+\nhint: .+\n$/)
    }
  })

  it("says errors as one JSON object on stderr with --json, usage errors too", async () => {
    const [usage, unknown] = await Promise.all([
      place.cli(["tools", "--jsn", "--json"]),
      place.cli(["tools", "x", "--json"]),
    ])
    expect(usage).toMatchObject({ code: 64, stdout: "" })
    expect(JSON.parse(usage.stderr)).toMatchObject({ error: { code: "usage", hint: expect.any(String) } })
    expect(unknown).toMatchObject({ code: 66, stdout: "" })
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: "unknown_server", message: expect.any(String) } })
  })

  it("shows a stack trace only when it is asked for", async () => {
    const quiet = await place.cli(["tools", "x"])
    const loud = await place.cli(["tools", "x"], { env: { TOOLYARD_DEBUG: "1" } })
    expect(quiet.stderr).not.toMatch(/^\s+at /m)
    expect(loud.stderr).toMatch(/^\s+at /m)
  })

  it("uses colour where it is forced, and none where it is unwanted", async () => {
    place.configure({ demo: entry() })
    const [plain, forced, unwanted] = await Promise.all([
      place.cli(["tools"]),
      place.cli(["tools"], { env: { FORCE_COLOR: "1" } }),
      place.cli(["tools"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }),
    ])
    expect(forced.stdout).toContain("\x1b[1mdemo__echo")
    expect(plain.stdout).not.toContain("\x1b")
    expect(unwanted.stdout).toBe(plain.stdout)
  })
})

describe("a yard without a configuration", { timeout: 60_000 }, () => {
  it("T4 lists nothing, and says how to add something", async () => {
    const [servers, tools, search, logs] = await Promise.all([
      place.cli(["servers"]),
      place.cli(["tools"]),
      place.cli(["search", "anything"]),
      place.cli(["logs"]),
    ])
    for (const ran of [servers, tools, search, logs]) expect(ran).toMatchObject({ code: 0, stdout: "" })
    expect(servers.stderr).toContain("toolyard add")
    expect(tools.stderr).toContain("toolyard add")
  })

  it("T4 gives the same shapes as JSON", async () => {
    const [servers, tools, search, logs, doctor] = await Promise.all(
      [["servers"], ["tools"], ["search", "x"], ["logs"], ["doctor"]].map(args => place.cli([...args, "--json"])),
    )
    expect(JSON.parse(servers!.stdout)).toEqual({ servers: [] })
    expect(JSON.parse(tools!.stdout)).toEqual({ tools: [] })
    expect(JSON.parse(search!.stdout)).toEqual({ results: [] })
    expect(JSON.parse(logs!.stdout)).toEqual({ rows: [] })
    expect(JSON.parse(doctor!.stdout)).toMatchObject({ ok: true, servers: [] })
    expect(doctor!.code).toBe(0)
  })

  it("T4 has clear errors for what can't be there, and leaves no trace in the folder", async () => {
    const ran = await Promise.all(
      [
        ["call", "a.b"],
        ["tools", "a"],
        ["remove", "a"],
        ["doctor", "a"],
        ["logs", "a"],
      ].map(args => place.cli(args)),
    )
    expect(ran.map(({ code }) => code)).toEqual([66, 66, 66, 66, 66])
    await place.cli(["servers"])
    expect(place.has(".toolyard")).toBe(false)
    expect(place.has("toolyard.json")).toBe(false)
  })

  it("T4 is served all the same", async () => {
    const { line } = await place.serve()
    expect(line.servers).toEqual([])
    const tools = await place.cli(["tools", "--json"])
    expect(JSON.parse(tools.stdout)).toEqual({ tools: [] })
  })
})

describe("what there is", { timeout: 60_000 }, () => {
  it("T10 lists servers and tools, aligned", async () => {
    place.configure({ demo: { ...entry(), description: "For tests" }, second: { ...entry(), include: ["add"] } })
    const [servers, tools, one] = await Promise.all([
      place.cli(["servers"]),
      place.cli(["tools"]),
      place.cli(["tools", "second"]),
    ])
    expect(servers.stdout).toMatch(/^demo {4}up {2}stdio {2}8 tools {2}For tests\nsecond {2}up {2}stdio {2}1 tool$/m)
    expect(tools.stdout).toMatch(/^demo__echo +Says the same again\.\ndemo__add +Adds two numbers\.$/m)
    expect(one.stdout).toBe("second__add  Adds two numbers.\n")
  })

  it("T10 gives a tool's schema when asked", async () => {
    place.configure({ demo: { ...entry(), include: ["add"] } })
    const [text, json] = await Promise.all([
      place.cli(["tools", "demo", "--schema"]),
      place.cli(["tools", "demo", "--json"]),
    ])
    expect(text.stdout).toContain('"a": {')
    const { tools } = JSON.parse(json.stdout)
    expect(tools).toMatchObject([
      { id: "demo__add", server: "demo", name: "add", definition: { inputSchema: { required: ["a", "b"] } } },
    ])
  })

  it("T10 finds tools by what they do, with their signature", async () => {
    place.configure({ demo: entry() })
    const [text, json] = await Promise.all([
      place.cli(["search", "sum", "two", "numbers"]),
      place.cli(["search", "add numbers", "--limit", "1", "--server", "demo", "--json"]),
    ])
    expect(text.stdout).toContain("demo__add\n  tools.demo.add(params: { a: number; b: number })")
    expect(JSON.parse(json.stdout).results).toMatchObject([
      { id: "demo__add", server: "demo", score: expect.any(Number) },
    ])
  })

  it("T10 names the nearest server or tool when there is none of that name", async () => {
    place.configure({ github: entry() })
    const asked = [
      ["tools", "githb"],
      ["search", "x", "--server", "gihub"],
      ["call", "githb.echo"],
      ["call", "github.ecko"],
      ["call", "echo"],
    ]
    const ran = await Promise.all(asked.map(args => place.cli(args)))
    expect(ran.map(({ code }) => code)).toEqual(asked.map(() => 66))
    for (const { stderr } of ran.slice(0, 3)) expect(stderr).toContain('did you mean "github"?')
    for (const { stderr } of ran.slice(3)) expect(stderr).toContain('did you mean "github.echo"?')
  })

  it("T14 offers only what include and exclude leave", async () => {
    place.configure({
      some: { ...entry(), includeTools: ["echo", "add"] },
      most: { ...entry(), excludeTools: ["w*", "hang"] },
    })
    const [some, most, refused] = await Promise.all([
      place.cli(["tools", "some", "--json"]),
      place.cli(["tools", "most", "--json"]),
      place.cli(["call", "most.wipe"]),
    ])
    const names = (stdout: string): string[] => JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)
    expect(names(some.stdout)).toEqual(["echo", "add"])
    expect(names(most.stdout)).toEqual(["echo", "add", "mixed", "nothing", "fail", "environment"])
    expect(refused.code).toBe(66)
  })

  it("C4 lists the others when a server is down, and says so", async () => {
    place.configure({ demo: entry(), broken: entry("--crash") })
    const [tools, json, servers] = await Promise.all([
      place.cli(["tools"]),
      place.cli(["tools", "--json"]),
      place.cli(["servers", "--json"]),
    ])
    expect(tools.code).toBe(0)
    expect(tools.stdout).toContain("demo__echo")
    expect(tools.stderr).toMatch(/^warning: broken is down: .*cannot open the database/)
    expect(JSON.parse(json.stdout).warnings).toEqual([expect.stringContaining("broken is down")])
    expect(JSON.parse(servers.stdout).servers).toMatchObject([
      { name: "demo", state: "up", tools: 8 },
      { name: "broken", state: "down", tools: 0, reason: expect.stringContaining("cannot open the database") },
    ])
  })
})
