/** Setting a yard up from the shell: `init`, `add`, `remove`, `doctor`. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { entry, openPlace, type Place, SERVER } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

describe("init", { timeout: 60_000 }, () => {
  it("writes a commented file that is valid, and says what comes next", async () => {
    const { code, stdout } = await place.cli(["init"])
    expect(code).toBe(0)
    expect(stdout).toContain("toolyard add")
    expect(place.read("toolyard.json")).toContain("// ")
    const doctor = JSON.parse((await place.cli(["doctor", "--json"])).stdout)
    expect(doctor).toMatchObject({ ok: true })
    expect(doctor.checks.every(({ status }: { status: string }) => status === "ok")).toBe(true)
  })

  it("does not replace a file unless it is told to", async () => {
    place.write("toolyard.json", "{ /* mine */ }")
    const refused = await place.cli(["init"])
    expect(refused).toMatchObject({ code: 64, stdout: "" })
    expect(refused.stderr).toContain("--force")
    expect(place.read("toolyard.json")).toBe("{ /* mine */ }")
    expect((await place.cli(["init", "--force", "--json"])).stdout).toBe(
      `${JSON.stringify({ file: join(place.folder, "toolyard.json") })}\n`,
    )
    expect(place.read("toolyard.json")).toContain("mcpServers")
  })
})

describe("a first server of one's own", { timeout: 60_000 }, () => {
  it.each([
    ["ts", "Hello, you!"],
    ["py", "Hello, you!"],
  ])("V10 is written by init --example %s, and works at once", async (language, text) => {
    const { code, stdout } = await place.cli(["init", "--example", language])
    expect(code).toBe(0)
    expect(stdout).toContain(`hello.${language}`)
    expect((await place.cli(["call", "hello.greet", "--arg", "name=you"])).stdout).toBe(`${text}\n`)
    const again = await place.cli(["init", "--example", language])
    expect(again.code).toBe(64)
  })

  it("V10 is added from a file, a command line or nothing at all, with paths from where the shell stands", async () => {
    place.write("code/math.ts", "export const double = (n: number): number => n * 2\n")
    place.write("code/math.py", "def halve(n: float) -> float:\n    return n / 2\n")
    await place.cli(["init"])
    const inCode = { cwd: join(place.folder, "code") }
    const added = await place.cli(["add", "ts", "--file", "math.ts"], inCode)
    expect(added).toMatchObject({ code: 0, stderr: "" })
    expect(added.stdout).toContain("It is up and offers 1 tool: double.")
    expect((await place.cli(["add", "py", "--file", "math.py"], inCode)).stdout).toContain("halve")
    expect((await place.cli(["add", "list", "--tool", "--", "ls", "--", "{{path}}"])).stdout).toContain("1 tool: list")
    expect((await place.cli(["add", "notes", "--static"])).code).toBe(0)
    const written = place.read("toolyard.json")
    for (const file of ["./code/math.ts", "./code/math.py"]) expect(written).toContain(JSON.stringify(file))
    expect((await place.cli(["call", "ts.double", '{"n":21}'])).stdout).toBe("42\n")
    expect((await place.cli(["call", "py.halve", '{"n":21}'])).stdout).toBe("10.5\n")
    expect((await place.cli(["call", "list.list", '{"path":"code"}'])).stdout).toContain("math.ts")
    const missing = await place.cli(["add", "gone", "--file", "gone.ts"])
    expect(missing.code).toBe(64)
    expect(missing.stderr).toContain("there is no file")
  })
})

