/** `toolyard stdio`: the hub as an MCP server that a client starts. */
import { once } from "node:events"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BIN, entry, isAlive, openPlace, openWitness, type Place } from "./run-cli.ts"

let place: Place
let client: Client | undefined
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await client?.close()
  client = undefined
  await place.close()
})

async function connect(era: "legacy" | "modern", ...args: string[]): Promise<Client> {
  const versionNegotiation = { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } as const
  client = new Client({ name: "test", version: "1" }, { versionNegotiation })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "stdio", ...args],
      cwd: place.folder,
      env: { HOME: place.base, PATH: process.env.PATH ?? "" },
      stderr: "ignore",
    }),
  )
  return client
}

describe("stdio", { timeout: 60_000 }, () => {
  it.each(["legacy", "modern"] as const)(
    "G1 offers every server's tools at the first listing, to a %s client",
    async era => {
      place.configure({ demo: { ...entry(), include: ["add"] }, broken: entry("--crash") })
      const yard = await connect(era)
      const { tools } = await yard.listTools()
      expect(tools.map(({ name }) => name)).toEqual(["demo__add"])
      const result = await yard.callTool({ name: "demo__add", arguments: { a: 1, b: 2 } })
      expect(result.content).toEqual([{ type: "text", text: "3" }])
    },
  )

  it("G1 offers one server alone under its own names with --server", async () => {
    place.configure({ demo: { ...entry(), include: ["add"] }, other: entry() })
    const yard = await connect("legacy", "--server", "demo")
    expect((await yard.listTools()).tools.map(({ name }) => name)).toEqual(["add"])
    expect((await yard.callTool({ name: "add", arguments: { a: 1, b: 2 } })).content).toEqual([
      { type: "text", text: "3" },
    ])
  })

  it("names the nearest server when there is none of that name", async () => {
    place.configure({ demo: entry() })
    const ran = await place.cli(["stdio", "--server", "dmo"])
    expect(ran).toMatchObject({ code: 66, stdout: "" })
    expect(ran.stderr).toContain('did you mean "demo"?')
  })

  it("G1 ends when its input ends, with nothing but the protocol on stdout and no child left", async () => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag), broken: entry("--crash") })
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    }
    const running = place.start(["stdio", "--log-level", "debug"])
    running.child.stdin.write(`${JSON.stringify(initialize)}\n`)
    await new Promise(resolve => running.child.stdout.once("data", resolve))
    const pid = await witness.until("started")
    // Logs are written meanwhile, and not to stdout.
    while (!running.output.stderr.includes("broken is down")) await once(running.child.stderr, "data")
    running.child.stdin.end()
    const { code, stdout } = await running.ended
    witness.close()
    expect(code).toBe(0)
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" })
    expect(isAlive(pid)).toBe(false)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("G1 leaves no child when it is ended by %s", async signal => {
    const witness = await openWitness()
    place.configure({ demo: entry(witness.flag) })
    const running = place.start(["stdio"])
    const pid = await witness.until("started")
    running.child.kill(signal)
    const { stdout } = await running.ended
    witness.close()
    expect(stdout).toBe("")
    expect(isAlive(pid)).toBe(false)
  })
})
