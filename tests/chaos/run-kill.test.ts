/**
 * A hub that is killed at every single message between it and the sandbox: after the next start the run has ended with
 * a reason, or goes on; it is never lost, and no effect happens twice without the script being told.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import type { RunDetails, RunReport, RunSummary } from "../../packages/toolyard/src/model/run.ts"
import { type Hub, startHub, stopAll, tempFolder } from "../fixtures/hub.ts"
import { linesOf } from "../fixtures/processes.ts"

afterAll(stopAll)

const SERVER = fileURLToPath(new URL("../fixtures/effects-server.mjs", import.meta.url))
const PRELOAD = new URL("../fixtures/kill-at-frame.mjs", import.meta.url).href

/** Every message must have been the last one in some life. */
const KINDS = [
  "start",
  "restore",
  "answer",
  "failure",
  "stop",
  "snapshot",
  "call",
  "log",
  "value",
  "stopped",
  "snapshotted",
]
/** More messages than any run of the script below has. */
const ENOUGH = 60
const CHECKED = 6

/** Says of each of its calls whether it was made, as far as it knows. */
const codeOf = (prefix: string): string => `
  const told: Record<string, string> = {}
  const attempt = async (name: string, call: Promise<unknown>) => {
    told[name] = await call.then(() => "ok", error => error.code)
  }
  console.log("begin")
  await attempt("send ${prefix}1", tools.effects.send({ name: "${prefix}1" }))
  await attempt("put ${prefix}2", tools.effects.put({ name: "${prefix}2" }))
  await attempt("fail ${prefix}3", tools.effects.fail({ name: "${prefix}3" }))
  await new Promise<void>(done => setTimeout(done, 1))
  await Promise.all([
    attempt("send ${prefix}4", tools.effects.send({ name: "${prefix}4" })),
    attempt("put ${prefix}5", tools.effects.put({ name: "${prefix}5" })),
  ])
  console.log("ask")
  await attempt("remove ${prefix}6", tools.effects.remove({ name: "${prefix}6" }))
  await attempt("send ${prefix}7", tools.effects.send({ name: "${prefix}7" }))
  console.log("end")
  return told`

interface Yard {
  folder: string
  /** The lines of the one file that is never wrong. */
  effects(): string[]
  killedAt(): string[]
  start(): Promise<Hub>
  arm(at: number, how: string): void
  disarm(): void
}

function openYard(): Yard {
  const folder = tempFolder()
  const effects = join(folder, "effects")
  const plan = join(folder, "kill")
  const config = {
    mcpServers: { effects: { type: "stdio", command: process.execPath, args: [SERVER, effects] } },
    policy: { rules: [{ match: "effects__remove", do: "ask" }] },
  }
  const env = { NODE_OPTIONS: `--import ${PRELOAD}`, TOOLYARD_KILL_FILE: plan }
  return {
    folder,
    effects: () => linesOf(effects),
    killedAt: () => linesOf(`${plan}.log`),
    async start() {
      const hub = await startHub(config, { folder, env })
      await hub.waitUp()
      return hub
    },
    arm: (at, how) => writeFileSync(plan, JSON.stringify({ at, how })),
    disarm: () => rmSync(plan, { force: true }),
  }
}

async function ask<T>(hub: Hub, path: string, body?: object): Promise<T> {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }
  const response = await fetch(`${hub.url}/api/${path}`, init)
  const answer = (await response.json()) as T
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

/** Approves what is asked, and waits for the end. */
async function toEnd(hub: Hub, runId: string): Promise<RunReport> {
  for (;;) {
    const report = await ask<RunReport>(hub, `runs/${runId}/resume`, { waitMs: 20_000 })
    if (report.status === "waiting") await ask(hub, `runs/${runId}/resume`, { decision: "approve", waitMs: 0 })
    else if (report.status !== "running") return report
  }
}

/** Resolves to whether it came to its end before the hub was killed. */
async function untilKilled(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    // The connection went with the hub; anything else is a failure of its own.
    if (!(error instanceof TypeError)) throw error
    return false
  }
}

