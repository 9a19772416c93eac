/** A whole yard as one file: built, moved, verified and run. */
import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type HubLine, openPlace, type Place, SERVER } from "./run-cli.ts"

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { stdio: "ignore" }).status === 0

const PACKAGE = { name: "greet", version: "1.0.0", type: "module", exports: "./index.js" }

const MODULE = `
import { greet } from "greet"
import { twice } from "../lib/twice.ts"
/** Says hello, twice. */
export function hello(name: string): string {
  return twice(greet(name))
}`

/** A yard of everything that stands in one folder. */
function furnish(): void {
  place.configure({
    local: { command: process.execPath, args: ["bin/server.mjs"], description: "${NOT_SET:-a server}" },
    notes: {
      type: "static",
      tools: { hi: { text: "Hello {{name}}" } },
      resources: { "file://docs/a.md": {}, "variable://v": "kept" },
    },
    shout: { type: "command", command: process.execPath, args: ["bin/shout.mjs", "{{text}}"] },
  })
  mkdirSync(join(place.folder, "bin"))
  copyFileSync(SERVER, join(place.folder, "bin/server.mjs"))
  place.write("bin/shout.mjs", 'import { greet } from "greet"; process.stdout.write(greet(process.argv[2]))')
  place.write("node_modules/greet/package.json", PACKAGE)
  place.write("node_modules/greet/index.js", "export const greet = name => `${name.toUpperCase()}!`")
  place.write("docs/a.md", "# A\n")
  place.write("servers/polite.ts", MODULE)
  place.write("lib/twice.ts", "export const twice = (text: string): string => `${text} ${text}`")
}

/** Builds the image, takes it to another folder and removes the project. */
async function move(args: string[] = []) {
  const image = join(place.base, "elsewhere", "my.image")
  mkdirSync(join(place.base, "elsewhere"))
  const built = await place.cli(["image", "build", "-o", image, "--json", ...args])
  expect(built).toMatchObject({ code: 0, stderr: "" })
  rmSync(place.folder, { recursive: true })
  return { image, cwd: join(place.base, "elsewhere"), built: JSON.parse(built.stdout) }
}

