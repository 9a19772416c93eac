/** Code mode from the shell: scripts, what becomes of them, and what a person decides in them. */
import { spawn, spawnSync } from "node:child_process"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { RunDetails, RunReport, RunSummary } from "../../packages/toolyard/src/model/run.ts"
import { BIN, entry, openPlace, openWitness, type Place, type Ran } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
  place.configure({ demo: entry() }, { policy: { rules: [{ match: "demo__wipe", do: "ask" }] } })
})
afterEach(() => place.close())

const ADD = "await tools.demo.add({ a: 1, b: 2 })"
const WIPE = 'console.log("before"); const said = await tools.demo.wipe({}); console.log("after"); return { said }'

const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await place.cli([...args, "--json"])).stdout) as T
const runs = async (): Promise<RunSummary[]> => (await json<{ runs: RunSummary[] }>("runs")).runs
const runIdIn = ({ stderr }: Ran): string => /Run (\S+) waits for approval/.exec(stderr)?.[1] as string

/** The same promises hold with a hub and without one. */
describe.each(["in this process", "through a hub"])("run %s", { timeout: 60_000 }, where => {
  beforeEach(async () => {
    if (where === "through a hub") await place.serve()
  })

  it("T9 takes a file, code, - and a pipe, and prints the value", async () => {
    place.write(
      "sum.ts",
      `import { tools } from "toolyard"\nconst { sum }: { sum: number } = ${ADD}\nexport default sum\n`,
    )
    const ran = await Promise.all([
      place.cli(["run", "sum.ts"]),
      place.cli(["run", "-e", `return (${ADD}).sum`]),
      place.cli(["run", "-"], { input: `const { sum } = ${ADD}\nsum` }),
      place.cli(["run"], { input: `(${ADD}).sum` }),
    ])
    for (const one of ran) expect(one).toEqual({ code: 0, stdout: "3\n", stderr: "" })
  })

  it("T8 sends what the script logs to stdout and stderr, and prints its value after that", async () => {
    const code = 'console.log("a", { b: 1 }); console.warn("w"); console.info("i"); console.error("e"); return "x\\ny"'
    const [shown, quiet, object] = await Promise.all([
      place.cli(["run", "-e", code]),
      place.cli(["run", "-e", code, "--quiet"]),
      place.cli(["run", "-e", "return { a: [1] }"]),
    ])
    expect(shown).toMatchObject({ code: 0, stderr: "w\ne\n" })
    expect(shown.stdout).toMatch(/^a .*b.*1.*\ni\nx\ny\n$/)
    expect(quiet.stdout).toBe(shown.stdout.replace("x\ny\n", ""))
    expect(object.stdout).toBe('{\n  "a": [\n    1\n  ]\n}\n')
  })

  it("T9 reports a type error before anything runs, with its place, and exits with 65", async () => {
    const code = 'console.log("ran")\nawait tools.demo.wipe({})\nawait tools.demo.add({ a: "1", b: 2 })'
    place.write("wrong.ts", code)
    const { code: exit, stdout, stderr } = await place.cli(["run", "wrong.ts"])
    expect({ exit, stdout }).toEqual({ exit: 65, stdout: "" })
    expect(stderr).toContain("3:24")
    expect(stderr).toContain('  await tools.demo.add({ a: "1", b: 2 })\n                         ^')
    expect((await place.cli(["logs"])).stdout).not.toContain("demo__wipe")
    const unchecked = await place.cli(["run", "-e", 'return (1 as any as string) + ("a" * 1)', "--no-check"])
    expect(unchecked).toMatchObject({ code: 0 })
  })

  it("T8 shows where the script threw, and exits with 1", async () => {
    place.write("lib/throw.ts", 'const a = 1\nfunction fail() {\n  throw new TypeError("no " + a)\n}\nfail()\n')
    const { code, stdout, stderr } = await place.cli(["run", "lib/throw.ts"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("error: TypeError: no 1\n")
    expect(stderr).toMatch(/at fail lib\/throw\.ts:3:\d+/)
  })

  it("T8 exits with the code of the error that ended the script", async () => {
    const [tool, refused, limit, unknown] = await Promise.all([
      place.cli(["run", "-e", "await tools.demo.fail({})"]),
      place.cli(["run", "-e", "await tools.demo.wipe({})", "--read-only"]),
      place.cli(["run", "-e", "await tools.demo.hang({})", "--timeout", "500"]),
      place.cli(["run", "--script", "nobody"]),
    ])
    expect(tool.stderr).toContain("the disk is full")
    expect(limit.stderr).toContain("sandbox.timeoutMs")
    expect([tool, refused, limit, unknown].map(({ code }) => code)).toEqual([1, 77, 75, 66])
  })

  it("T9 gives the script its input, as JSON, from a file and from stdin", async () => {
    place.write("input.json", '{ "n": 3 }')
    const ran = await Promise.all([
      place.cli(["run", "-e", "input.n", "--input", '{"n": 3}']),
      place.cli(["run", "-e", "input.n", "--input", "@input.json"]),
      place.cli(["run", "-e", "input.n", "--input", "-"], { input: '{"n": 3}' }),
    ])
    for (const one of ran) expect(one).toEqual({ code: 0, stdout: "3\n", stderr: "" })
  })

  it("prints the report and nothing else with --json", async () => {
    const ran = await place.cli(["run", "-e", `console.log("hi"); return ${ADD}`, "--json"])
    const report = JSON.parse(ran.stdout) as RunReport
    expect(ran).toMatchObject({ code: 0, stderr: "" })
    expect(report).toMatchObject({
      status: "completed",
      value: { sum: 3 },
      logs: ["hi"],
      calls: [{ id: 1, tool: "demo__add", status: "ok" }],
    })
  })

  it("N3 prints a value whole that is too large for a model", async () => {
    const { stdout, stderr } = await place.cli(["run", "-e", 'return { text: "words ".repeat(100_000) }'])
    expect(JSON.parse(stdout)).toEqual({ text: "words ".repeat(100_000) })
    expect(stderr).toBe("")
  })

  it("N2 leaves a run waiting for approval that nobody here can give, and says how to decide", async () => {
    const ran = await place.cli(["run", "-e", WIPE])
    expect(ran).toMatchObject({ code: 77, stdout: "before\n" })
    const runId = runIdIn(ran)
    expect(ran.stderr).toContain("demo__wipe {}")
    expect(ran.stderr).toContain(`toolyard approvals approve ${runId}`)
    const { approvals } = await json<{ approvals: object[] }>("approvals")
    expect(approvals).toMatchObject([{ runId, tool: "demo__wipe", args: {}, done: [] }])
    expect((await place.cli(["approvals"])).stdout).toContain(`run ${runId}`)
  })

  it("N1 N2 goes on with the run once it is approved", async () => {
    const runId = runIdIn(await place.cli(["run", "-e", WIPE]))
    const approved = await place.cli(["approvals", "approve", runId])
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining(`Approved demo__wipe of run ${runId}.`) })
    if (where === "in this process") expect(approved.stdout).toBe('after\n{\n  "said": "wiped"\n}\n')
    const waited = await place.cli(["runs", runId, "--wait"])
    expect(waited.code).toBe(0)
    expect(waited.stdout).toContain('"said": "wiped"')
    expect((await json<RunDetails>("runs", runId)).logs.map(({ text }) => text)).toEqual(["before", "after"])
    expect((await place.cli(["approvals", "approve", runId])).code).toBe(66)
  })

  it("N2 tells the script that a person denied it, and why", async () => {
    const code = `try { await tools.demo.wipe({}) } catch (error) { return [error.code, error.message] }`
    const runId = runIdIn(await place.cli(["run", "-e", code]))
    const { approvals } = await json<{ approvals: { id: string }[] }>("approvals")
    const denied = await place.cli(["approvals", "deny", approvals[0]?.id as string, "--reason", "keep it"])
    expect(denied).toMatchObject({ code: 0, stderr: expect.stringContaining("Denied demo__wipe") })
    const { value } = JSON.parse((await place.cli(["runs", runId, "--wait", "--json"])).stdout) as RunReport
    expect(value).toEqual(["approval_denied", expect.stringContaining("keep it")])
  })

  it("N1 lists the runs, shows one with its calls, and runs it again from its record", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag) })
    await place.cli(["run", "-e", `console.log("hi"); await tools.demo.fail({}).catch(() => {}); return ${ADD}`])
    const [summary] = await runs()
    expect(summary).toMatchObject({ status: "completed", calls: 2, title: expect.stringContaining("console.log") })
    const { runId } = summary as RunSummary
    const [listed, shown, details] = await Promise.all([
      place.cli(["runs"]),
      place.cli(["runs", runId]),
      json<RunDetails>("runs", runId),
    ])
    expect(listed.stdout).toMatch(new RegExp(`${runId} +completed .* 2 calls`))
    expect(shown.stdout).toMatch(/1 +\+\d+ ms +demo__fail +error .*the disk is full/)
    expect(shown.stdout).toMatch(/2 +\+\d+ ms +demo__add +ok +[\d.]+ ms +\{"a":1,"b":2\}/)
    expect(shown.stdout).toContain("logs\n  hi\nvalue\n")
    expect(details).toMatchObject({ value: { sum: 3 }, calls: [{ status: "error" }, { args: { a: 1, b: 2 } }] })

    const called = (): number => witness.heard.filter(({ what }) => what.startsWith("called")).length
    const before = called()
    const replayed = await place.cli(["runs", runId, "--replay"])
    witness.close()
    expect(replayed).toMatchObject({ code: 0, stdout: '{\n  "sum": 3\n}\n' })
    expect(called()).toBe(before)
  })

  it("N7 saves a run's script under a name, with versions, and runs it by that name", async () => {
    const code = "/** Adds one. */\ntype Input = { n: number }\nreturn input.n + 1"
    await place.cli(["run", "-e", code, "--input", '{"n": 1}'])
    const { runId } = (await runs())[0] as RunSummary
    const saved = await place.cli(["scripts", "save", "plus", "--run", runId])
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining("Saved plus@1.") })
    place.write("plus.ts", code.replace("+ 1", "+ 2"))
    await place.cli(["scripts", "save", "plus", "plus.ts"])
    const [first, newest, list, shown] = await Promise.all([
      place.cli(["run", "--script", "plus@1", "--input", '{"n": 1}']),
      place.cli(["run", "--script", "plus", "--input", '{"n": 1}']),
      json<{ scripts: object[] }>("scripts"),
      place.cli(["scripts", "show", "plus@1"]),
    ])
    expect([first.stdout, newest.stdout]).toEqual(["2\n", "3\n"])
    expect(shown.stdout).toBe(`${code}\n`)
    expect(list.scripts).toMatchObject([
      { name: "plus", version: 2, description: "Adds one.", inputSchema: { properties: { n: { type: "number" } } } },
    ])
    expect((await place.cli(["scripts", "remove", "plus"])).code).toBe(0)
    expect((await place.cli(["run", "--script", "plus"])).code).toBe(66)
  })

  it("T10 prints the types of all, of a server and of a tool, and names the nearest", async () => {
    const [all, server, tool, wrong, typo] = await Promise.all([
      place.cli(["types"]),
      place.cli(["types", "demo"]),
      place.cli(["types", "demo.add"]),
      place.cli(["types", "dmo"]),
      place.cli(["types", "demo.ad"]),
    ])
    expect(all.stdout).toContain("DemoEchoParams")
    expect(server).toEqual(all)
    expect(tool.stdout).toContain("DemoAddParams")
    expect(tool.stdout).not.toContain("DemoEchoParams")
    expect([wrong.code, typo.code]).toEqual([66, 66])
    expect(wrong.stderr).toContain('did you mean "demo"?')
    expect(typo.stderr).toMatch(/did you mean .*add/)
  })

  it("ends the run on Ctrl-C with 130, and the record says so", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag) })
    const running = place.start(["run", "-e", "await tools.demo.hang({})"])
    await witness.until("called hang")
    running.child.kill("SIGINT")
    expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "" })
    witness.close()
    await expect.poll(async () => (await runs())[0]?.status, { timeout: 10_000 }).toBe("cancelled")
  })

  it("counts calls and runs", async () => {
    await place.cli(["run", "-e", ADD])
    const [shown, counted] = await Promise.all([
      place.cli(["stats"]),
      json<{ servers: Record<string, object>; runs?: object }>("stats"),
    ])
    expect(counted.servers.demo).toMatchObject({ ok: 1, failed: 0 })
    expect(shown.stdout).toMatch(/^demo +1 +0 +0 +0 /m)
    if (where === "in this process") expect(shown.stderr).toContain("No hub is running")
    else expect(counted.runs).toMatchObject({ completed: 1, failed: 0 })
  })
})

