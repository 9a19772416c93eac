/** Runs of a hub that is stopped in good order: those that can wait do, the others say that they could not. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { RunReport, RunSummary } from "../../packages/toolyard/src/model/run.ts"
import { closeClients, connect, ERAS } from "../e2e/mcp-clients.ts"
import { type Hub, startHub, stopAll, tempFolder, until } from "../fixtures/hub.ts"
import { allGone, descendantsOf, linesOf } from "../fixtures/processes.ts"

afterEach(async () => {
  await closeClients()
  await stopAll()
})

const SERVER = fileURLToPath(new URL("../fixtures/effects-server.mjs", import.meta.url))
const ASKING = `
  await tools.effects.send({ name: "first" })
  await tools.effects.remove({ name: "second" })
  return "went on"`

interface Yard {
  folder: string
  effects(): string[]
  start(): Promise<Hub>
}

function openYard(): Yard {
  const folder = tempFolder()
  const effects = join(folder, "effects")
  const config = {
    mcpServers: { effects: { type: "stdio", command: process.execPath, args: [SERVER, effects] } },
    policy: { rules: [{ match: "effects__remove", do: "ask" }] },
  }
  return {
    folder,
    effects: () => linesOf(effects),
    async start() {
      const hub = await startHub(config, { folder })
      await hub.waitUp()
      return hub
    },
  }
}

async function post<T = RunReport>(hub: Hub, path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${hub.url}/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  return (await response.json()) as T
}
const runsOf = async (hub: Hub): Promise<RunSummary[]> =>
  ((await (await fetch(`${hub.url}/api/runs`)).json()) as { runs: RunSummary[] }).runs
const approve = (hub: Hub, runId: string): Promise<RunReport> =>
  post(hub, `runs/${runId}/resume`, { decision: "approve", waitMs: 20_000 })

describe("N1 a hub that is stopped", () => {
  it("leaves no process, and takes up a run that waited when it is started again", async () => {
    const yard = openYard()
    const first = await yard.start()
    const { runId, status } = await post(first, "runs", { code: ASKING })
    expect(status).toBe("waiting")
    const processes = descendantsOf(first.pid)
    expect(await first.stop()).toBe(0)
    await allGone(processes)
    const hub = await yard.start()
    expect(await runsOf(hub)).toMatchObject([{ runId, status: "waiting" }])
    expect(await approve(hub, runId)).toMatchObject({ status: "completed", value: "went on" })
    expect(yard.effects()).toEqual(["send first", "remove second"])
  })

  it.each(ERAS)("lets a run outlast the %s client whose user was being asked", async era => {
    const yard = openYard()
    const first = await yard.start()
    const client = await connect(`${first.url}/mcp/code`, era, { name: "agent", capabilities: { elicitation: {} } })
    const asked = Promise.withResolvers<void>()
    client.setRequestHandler("elicitation/create", () => {
      asked.resolve()
      return new Promise(() => {})
    })
    client.callTool({ name: "execute", arguments: { code: ASKING } }).catch(() => {})
    await asked.promise
    expect(await first.stop()).toBe(0)
    const hub = await yard.start()
    const [run] = await runsOf(hub)
    expect(run?.status).toBe("waiting")
    expect(await approve(hub, run!.runId)).toMatchObject({ status: "completed", value: "went on" })
    expect(yard.effects()).toEqual(["send first", "remove second"])
  })

  it("tells whoever waits that the run was interrupted", async () => {
    const yard = openYard()
    const first = await yard.start()
    const code = `await tools.effects.send({ name: "first" }); await new Promise(done => setTimeout(done, 60_000))`
    const answer = post(first, "runs", { code, timeoutMs: 100_000 })
    await until(() => yard.effects().length === 1, "the call")
    expect(await first.stop()).toBe(0)
    expect(await answer).toMatchObject({
      status: "failed",
      error: { code: "interrupted" },
      calls: [{ tool: "effects__send" }],
    })
    expect(await runsOf(await yard.start())).toMatchObject([{ status: "failed", error: { code: "interrupted" } }])
  })

  it("goes on with a run in the background, whose timer has run on meanwhile", async () => {
    const yard = openYard()
    const first = await yard.start()
    const code = `await new Promise(done => setTimeout(done, 1_000)); return "awake"`
    const { runId } = await post(first, "runs", { code, background: true })
    expect(await first.stop()).toBe(0)
    const hub = await yard.start()
    expect(await post(hub, `runs/${runId}/resume`, { waitMs: 20_000 })).toMatchObject({ value: "awake" })
  })
})