async function run(image: string, args: string[], cwd: string) {
  const running = place.start(["image", "run", image, "--port", "0", "--log-level", "silent", ...args], { cwd })
  const line = new Promise<string>((resolve, reject) => {
    createInterface({ input: running.child.stdout }).once("line", resolve)
    void running.ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}:\n${stderr}`)))
  })
  const hub = JSON.parse(await line) as HubLine
  const call = (tool: string, args: unknown) =>
    place.cli(["call", tool, JSON.stringify(args)], { cwd, env: { TOOLYARD_URL: `${hub.url}/?token=${hub.token}` } })
  return { ...running, hub, call }
}

const images = (): string => join(place.base, ".cache", "toolyard", "images")

describe("an image", { timeout: 60_000 }, () => {
  it("V16 starts anywhere, when the folder that it was made of is gone", async () => {
    furnish()
    const { image, cwd, built } = await move()
    const { hub, call } = await run(image, ["--id", built.id], cwd)
    expect(hub.servers).toEqual(["local", "notes", "shout", "polite"])
    expect(await call("local.add", { a: 1, b: 2 })).toMatchObject({ code: 0, stdout: "3\n" })
    expect((await call("notes.hi", { name: "you" })).stdout).toBe("Hello you\n")
    expect((await call("shout.shout", { text: "hey" })).stdout).toBe("HEY!\n")
    expect((await call("polite.hello", { name: "you" })).stdout).toBe("YOU! YOU!\n")
    const root = join(images(), built.id)
    expect(existsSync(join(root, ".toolyard", "hub.json"))).toBe(true)
    expect(statSync(join(root, "docs/a.md")).mode & 0o777).toBe(0o444)
  })

  it.skipIf(!hasPython)("V16 starts anywhere with functions in Python, too (needs Python 3.9)", async () => {
    place.configure({})
    place.write(
      "servers/stats.py",
      "import sums\n\ndef mean(xs: list[float]) -> float:\n    return sums.of(xs) / len(xs)\n",
    )
    place.write("servers/sums/__init__.py", "def of(xs):\n    return sum(xs)\n")
    const { image, cwd, built } = await move()
    expect(built.needs.programs).toEqual(["python3"])
    const { call } = await run(image, [], cwd)
    expect((await call("stats.mean", { xs: [1, 2] })).stdout).toBe("1.5\n")
  })

  it("V16 runs read-only: nothing is written, and what changes things is refused", async () => {
    place.configure({
      notes: {
        type: "static",
        tools: {
          look: { text: "seen", annotations: { readOnlyHint: true } },
          erase: { text: "gone", annotations: { destructiveHint: true } },
        },
      },
    })
    const { image, cwd, built } = await move()
    const { call, child, ended } = await run(image, ["--read-only"], cwd)
    expect((await call("notes.look", {})).stdout).toBe("seen\n")
    const refused = await call("notes.erase", {})
    expect(refused.code).not.toBe(0)
    expect(refused.stdout + refused.stderr).toContain("read")
    expect(refused.stdout + refused.stderr).not.toContain("gone")
    child.kill("SIGTERM")
    await ended
    expect(readdirSync(join(images(), built.id))).toEqual(["toolyard.json"])
    expect(readdirSync(cwd)).toEqual(["my.image"])
  })

  it("V16 refuses to start if a byte differs, or it is another than was asked for", async () => {
    furnish()
    const { image, cwd, built } = await move()
    const bytes = readFileSync(image)
    const other = `${built.id.slice(0, -2)}${built.id.at(-2) === "a" ? "b" : "a"}${built.id.at(-1)}`
    expect((await place.cli(["image", "run", image, "--id", other], { cwd })).code).toBe(65)
    bytes[bytes.length - 3]! ^= 1
    writeFileSync(image, bytes)
    const [ran, seen] = await Promise.all([
      place.cli(["image", "run", image, "--json"], { cwd }),
      place.cli(["image", "inspect", image], { cwd }),
    ])
    expect(ran).toMatchObject({ code: 65, stdout: "" })
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: "image_invalid",
      message: expect.stringContaining("toolyard.json"),
    })
    expect(seen).toMatchObject({ code: 65, stdout: "" })
    expect(existsSync(images())).toBe(false)
  })

  it("mends what somebody changed in the folder where it was unpacked", async () => {
    furnish()
    const { image, cwd, built } = await move()
    const first = await run(image, [], cwd)
    first.child.kill("SIGTERM")
    await first.ended
    const file = join(images(), built.id, "node_modules/greet/index.js")
    rmSync(file)
    writeFileSync(file, "export const greet = () => 'changed'")
    const { call } = await run(image, [], cwd)
    expect((await call("shout.shout", { text: "hey" })).stdout).toBe("HEY!\n")
  })

  it("keeps its state where it is told to", async () => {
    place.configure({})
    const { image, cwd, built } = await move()
    const { hub, child, ended } = await run(image, ["--state-dir", "state"], cwd)
    expect(JSON.parse(readFileSync(join(cwd, "state/hub.json"), "utf8")).url).toBe(hub.url)
    child.kill("SIGTERM")
    await ended
    expect(existsSync(join(images(), built.id, ".toolyard"))).toBe(false)
    const again = await run(image, ["--state-dir", "state"], cwd)
    expect(again.hub.token).toBe(hub.token)
    expect((await place.cli(["image", "run", image, "--state-dir", "x", "--read-only"], { cwd })).code).toBe(64)
  })

  it("is kept among the blobs and run from there, with the contents and scripts of the yard", async () => {
    place.configure({})
    const uri = (await place.cli(["blobs", "put", "-"], { input: "from a blob" })).stdout.trim()
    place.configure({ notes: { type: "static", tools: { tell: { cid: uri.slice("cid://".length) } } } })
    expect((await place.cli(["scripts", "save", "six", "-"], { input: "return 6" })).code).toBe(0)
    const built = JSON.parse((await place.cli(["image", "build", "--put", "--json"])).stdout)
    expect(built).toMatchObject({ files: 1, blobs: 1, scripts: 1, blob: expect.stringMatching(/^cid:/) })
    const { call, hub } = await run(built.blob, ["--read-only"], place.folder)
    expect((await call("notes.tell", {})).stdout).toContain("from a blob")
    const script = await place.cli(["run", "--script", "six"], { env: { TOOLYARD_URL: hub.mcp } })
    expect(script.stdout).toBe("6\n")
  })

  it("tells what is in it, and what it needs of where it runs", async () => {
    place.configure({
      one: { command: "npx", args: ["-y", "thing"], env: { API_KEY: "${API_KEY}", TOKEN: "abc" } },
      two: { type: "http", url: "https://example.test/mcp" },
    })
    const built = await place.cli(["image", "build"])
    expect(built.code).toBe(0)
    const [id, size, ...needs] = built.stdout.trimEnd().split("\n")
    expect(id).toMatch(/^bafkrei[a-z2-7]{52}$/)
    expect(size).toBe(
      `1 file, ${statSync(join(place.folder, "yard.image")).size} bytes, in ${join(place.folder, "yard.image")}`,
    )
    expect(needs).toEqual([
      "needs the variables: API_KEY",
      "needs the programs: npx",
      "needs to reach: https://example.test/mcp",
    ])
    expect(built.stderr).toMatch(/^warning: one: TOKEN is written out, .+\n$/)
    const seen = await place.cli(["image", "inspect", "yard.image"])
    expect(seen.stdout).toContain(id)
    expect(seen.stdout).toMatch(/644 +\d+ +toolyard\.json/)
    expect(JSON.parse((await place.cli(["image", "inspect", "yard.image", "--json"])).stdout)).toMatchObject({
      id,
      config: "toolyard.json",
      files: [{ path: "toolyard.json", mode: "644" }],
    })
  })

  it("says what is wrong with the command line", async () => {
    const wrong: [args: string[], code: number][] = [
      [["buil"], 64],
      [["build"], 64],
      [["run"], 64],
      [["run", "absent.image"], 66],
      [["run", "cid://nonsense"], 64],
      [["inspect", "."], 66],
      [["build", "x"], 64],
    ]
    const ran = await Promise.all(wrong.map(([args]) => place.cli(["image", ...args])))
    expect(ran.map(({ code }) => code)).toEqual(wrong.map(([, code]) => code))
    expect(ran[0]!.stderr).toContain('did you mean "build"')
  })
})
