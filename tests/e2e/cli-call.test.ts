/** `toolyard call`: what goes in, what comes out, and how it ends. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { entry, isAlive, openPlace, openWitness, type Place } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
  place.configure({ demo: entry(), broken: entry("--crash"), mute: entry("--mute") })
})
afterEach(() => place.close())

/** The same promises hold with a hub and without one. */
describe.each(["in this process", "through a hub"])("call %s", { timeout: 60_000 }, where => {
  beforeEach(async () => {
    if (where === "through a hub") await place.serve()
  })

  it("C5 joins text blocks, prints other blocks as JSON, and says when there is nothing", async () => {
    const [mixed, nothing] = await Promise.all([place.cli(["call", "demo.mixed"]), place.cli(["call", "demo.nothing"])])
    const resource = '{"type":"resource","resource":{"uri":"test://one","mimeType":"text/plain","text":"inside"}}'
    expect(mixed).toEqual({ code: 0, stdout: `first\nsecond\n${resource}\n`, stderr: "" })
    expect(nothing).toEqual({ code: 0, stdout: "(no output)\n", stderr: "" })
  })

  it("starts what the tool itself calls, and nothing else", async () => {
    const notes = { type: "static", tools: { sum: { call: "demo__add", arguments: { a: 1, b: 2 } } } }
    place.configure({ demo: entry(), broken: entry("--crash"), notes })
    expect(await place.cli(["call", "notes.sum"])).toMatchObject({ code: 0, stdout: "3\n" })
  })

  it("C5 puts a failed tool's text on stderr and exits with 1", async () => {
    const [text, json] = await Promise.all([
      place.cli(["call", "demo.fail"]),
      place.cli(["call", "demo.fail", "--json"]),
    ])
    expect(text).toEqual({ code: 1, stdout: "", stderr: "the disk is full\n" })
    expect(json).toMatchObject({ code: 1, stderr: "" })
    expect(JSON.parse(json.stdout)).toEqual({ content: [{ type: "text", text: "the disk is full" }], isError: true })
  })

  it("takes arguments as JSON, from stdin and one by one, under either name of a tool", async () => {
    const ran = await Promise.all([
      place.cli(["call", "demo.add", '{"a": 1, "b": 2}']),
      place.cli(["call", "demo__add", "-"], { input: '{"a": 1, "b": 2}' }),
      place.cli(["call", "demo.add", "--arg", "a=1", "--arg", "b=2"]),
      place.cli(["call", "demo.add", '{"a": 1}', "--arg", "b=2"]),
      place.cli(["call", "demo.echo", "--arg", "text=3"]),
    ])
    for (const one of ran) expect(one).toEqual({ code: 0, stdout: "3\n", stderr: "" })
  })

  it("prints the whole result with --json", async () => {
    const { stdout } = await place.cli(["call", "demo.add", '{"a": 1, "b": 2}', "--json"])
    expect(JSON.parse(stdout)).toEqual({ content: [{ type: "text", text: "3" }], structuredContent: { sum: 3 } })
  })

  it("refuses arguments that don't fit, and says which", async () => {
    const [missing, broken, list, pair] = await Promise.all([
      place.cli(["call", "demo.add", '{"a": 1}']),
      place.cli(["call", "demo.add", "{a: 1}"]),
      place.cli(["call", "demo.add", "[]"]),
      place.cli(["call", "demo.add", "--arg", "=secret"]),
    ])
    expect(missing.code).toBe(65)
    expect(missing.stderr).toContain('"b" is missing')
    for (const { code } of [broken, list, pair]) expect(code).toBe(64)
    expect(pair.stderr).not.toContain("secret")
  })

  it("V14 says that a call took too long, and after what time", async () => {
    const { code, stderr } = await place.cli(["call", "demo.hang", "--timeout", "200", "--json"])
    expect(code).toBe(75)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "timeout",
      message: "demo__hang did not answer within 200 ms",
      hint: expect.stringContaining("--timeout"),
    })
  })

  it("refuses a tool that changes things with --read-only", async () => {
    const [refused, allowed] = await Promise.all([
      place.cli(["call", "demo.wipe", "--read-only", "--json"]),
      place.cli(["call", "demo.wipe"]),
    ])
    expect(refused.code).toBe(77)
    expect(JSON.parse(refused.stderr).error.code).toBe("read_only")
    expect(allowed.stdout).toBe("wiped\n")
  })

  it("C4 says why when the tool's server is down", async () => {
    const { code, stderr } = await place.cli(["call", "broken.anything", "--json"])
    expect(code).toBe(69)
    const { error } = JSON.parse(stderr)
    expect(error).toMatchObject({ code: "server_down", message: expect.stringContaining("cannot open the database") })
  })

  it("records the call in the audit under the name cli", async () => {
    await place.cli(["call", "demo.fail"])
    const [rows, table] = await Promise.all([place.cli(["logs", "--json"]), place.cli(["logs", "demo"])])
    expect(JSON.parse(rows.stdout).rows).toMatchObject([{ tool: "demo__fail", outcome: "tool-error", client: "cli" }])
    expect(table.stdout).toMatch(/demo__fail +tool-error +[\d.]+ ms/)
    if (where === "through a hub") expect(table.stdout).toContain("demo | called fail")
    else expect(table.stderr).toContain("No hub is running")
  })
})

describe("call", { timeout: 60_000 }, () => {
  it("follows a rule of the policy about the command line, with a hub and without", async () => {
    place.configure({ demo: entry() }, { policy: { rules: [{ match: "demo__echo", caller: "cli", do: "deny" }] } })
    const alone = await place.cli(["call", "demo.echo", "--arg", "text=x"])
    await place.serve()
    const hub = await place.cli(["call", "demo.echo", "--arg", "text=x"])
    expect([alone.code, hub.code]).toEqual([77, 77])
  })

  it("starts only the server that the tool belongs to", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag), other: entry(witness.flag, "--crash") })
    await place.cli(["call", "demo.nothing"])
    witness.close()
    expect(witness.heard.map(({ what }) => what)).toEqual(["started", "called nothing"])
  })

  it("ends with 130 on Ctrl-C, and leaves no child, however stubborn", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag, "--stubborn") })
    const running = place.start(["call", "demo.hang"])
    const pid = await witness.until("called hang")
    running.child.kill("SIGINT")
    expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "" })
    expect(isAlive(pid)).toBe(false)
    witness.close()
  })

  it("cancels the call at the hub on Ctrl-C, and the hub goes on", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag) })
    await place.serve()
    const running = place.start(["call", "demo.hang"])
    const pid = await witness.until("called hang")
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
    const after = await place.cli(["call", "demo.nothing"])
    expect(after.stdout).toBe("(no output)\n")
    const { rows } = JSON.parse((await place.cli(["logs", "--json"])).stdout)
    expect(rows).toMatchObject([{ tool: "demo__hang", code: "cancelled" }, { tool: "demo__nothing" }])
    expect(isAlive(pid)).toBe(true)
    witness.close()
  })
})