describe("add and remove", { timeout: 60_000 }, () => {
  it("make a working yard in two commands", async () => {
    const added = await place.cli(["add", "demo", "--", process.execPath, SERVER])
    expect(added).toMatchObject({ code: 0, stderr: "" })
    expect(added.stdout).toContain("It is up and offers 8 tools: echo, add,")
    expect((await place.cli(["call", "demo.add", '{"a":1,"b":2}'])).stdout).toBe("3\n")
  })

  it("keep the comments and the rest of the file", async () => {
    await place.cli(["init"])
    const before = place.read("toolyard.json")
    await place.cli([
      "add",
      "demo",
      "--no-check",
      "--env",
      "A=1",
      "--env",
      "B=x=y",
      "--description",
      "For tests",
      "--",
      "node",
      "-x",
      "server.js",
    ])
    const between = place.read("toolyard.json")
    const comments = (text: string): string[] => text.split("\n").filter(line => line.trim().startsWith("//"))
    expect(comments(between)).toEqual(comments(before))
    const { servers } = JSON.parse((await place.cli(["servers", "--json"])).stdout)
    expect(servers).toMatchObject([{ name: "demo", type: "stdio", description: "For tests" }])
    expect(between).toContain('"B": "x=y"')
    const removed = await place.cli(["remove", "demo"])
    expect(removed).toMatchObject({ code: 0, stderr: "" })
    expect(comments(place.read("toolyard.json"))).toEqual(comments(before))
    expect(place.read("toolyard.json")).not.toContain("For tests")
  })

  it("write servers that run elsewhere, and whole entries", async () => {
    const runs = [
      ["web", "--url", "https://example.test/mcp", "--header", "X-Team=tools"],
      ["old", "--url", "https://example.test/sse", "--sse"],
      ["whole", "--entry", '{"command":"node","timeoutMs":500,"exclude":["a*"]}'],
    ]
    for (const args of runs)
      expect(await place.cli(["add", ...args, "--no-check"])).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(place.read("toolyard.json")).mcpServers).toEqual({
      web: { type: "http", url: "https://example.test/mcp", headers: { "X-Team": "tools" } },
      old: { type: "sse", url: "https://example.test/sse" },
      whole: { command: "node", timeoutMs: 500, exclude: ["a*"] },
    })
  })

  it("warn of a secret that is written into the file, without printing it", async () => {
    const secret = "ghp_0123456789abcdef"
    const typed = await place.cli(["add", "one", "--no-check", "--env", `GITHUB_TOKEN=${secret}`, "--", "node"])
    const named = await place.cli(["add", "two", "--no-check", "--env", "GITHUB_TOKEN=${GITHUB_TOKEN:-}", "--", "node"])
    expect(typed.code).toBe(0)
    expect(typed.stderr).toContain("warning: GITHUB_TOKEN")
    expect(typed.stderr).toContain("${")
    expect(typed.stdout + typed.stderr).not.toContain(secret)
    expect(place.read("toolyard.json")).toContain(secret)
    expect(named.stderr).toBe("")
  })

  it("say when a new server can't be reached, and keep it", async () => {
    const { code, stdout } = await place.cli(["add", "broken", "--json", "--", process.execPath, SERVER, "--crash"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      name: "broken",
      file: join(place.folder, "toolyard.json"),
      check: { state: "down", tools: [], reason: expect.stringContaining("cannot open the database") },
    })
    expect(place.read("toolyard.json")).toContain("broken")
  })

  it("refuse what can't work before anything is written", async () => {
    place.configure({ demo: entry() })
    const before = place.read("toolyard.json")
    const wrong: [args: string[], code: number][] = [
      [["demo", "--", "node"], 64],
      [["new"], 64],
      [["new", "--url", "https://example.test", "--", "node"], 64],
      [["new", "--entry", "not json"], 64],
      [["new", "--url", "nonsense"], 78],
      [["new", "--entry", '{"type":"stdoi","command":"node"}'], 78],
      [["meta", "--", "node"], 78],
      [["new", "-y", "node"], 64],
    ]
    const ran = await Promise.all(wrong.map(([args]) => place.cli(["add", ...args])))
    expect(ran.map(({ code }) => code)).toEqual(wrong.map(([, code]) => code))
    expect(ran.at(-1)!.stderr).toContain("--")
    expect(place.read("toolyard.json")).toBe(before)
    expect((await place.cli(["add", "demo", "--force", "--no-check", "--", "node"])).code).toBe(0)
  })

  it("work on the user's own file with --user", async () => {
    const file = join(place.base, ".config", "toolyard", "toolyard.json")
    await place.cli(["add", "mine", "--user", "--", process.execPath, SERVER])
    expect(JSON.parse(readFileSync(file, "utf8")).mcpServers).toHaveProperty("mine")
    expect(place.has("toolyard.json")).toBe(false)
    expect(existsSync(join(place.base, ".config", "toolyard", ".toolyard"))).toBe(false)
    const wrongFile = await place.cli(["remove", "mine"])
    expect(wrongFile.code).toBe(66)
    expect(wrongFile.stderr).toContain("--user")
    expect((await place.cli(["remove", "mine", "--user"])).code).toBe(0)
  })

  it("change the .mcp.json that is in use, and do not hide it behind a new file", async () => {
    place.write(".mcp.json", { mcpServers: { first: entry() } })
    await place.cli(["add", "second", "--no-check", "--", "node"])
    expect(place.has("toolyard.json")).toBe(false)
    expect(Object.keys(JSON.parse(place.read(".mcp.json")).mcpServers)).toEqual(["first", "second"])
  })
})

