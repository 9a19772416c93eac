import { once } from "node:events"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { allGone, descendantsOf } from "../../../../tests/fixtures/processes.ts"
import { openTestSandbox } from "../../../../tests/fixtures/sandbox.ts"
import { startHost } from "../../../../tests/fixtures/sandbox-host.ts"
import { FRAME, type Frame, FrameReader } from "./frames.ts"
import { findBwrap, spawnSandbox } from "./spawn.ts"

const PATH = process.env.PATH
const NODE = process.execPath
const bwrap = findBwrap()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spawn-"))
})
afterEach(async () => {
  process.env.PATH = PATH
  process.execPath = NODE
  await rm(folder, { recursive: true })
})

/** A program of this name that only ends, first on the path. */
async function plant(name: string, code: number): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\nexit ${code}\n`)
  await chmod(file, 0o755)
  process.env.PATH = `${folder}${delimiter}${PATH}`
  return file
}

const ways = [
  { how: "without bwrap", program: false as string | false },
  { how: "with bwrap", program: bwrap },
]

describe.each(ways)("a sandbox process $how", ({ how, program }) => {
  const missing = how === "with bwrap" && !program

  it.skipIf(missing)("says that it is ready, and ends when its input ends", async () => {
    const child = spawnSandbox({ memoryMb: 64, bwrap: program })
    const reader = new FrameReader(1000)
    const ready = new Promise<Frame>(resolve => child.stdout?.on("data", piece => reader.push(piece, resolve)))
    expect(await ready).toMatchObject({ kind: FRAME.ready })
    const all = [child.pid as number, ...descendantsOf(child.pid as number)]
    child.stdin?.end()
    const [code] = await once(child, "exit")
    expect(code).toBe(0)
    await allGone(all)
  })

  it.skipIf(missing)("ends when the hub is killed, whatever a script may be doing in it", async () => {
    const host = await startHost("for (;;);", program !== false)
    host.child.kill("SIGKILL")
    await allGone(host.processes)
  })
})

describe("bwrap", () => {
  it.skipIf(process.platform !== "linux")("is the first on the path", async () => {
    const file = await plant("bwrap", 1)
    expect(findBwrap()).toBe(file)
    process.env.PATH = join(folder, "nothing")
    expect(findBwrap()).toBe(false)
  })

  it.skipIf(process.platform !== "linux")("that does not work is done without, with a warning", async () => {
    await plant("bwrap", 1)
    const sandbox = openTestSandbox({ size: 2 })
    expect(await sandbox.valueOf("return 1")).toBe(1)
    expect(sandbox.logged).toEqual([expect.stringMatching(/^warn: bwrap cannot be used here .*without it$/)])
    await sandbox.end()
  })
})

describe("a process that can't be started", () => {
  it.skipIf(process.platform === "win32")("fails the runs clearly, and is not tried for ever", async () => {
    process.execPath = await plant("node", 3)
    const sandbox = openTestSandbox({ size: 2, confine: false })
    const end = { how: "crashed", message: "the sandbox cannot be started: it ended with code 3" }
    expect(await Promise.all([sandbox.run("return 1").end, sandbox.run("return 2").end])).toEqual([end, end])
    await allGone(sandbox.pids)
    expect(sandbox.pids.length).toBeLessThanOrEqual(5)
    process.execPath = NODE
    expect(await sandbox.valueOf("return 3")).toBe(3)
    await sandbox.end()
  })

  it("is told even when the program is not there", async () => {
    const { execPath } = process
    process.execPath = await plant("gone", 0)
    const sandbox = openTestSandbox({ confine: false })
    await rm(process.execPath)
    process.execPath = execPath
    await sandbox.end()
    expect(sandbox.pids).toEqual([])
  })
})
