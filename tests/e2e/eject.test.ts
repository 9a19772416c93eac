/** Servers as projects of their own: ejected by the command line, tested by themselves, and used by the SDK's client. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { openPlace, type Place } from "./run-cli.ts"

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const MODULES = resolve(import.meta.dirname, "../../node_modules")
const SECRET = "very-secret-value"

const API = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example/v1" }],
  security: [{ pet_key: [] }],
  components: { securitySchemes: { pet_key: { type: "apiKey", in: "header", name: "X-Key" } } },
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        responses: { 200: { description: "", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
}

function furnish(): void {
  place.configure({
    notes: { type: "static", tools: { hi: { text: "Hello {{name}}" } } },
    shout: {
      type: "command",
      command: process.execPath,
      args: ["bin/shout.mjs", "{{text}}"],
      env: { MODE: "${MODE}" },
    },
    math: { type: "module", file: "./servers/math.ts" },
    pets: { type: "openapi", spec: "./pets.json", auth: { pet_key: "${PET_KEY}" } },
    remote: { type: "http", url: "https://mcp.example/mcp" },
  })
  place.write("bin/shout.mjs", "process.stdout.write(process.argv[2].toUpperCase())")
  place.write("servers/math.ts", "/** Adds. */\nexport function add(a: number, b: number): number { return a + b }\n")
  place.write("pets.json", API)
}

/** Ejects it, and puts its packages where `npm install` would. */
async function eject(server: string): Promise<string> {
  const folder = join(place.base, server)
  const { code, stdout, stderr } = await place.cli(["eject", server, folder], {
    env: { MODE: SECRET, PET_KEY: SECRET },
  })
  expect(code, stderr).toBe(0)
  expect(stdout).toContain("npm test")
  mkdirSync(join(folder, "node_modules"))
  for (const name of ["@modelcontextprotocol", "zod"])
    symlinkSync(join(MODULES, name), join(folder, "node_modules", name))
  return folder
}

function everythingIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    name => !name.includes("node_modules"),
  )
  const files = names.map(name => join(folder, name)).filter(file => statSync(file).isFile())
  return files.map(file => readFileSync(file, "utf8")).join("\n")
}

const CASES = [
  { server: "notes", tool: "hi", args: { name: "Ada" }, gives: "Hello Ada" },
  { server: "shout", tool: "shout", args: { text: "quiet" }, gives: "QUIET" },
  { server: "math", tool: "add", args: { a: 1, b: 2 }, gives: "3" },
  { server: "pets", tool: "getPet", args: { id: 7 }, gives: '{"path":"/v1/pets/7","key":"[secret]"}' },
]

describe("toolyard eject", () => {
  it.each(CASES)(
    "B15 $server passes its tests and serves its tools without toolyard",
    async ({ server, tool, args, gives }) => {
      furnish()
      const folder = await eject(server)
      expect(everythingIn(folder)).not.toMatch(new RegExp(`toolyard|${SECRET}`, "i"))
      const tested = spawnSync(process.execPath, ["--test", "test/*.test.ts"], { cwd: folder, encoding: "utf8" })
      expect(tested.status, tested.stdout).toBe(0)

      const api = createServer(({ url, headers }, response) => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ path: url, key: headers["x-key"] }))
      })
      await new Promise<void>(done => api.listen(0, "127.0.0.1", done))
      const BASE_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`
      const env = { PATH: process.env.PATH ?? "", BASE_URL, PET_KEY: "at run time" }
      const client = new Client({ name: "test", version: "1" })
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [join(folder, "src/server.ts")], env }),
      )
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual([tool])
      expect(await client.callTool({ name: tool, arguments: args })).toMatchObject({
        content: [{ type: "text", text: gives }],
      })
      await client.close()
      await new Promise(done => api.close(done))
    },
  )

  it("B15 what it wrote serves over HTTP too, to clients of both eras", async () => {
    furnish()
    const folder = await eject("math")
    const child = spawn(process.execPath, ["src/server.ts", "--http", "0"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    })
    const url = await new Promise<string>(done => createInterface({ input: child.stderr }).once("line", done))
    for (const mode of ["legacy", "auto"] as const) {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(url)))
      const result = await client.callTool({ name: "add", arguments: { a: 2, b: 3 } })
      expect(result).toMatchObject({ structuredContent: { result: 5 } })
      await client.close()
    }
    const gone = new Promise(done => child.once("exit", done))
    child.kill()
    await gone
  })

  it("says what it wrote as JSON, and why it writes nothing", async () => {
    furnish()
    const { code, stdout } = await place.cli(["eject", "pets", "out", "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      server: "pets",
      type: "openapi",
      folder: join(place.folder, "out"),
      tools: ["getPet"],
      variables: [
        { name: "PET_KEY", required: false },
        { name: "BASE_URL", required: false },
      ],
    })
    const again = await place.cli(["eject", "notes", "out"])
    expect(again).toMatchObject({ code: 64, stderr: expect.stringMatching(/not empty.*--force/s) })
    const remote = await place.cli(["eject", "remote", "elsewhere"])
    expect(remote).toMatchObject({ code: 64, stderr: expect.stringMatching(/runs elsewhere/) })
    expect(readdirSync(place.folder)).not.toContain("elsewhere")
  })
})