describe("doctor", { timeout: 60_000 }, () => {
  it("tells of a server that it is asked about what became of its description, though all is well", async () => {
    const get = { operationId: "getPet", responses: { 200: { description: "ok" } } }
    place.write(
      "api.json",
      JSON.stringify({ openapi: "3.0.0", info: { title: "Pets", version: "1" }, paths: { "/pets/{id}": { get } } }),
    )
    place.configure({ pets: { type: "openapi", spec: "./api.json", server: "http://127.0.0.1:9" } })
    const { code, stdout } = await place.cli(["doctor", "pets", "--json"])
    expect(code).toBe(0)
    const [pets] = JSON.parse(stdout).servers
    expect(pets).toMatchObject({ status: "ok", state: "up", tools: 1 })
    expect(pets.logs.join("\n")).toMatch(/1 operation; 2 repairs[\s\S]*undeclared_path_parameter/)
  })

  it("finds nothing wrong with a yard that is well", async () => {
    place.configure({ demo: entry() })
    const { code, stdout } = await place.cli(["doctor"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/✓ demo: up, legacy protocol, 8 tools, connected in \d+ ms/)
    expect(stdout).toContain("All is well.")
  })

  it("shows why a server is down, with its last lines, and exits with 1", async () => {
    place.configure({ demo: entry(), broken: entry("--crash") })
    const [text, json, other] = await Promise.all([
      place.cli(["doctor"]),
      place.cli(["doctor", "broken", "--json"]),
      place.cli(["doctor", "demo"]),
    ])
    expect(text.code).toBe(1)
    expect(text.stdout).toContain("✗ broken: down")
    expect(text.stdout).toContain("| cannot open the database")
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      servers: [
        {
          name: "broken",
          status: "problem",
          state: "down",
          logs: expect.arrayContaining(["cannot open the database"]),
        },
      ],
    })
    expect(other.code).toBe(0)
  })

  it("names file, line, key and fix of what is wrong in the configuration", async () => {
    place.write("toolyard.json", '{\n  "mcpServers": {\n    "demo": { "comand": "node" }\n  }\n}\n')
    const { code, stdout } = await place.cli(["doctor"])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ configuration: .*toolyard\.json:3:\d+ mcpServers\.demo/)
    expect(stdout).toContain("→ ")
  })

  it("warns of a variable that is not set, which alone is no failure", async () => {
    place.configure({ demo: entry(), needy: { ...entry(), env: { KEY: "${NOT_SET_ANYWHERE}" } } })
    const { code, stdout } = await place.cli(["doctor"])
    expect(code).toBe(0)
    expect(stdout).toContain("! configuration:")
    expect(stdout).toContain("NOT_SET_ANYWHERE")
  })

  it("reports a file that is not JSON, and the other commands go on without it", async () => {
    place.write("toolyard.json", '{ "mcpServers": ')
    const [doctor, tools] = await Promise.all([place.cli(["doctor", "--json"]), place.cli(["tools"])])
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({
        what: "configuration",
        status: "problem",
        message: expect.stringContaining("toolyard.json:1"),
      }),
    )
    expect(tools.code).toBe(0)
    expect(tools.stderr).toContain("toolyard.json:1")
  })
})