describe("run", { timeout: 60_000 }, () => {
  it("T9 wants exactly one script, and says so with 64", async () => {
    const wrong = [
      ["run", "a.ts", "-e", "1"],
      ["run", "-e", "1", "--script", "a"],
      ["run"],
      ["run", "-e", " "],
      ["run", "-e", "1", "--input", "{"],
      ["run", "-", "--input", "-"],
      ["run", "-e", "1", "--background"],
      ["runs", "--wait"],
      ["approvals", "aprove", "x"],
      ["scripts", "sav", "x"],
      ["scripts", "save", "x"],
    ]
    const ran = await Promise.all(wrong.map(args => place.cli(args)))
    expect(ran.map(({ code }) => code)).toEqual(wrong.map(() => 64))
    for (const { stderr } of ran) expect(stderr).toMatch(/^error: .+\nhint: .+\n$/)
    expect((await place.cli(["run", "nowhere.ts"])).code).toBe(66)
  })

  it("T4 runs without a configuration, and leaves no trace in the folder", async () => {
    const empty = openPlace()
    try {
      expect(await empty.cli(["run", "-e", "return 1 + 1"])).toEqual({ code: 0, stdout: "2\n", stderr: "" })
      for (const command of ["runs", "approvals", "scripts", "stats", "types"])
        expect(await empty.cli([command])).toMatchObject({ code: 0 })
      expect(empty.has(".toolyard")).toBe(false)
    } finally {
      await empty.close()
    }
  })

  it("goes on in the background of a hub, where it can be waited for and ended", async () => {
    await place.serve()
    const ids = await Promise.all(
      [`return ${ADD}`, "await tools.demo.hang({})"].map(async code => {
        const { stdout, code: exit } = await place.cli(["run", "-e", code, "--background"])
        expect(exit).toBe(0)
        return stdout.trim()
      }),
    )
    const [done, hangs] = ids as [string, string]
    expect(await place.cli(["runs", done, "--wait"])).toMatchObject({ code: 0, stdout: '{\n  "sum": 3\n}\n' })
    expect(JSON.parse((await place.cli(["runs", hangs, "--wait", "50", "--json"])).stdout).status).toBe("running")
    expect((await place.cli(["runs", hangs, "--cancel"])).code).toBe(130)
    expect((await json<RunDetails>("runs", hangs)).status).toBe("cancelled")
    expect((await place.cli(["runs", "nothing"])).code).toBe(66)
  })

  it("N1 finishes elsewhere a run that waited when its hub was killed", async () => {
    const { child, ended } = await place.serve()
    const runId = runIdIn(await place.cli(["run", "-e", WIPE]))
    child.kill("SIGKILL")
    await ended
    const approved = await place.cli(["approvals", "approve", runId])
    expect(approved).toMatchObject({ code: 0, stdout: 'after\n{\n  "said": "wiped"\n}\n' })
    await place.serve()
    expect((await json<RunDetails>("runs", runId)).status).toBe("completed")
  })

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)("N2 asks on the terminal, and goes on", async () => {
    const command = `exec ${process.execPath} ${BIN} run -e '${WIPE}'`
    const child = spawn("script", ["-qfec", command, "/dev/null"], {
      cwd: place.folder,
      env: { PATH: process.env.PATH, HOME: place.base, NO_COLOR: "1", TERM: "xterm" },
      stdio: ["pipe", "pipe", "inherit"],
    })
    let shown = ""
    const ended = new Promise<number | null>(resolve => child.once("close", resolve))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const asked = shown.includes("Approve?")
      shown += text
      if (!asked && shown.includes("Approve?")) child.stdin.write("y\r")
    })
    expect(await ended).toBe(0)
    expect(shown).toContain("demo__wipe {}")
    expect(shown).toMatch(/after[\s\S]*"said": "wiped"/)
  })
})
