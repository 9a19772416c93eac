/** The other process in the tests of the state: `node state.child.ts TASK DIR [N]`. Prints one line per finished step. */
import { writeSync } from "node:fs"
import { openState } from "./open.ts"

const [task, dir, count] = process.argv.slice(2)
// Synchronous, so that a line that was printed before a SIGKILL has reached the reader.
const say = (line: unknown) => writeSync(1, `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
const open = () => openState(dir, problem => say({ problem }))

/** Several children that are ready are told to go at once. */
async function wait(): Promise<void> {
  say("ready")
  await new Promise(resolve => process.stdin.once("data", resolve))
}

/** Adds one to the same counter, again and again. */
async function addUp(): Promise<void> {
  const state = await open()
  await wait()
  for (let i = 0; i < Number(count); i++) await state.store.update<number>("ns", "count", n => (n ?? 0) + 1)
  await state.close()
  say("done")
}

/** Writes of every kind without end, each acknowledged by its number. */
async function writeOn(): Promise<void> {
  const state = await open()
  for (let n = 0; ; n++) {
    await state.store.set("ns", `key ${n}`, { n })
    await state.store.append("stream", [{ n }, { n: n + 0.5 }])
    const { cid } = await state.blobs.put(`blob ${n} ${"x".repeat(n * 10)}`)
    say({ n, cid })
  }
}

/** Fills the disk, shows what the failures are and that the earlier data is there. */
async function fillUp(): Promise<void> {
  const state = await open()
  say({ kind: state.kind })
  await state.store.set("ns", "early", "here")
  const early = await state.blobs.put("early")
  const failure = async (write: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < 100; n++) {
      try {
        await write(n)
      } catch (error) {
        return error
      }
    }
    return "never full"
  }
  const big = "x".repeat(200_000)
  say({ blobs: await failure(n => state.blobs.put(big + n)) })
  say({ store: await failure(n => state.store.set("ns", `big ${n}`, big)) })
  say({ stream: await failure(() => state.store.append("s", [{ big }])) })
  say({ early: await state.store.get("ns", "early"), blob: (await state.blobs.get(early.cid))?.size })
  say({ again: (await open()).kind })
  await state.blobs.trim({ maxBytes: 0 })
  await state.store.set("ns", "late", "there")
  say({ late: await state.store.get("ns", "late") })
  await state.close()
}

/** Opens as somebody who may not write there. */
async function openAsNobody(): Promise<void> {
  // Loaded while everything can still be read.
  await Promise.all([import("./sqlite.ts"), import("./blobs-files.ts")])
  if (process.getuid?.() === 0) process.setuid?.(65534)
  const state = await open()
  await state.store.set("ns", "a", 1)
  say({ kind: state.kind, a: await state.store.get("ns", "a") })
}

/** Opens at the same moment as others. */
async function openTogether(): Promise<void> {
  await Promise.all([import("./sqlite.ts"), import("./blobs-files.ts")])
  await wait()
  await openOnce()
}

async function openOnce(): Promise<void> {
  const state = await open()
  await state.store.set("ns", `by ${process.pid}`, true)
  say({ kind: state.kind })
  await state.close()
}

const tasks: Record<string, () => Promise<void>> = { addUp, writeOn, fillUp, openAsNobody, openTogether, openOnce }
await tasks[String(task)]!()