/** What must be true of every run, whatever was done to its hub. */
async function examine(hub: Hub, { effects }: Yard, prefix: string, background: boolean): Promise<void> {
  const mine = (): string[] => effects().filter(line => line.split(" ")[1]?.startsWith(prefix))
  const { runs } = await ask<{ runs: RunSummary[] }>(hub, "runs?limit=1000")
  const { runId, status } = runs[0] as RunSummary
  expect(["completed", "failed", "waiting", "running"]).toContain(status)
  if (status === "waiting") expect(mine()).not.toContain(`remove ${prefix}6`)

  await toEnd(hub, runId)
  const { status: ended, error, value, calls, logs } = await ask<RunDetails>(hub, `runs/${runId}`)
  const made = calls.map(({ tool, args }) => `${tool.split("__")[1]} ${(args as { name: string }).name}`)
  expect(made).toEqual([...new Set(made)])
  expect(calls.filter(call => call.status === "running" || call.status === "waiting")).toEqual([])
  for (const effect of mine()) {
    // All that happened is in the record, and what must not happen twice did not.
    expect(made).toContain(effect)
    if (!effect.startsWith("put") && !effect.startsWith("fail"))
      expect(mine().filter(line => line === effect)).toHaveLength(1)
  }
  // Only whoever waits for the end can be left without it.
  if (background || ended === "completed") {
    expect(ended).toBe("completed")
    const told = value as Record<string, string>
    expect(Object.keys(told).sort()).toEqual([...made].sort())
    for (const [name, how] of Object.entries(told)) {
      if (name.startsWith("fail")) expect(how).toBe("tool_error")
      else if (name.startsWith("put")) expect(how).toBe("ok")
      else expect(["ok", "interrupted"]).toContain(how)
      if (how !== "interrupted") expect(mine()).toContain(name)
    }
    expect(logs.map(({ text }) => text)).toEqual(["begin", "ask", "end"])
  } else {
    expect(ended).toBe("failed")
    expect(error).toMatchObject({ code: "interrupted", message: expect.stringContaining("toolyard was stopped") })
  }
}

/** The hub that takes the run up is killed as well, if it comes that far. */
async function killAgain(yard: Yard, at: number, how: string): Promise<void> {
  yard.arm(at, how)
  await untilKilled(async () => {
    const hub = await yard.start()
    const { runs } = await ask<{ runs: RunSummary[] }>(hub, "runs?limit=1")
    await toEnd(hub, runs[0]?.runId as string)
    await hub.kill("SIGKILL")
  })
  yard.disarm()
}

describe("N1 a hub that is killed at any message to or from the sandbox", () => {
  const killed = new Set<string>()

  // Every message is the last one of a run in the foreground, and of one in the background.
  it.concurrent.each([
    { place: "foreground", when: "before it is passed on", how: "before", first: 1, step: 2, again: 0 },
    { place: "foreground", when: "after it was passed on", how: "after", first: 2, step: 2, again: 0 },
    { place: "background", when: "before it is passed on", how: "before", first: 1, step: 2, again: 0 },
    { place: "background", when: "after what follows at once", how: "later", first: 1, step: 1, again: 0 },
    { place: "background", when: "and soon after again", how: "later", first: 3, step: 3, again: 8 },
  ])(
    "$when: a run in the $place is completed, waits, or has failed with a reason",
    async ({ place, how, first, step, again }) => {
      const yard = openYard()
      const background = place === "background"
      let hub = await yard.start()
      let count = 0
      for (let number = first, isOver = false; !isOver; number += step) {
        count++
        expect(number).toBeLessThan(ENOUGH)
        const prefix = `${number}-`
        yard.arm(number, how)
        // The compiler takes most of the time of a start, and matters until the first call is made.
        const check = !background && number <= CHECKED
        isOver = await untilKilled(async () => {
          const { runId } = await ask<RunReport>(hub, "runs", { code: codeOf(prefix), background, check })
          await toEnd(hub, runId)
        })
        if (!isOver && again) await killAgain(yard, 1 + (number % again), how)
        if (!isOver) hub = await yard.start()
        await examine(hub, yard, prefix, background)
      }
      // None was lost on the way.
      const { runs } = await ask<{ runs: RunSummary[] }>(hub, "runs?limit=1000")
      expect(runs).toHaveLength(count)
      expect(runs.filter(({ endedAt }) => endedAt === undefined)).toEqual([])
      for (const kind of yard.killedAt()) killed.add(kind)
      expect(await hub.stop()).toBe(0)
    },
    480_000,
  )

  it("was killed at messages of every kind", () => {
    expect([...killed].sort()).toEqual([...KINDS].sort())
  })
})
