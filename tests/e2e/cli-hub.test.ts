/** `toolyard serve`, and how the other commands find it. */
import { spawn, spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BIN, entry, isAlive, openPlace, openWitness, type Place } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const pidOf = async (): Promise<number> => {
  const { stdout } = await place.cli(["servers", "--json"])
  return JSON.parse(stdout).servers[0].pid
}

describe("serve", { timeout: 60_000 }, () => {
  it("T1 says in one line of JSON where it is, before its servers are up", async () => {
    place.configure({ slow: entry("--mute"), demo: entry() })
    const { line, output, child, ended } = await place.serve()
    expect(line).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mcp: `${line.url}/mcp?token=${line.token}`,
      token: expect.stringMatching(/^[\w-]{20,}$/),
      pid: child.pid,
      servers: ["slow", "demo"],
    })
    child.kill("SIGTERM")
    await ended
    expect(output.stdout.trim().split("\n")).toHaveLength(1)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("T1 ends cleanly on %s: no child, no hub.json, exit 0", async signal => {
    place.configure({ demo: entry() })
    const { child, ended } = await place.serve()
    const pid = await pidOf()
    expect(isAlive(pid)).toBe(true)
    expect(statSync(`${place.folder}/.toolyard/hub.json`).mode & 0o777).toBe(0o600)
    child.kill(signal)
    expect((await ended).code).toBe(0)
    expect(isAlive(pid)).toBe(false)
    expect(place.has(".toolyard/hub.json")).toBe(false)
  })

  it("T1 ends at once at the second signal, and the child goes with it", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry("--stubborn", witness.flag) })
    const { child, ended } = await place.serve()
    const pid = await pidOf()
    try {
      child.kill("SIGTERM")
      child.kill("SIGINT")
      // Which of the two is delivered first is the kernel's choice.
      expect([130, 143]).toContain((await ended).code)
      expect(await witness.gone()).toBe(true)
    } finally {
      if (isAlive(pid)) process.kill(pid, "SIGKILL")
      witness.close()
    }
  })

  it("T1 keeps its servers warm: calls reach the same process", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag) })
    await place.serve()
    await place.cli(["call", "demo.nothing"])
    await place.cli(["call", "demo.nothing"])
    expect(witness.heard.map(({ what }) => what)).toEqual(["started", "called nothing", "called nothing"])
    expect(new Set(witness.heard.map(({ pid }) => pid)).size).toBe(1)
    witness.close()
  })

  it("takes its token from --token or TOOLYARD_TOKEN, and needs none with --no-auth", async () => {
    const hubs = await Promise.all([
      place.serve(["--token", "from-the-flag"]),
      place.serve([], { env: { TOOLYARD_TOKEN: "from-the-environment" } }),
      place.serve(["--no-auth"]),
    ])
    expect(hubs.map(({ line }) => line.token)).toEqual(["from-the-flag", "from-the-environment", undefined])
    expect(hubs[2].line.mcp).toBe(`${hubs[2].line.url}/mcp`)
    const refused = await place.cli(["serve", "--no-auth", "--host", "0.0.0.0", "--port", "0"])
    expect(refused.code).toBe(64)
  })

  it("says that this yard's hub already runs on that port", async () => {
    const { line } = await place.serve()
    const again = await place.cli(["serve", "--port", new URL(line.url).port, "--json"])
    expect(again).toMatchObject({ code: 69, stdout: "" })
    expect(JSON.parse(again.stderr.trim()).error).toMatchObject({
      code: "port_in_use",
      message: expect.stringContaining(`already runs at ${line.url} (process ${line.pid})`),
    })
  })

  it("says that somebody else has the port", async () => {
    place.configure({ demo: entry() })
    const stranger = createServer().listen(0, "127.0.0.1")
    await new Promise(resolve => stranger.once("listening", resolve))
    const { port } = stranger.address() as AddressInfo
    const ran = await place.cli(["serve", "--port", String(port), "--log-level", "silent"])
    stranger.close()
    expect(ran).toMatchObject({ code: 69, stdout: "" })
    expect(ran.stderr).toContain(`port ${port} on 127.0.0.1 is in use`)
  })

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)("tells a person how to connect a client", async () => {
    place.configure({ demo: entry() })
    // `script` gives it a terminal; it ends when the hub is told to.
    const command = `exec ${process.execPath} ${BIN} serve --port 0 --log-level silent`
    const child = spawn("script", ["-qfec", command, "/dev/null"], {
      cwd: place.folder,
      env: { PATH: process.env.PATH, HOME: place.base, NO_COLOR: "1", TERM: "xterm" },
      stdio: ["pipe", "pipe", "inherit"],
    })
    let shown = ""
    await new Promise<void>(resolve => {
      child.stdout.setEncoding("utf8").on("data", text => {
        shown += text
        if (shown.includes("Ctrl-C ends it.")) resolve()
      })
    })
    child.stdin.write("\x03")
    const code = await new Promise(resolve => child.once("close", resolve))
    expect(code).toBe(0)
    expect(shown).toMatch(/Toolyard is ready at http:\/\/127\.0\.0\.1:\d+\/mcp\?token=/)
    expect(shown).toMatch(/\{"mcpServers":\{"toolyard":\{"type":"http","url":"http/)
    expect(shown).toContain("claude mcp add --transport http toolyard http://127.0.0.1:")
    expect(shown).toMatch(/demo {2}up {2}stdio {2}8 tools/)
  })
})

describe("a running hub", { timeout: 60_000 }, () => {
  it("T2 is found through .toolyard/hub.json, from a folder below too", async () => {
    place.configure({ demo: entry() })
    const { line } = await place.serve()
    const pid = await pidOf()
    place.write("deep/down/file", "")
    const below = await place.cli(["servers", "--json"], { cwd: `${place.folder}/deep/down` })
    expect(JSON.parse(below.stdout).servers).toMatchObject([{ name: "demo", pid }])
    const doctor = await place.cli(["doctor"])
    expect(doctor.stdout).toContain(`runs at ${line.url}`)
  })

  it("T2 is found through TOOLYARD_URL, with the token in it or beside it", async () => {
    const other = openPlace()
    try {
      other.configure({ elsewhere: entry() })
      const { line } = await other.serve()
      const ways = [
        { TOOLYARD_URL: line.mcp },
        { TOOLYARD_URL: `${line.url}/?token=${line.token}` },
        { TOOLYARD_URL: line.url, TOOLYARD_TOKEN: line.token },
      ]
      const ran = await Promise.all(ways.map(env => place.cli(["call", "elsewhere.add", '{"a":1,"b":2}'], { env })))
      for (const one of ran) expect(one).toEqual({ code: 0, stdout: "3\n", stderr: "" })
      const stranger = await place.cli(["tools"], { env: { TOOLYARD_URL: line.url } })
      expect(stranger.code).toBe(77)
      expect(stranger.stderr).toContain("TOOLYARD_TOKEN")
    } finally {
      await other.close()
    }
  })

  it("T2 that TOOLYARD_URL names has to answer", async () => {
    const [silent, nonsense] = await Promise.all([
      place.cli(["tools", "--json"], { env: { TOOLYARD_URL: "http://127.0.0.1:9/mcp?token=hidden" } }),
      place.cli(["tools"], { env: { TOOLYARD_URL: "not a url" } }),
    ])
    expect(silent).toMatchObject({ code: 69, stdout: "" })
    expect(JSON.parse(silent.stderr).error).toMatchObject({
      code: "server_down",
      hint: expect.stringContaining("toolyard serve"),
    })
    expect(silent.stderr).not.toContain("hidden")
    expect(nonsense.code).toBe(64)
  })

  it("T2 that is gone is not missed: a stale hub.json is ignored", async () => {
    place.configure({ demo: entry() })
    const { child, ended, line } = await place.serve()
    child.kill("SIGKILL")
    await ended
    expect(place.has(".toolyard/hub.json")).toBe(true)
    const ran = await place.cli(["call", "demo.add", '{"a":1,"b":2}'])
    expect(ran).toEqual({ code: 0, stdout: "3\n", stderr: "" })
    const doctor = await place.cli(["doctor", "--json"])
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ what: "hub", status: "warning", message: expect.stringContaining("does not answer") }),
    )
    expect(doctor.stdout).not.toContain(line.token)
  })

  it("T2 on the port of one that is gone is not taken for it", async () => {
    place.configure({ demo: entry() })
    const first = await place.serve()
    first.child.kill("SIGKILL")
    await first.ended
    const other = openPlace()
    try {
      const { port } = new URL(first.line.url)
      await other.serve(["--port", port])
      const { code, stdout } = await place.cli(["tools", "demo"])
      expect(code).toBe(0)
      expect(stdout).toContain("demo__echo")
    } finally {
      await other.close()
    }
  })

  it("T2 belongs to the file it was started with", async () => {
    place.configure({ demo: entry() })
    place.write("other.json", { mcpServers: { other: entry() } })
    await place.serve(["--config", "other.json"])
    const [same, another] = await Promise.all([
      place.cli(["servers", "--json", "--config", "other.json"]),
      place.cli(["servers", "--json", "--config", "toolyard.json"]),
    ])
    expect(JSON.parse(same.stdout).servers).toMatchObject([{ name: "other" }])
    expect(JSON.parse(another.stdout).servers).toMatchObject([{ name: "demo" }])
  })

  it("shows new calls as they are made with logs --follow", async () => {
    place.configure({ demo: entry() })
    await place.serve()
    await place.cli(["call", "demo.nothing"])
    const following = place.start(["logs", "--follow", "--json"])
    const seen = (count: number): Promise<void> =>
      new Promise(resolve => {
        const look = (): void => {
          if (following.output.stdout.split("\n").length > count) resolve()
        }
        following.child.stdout.on("data", look)
        look()
      })
    await seen(1)
    await place.cli(["call", "demo.fail"])
    await seen(2)
    following.child.kill("SIGINT")
    const { code, stdout } = await following.ended
    expect(code).toBe(130)
    expect(
      stdout
        .trim()
        .split("\n")
        .map(line => JSON.parse(line).tool),
    ).toEqual(["demo__nothing", "demo__fail"])
  })
})
