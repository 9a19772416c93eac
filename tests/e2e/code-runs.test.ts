/** Runs as their client follows them: progress, cancellation, the background, and values too large for a model. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stopAll, until } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients, ERAS } from "./mcp-clients.ts"

let yard: CodeYard
beforeAll(async () => {
  yard = await openCodeYard()
})
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const isHang = ({ method, params }: { method?: string; params: { name?: unknown } }): boolean =>
  method === "tools/call" && params.name === "hang"
/** The last call of `hang` that reached its server. */
async function hanging() {
  const puppet = await yard.stage.puppet(yard.entries.notes)
  return puppet.received.filter(isHang)
}

describe.each(ERAS)("a %s client", era => {
  let agent: Agent
  const open = async (): Promise<Agent> => {
    agent = await openAgent(yard.hub.url, era)
    return agent
  }

  it("is told of each inner call as it begins and ends", async () => {
    const { execute } = await open()
    const heard: string[] = []
    const code = `await tools.math.add({ a: 1, b: 1 })
      await tools.notes.break({}).catch(() => {})
      return "done"`
    const { value } = await execute({ code }, { onProgress: message => heard.push(message) })
    expect(value).toBe("done")
    expect(heard).toEqual(["calling math__add", "done: math__add", "calling notes__break", "failed: notes__break"])
  })

  it("ends the run and its inner calls when it cancels the request", async () => {
    const { execute, resume } = await open()
    const before = (await hanging()).length
    const ending = new AbortController()
    const running = execute("await tools.notes.hang({})\nreturn 'never'", { signal: ending.signal })
    running.catch(() => {})
    await until(async () => (await hanging()).length > before, "the inner call")
    const call = (await hanging()).at(-1)
    ending.abort()
    await expect(running).rejects.toThrow()
    await yard.heard(({ method, params }) => method === "notifications/cancelled" && params.requestId === call?.id)
    const { runs } = (await (await fetch(`${yard.hub.url}/api/runs?limit=1`)).json()) as { runs: { runId: string }[] }
    const { status, error, calls } = await resume({ runId: runs[0]?.runId as string })
    expect({ status, code: error?.code }).toEqual({ status: "cancelled", code: "cancelled" })
    expect(calls).toMatchObject([{ tool: "notes__hang" }])
  })

  it("gets a background run's id at once, and its value when it waits for it", async () => {
    const { execute, resume } = await open()
    const code = "await new Promise(resolve => setTimeout(resolve, 300))\nreturn 'worked'"
    const begun = await execute({ code, background: true })
    expect(begun).toMatchObject({ status: "running", isError: false })
    expect(begun.more).toContain(`resume with { runId: "${begun.runId}" }`)
    const soon = await resume({ runId: begun.runId, waitMs: 0 })
    expect(soon).toMatchObject({ runId: begun.runId, status: "running" })
    expect(soon).not.toHaveProperty("value")
    expect(await resume({ runId: begun.runId, waitMs: 20_000 })).toMatchObject({ status: "completed", value: "worked" })
    // Asked again, it says the same: nothing is forgotten in the same turn.
    expect(await resume({ runId: begun.runId })).toMatchObject({ status: "completed", value: "worked" })
  })

  it("gets a run's value directly when it ends within the time that was given for the background", async () => {
    const { execute } = await open()
    expect(await execute({ code: "return 1", background: 20_000 })).toMatchObject({ status: "completed", value: 1 })
  })

  it("gets a run's id when it has not ended within the time that was given", async () => {
    const { execute, resume } = await open()
    const begun = await execute({ code: "await tools.notes.hang({})", background: 50 })
    expect(begun).toMatchObject({ status: "running", calls: [{ tool: "notes__hang", status: "running" }] })
    expect(await resume({ runId: begun.runId, cancel: true })).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled" },
    })
  })

  it("may leave: a run in the background goes on", async () => {
    const { execute, client } = await open()
    const code =
      "await new Promise(resolve => setTimeout(resolve, 200))\nreturn (await tools.math.add({ a: 1, b: 1 })).sum"
    const { runId } = await execute({ code, background: true })
    await client.close()
    const other = await openAgent(yard.hub.url, era, { name: "another" })
    expect(await other.resume({ runId })).toMatchObject({ status: "completed", value: 2 })
  })

  it("may give up waiting: the run in the background goes on", async () => {
    const { execute, resume } = await open()
    const code = "await new Promise(resolve => setTimeout(resolve, 500))\nreturn 'in the end'"
    const { runId } = await execute({ code, background: true })
    const ending = new AbortController()
    const waiting = resume({ runId }, { signal: ending.signal })
    ending.abort()
    await expect(waiting).rejects.toThrow()
    expect(await resume({ runId })).toMatchObject({ status: "completed", value: "in the end" })
  })

  it("can end a run in the background, and its inner calls", async () => {
    const { execute, resume } = await open()
    const before = (await hanging()).length
    const { runId } = await execute({ code: "await tools.notes.hang({})", background: true })
    await until(async () => (await hanging()).length > before, "the inner call")
    const call = (await hanging()).at(-1)
    expect(await resume({ runId, cancel: true })).toMatchObject({ status: "cancelled" })
    await yard.heard(({ method, params }) => method === "notifications/cancelled" && params.requestId === call?.id)
    // Twice is harmless.
    expect(await resume({ runId, cancel: true })).toMatchObject({ status: "cancelled" })
  })

  it("gets progress of a run that it waits for", async () => {
    const { execute, resume } = await open()
    const code = "await new Promise(resolve => setTimeout(resolve, 300))\nawait tools.math.add({ a: 1, b: 1 })"
    const { runId } = await execute({ code, background: true })
    const heard: string[] = []
    await resume({ runId }, { onProgress: message => heard.push(message) })
    expect(heard).toEqual(["calling math__add", "done: math__add"])
  })
})

describe("a value that is too large for a model", () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await openAgent(yard.hub.url, "modern")
  })
  const CODE = "return { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` })), last: 'end' }"

  it("N3 comes as a valid, shortened view with the address of the whole, which can be read", async () => {
    const { status, value, more, text, runId } = await agent.execute(CODE)
    expect(status).toBe("completed")
    expect(JSON.stringify(value).length).toBeLessThan(150_000)
    expect(text.length).toBeLessThan(150_000)
    expect(value).toMatchObject({ last: "end" })
    const [uri] = /cid:\/\/\w+/.exec(more ?? "") ?? []
    expect(more).toContain(`results.get("${runId}")`)
    const { contents } = await agent.client.readResource({ uri: uri as string })
    const whole = JSON.parse((contents[0] as { text: string }).text) as { rows: { id: number }[] }
    expect(whole.rows).toHaveLength(20_000)
    expect(whole.rows.at(-1)).toEqual({ id: 19_999, name: "row 19999" })
  })

  it("N3 is whole in the next run, by the run's id and by its address", async () => {
    const { runId, more } = await agent.execute(CODE)
    const [uri] = /cid:\/\/\w+/.exec(more ?? "") ?? []
    for (const id of [runId, uri])
      expect(await agent.execute(`return (await results.get("${id}")).rows[12345].name`)).toMatchObject({
        value: "row 12345",
      })
  })

  it("N3 is a text that was cut, when it is a text", async () => {
    const { value, more } = await agent.execute("return 'word '.repeat(100_000)")
    expect(typeof value).toBe("string")
    expect((value as string).length).toBeLessThan(200_000)
    expect(more).toContain("cid://")
  })

  it("C5 is in the script as a shortened view too when it is larger than a source may give, with the whole at hand", async () => {
    const { value } = await agent.execute(`
      const { overflow, text } = await tools.math.big({ length: 6_000_000 })
      const whole = await results.get(overflow.uri)
      return [text.length < 6_000_000, overflow.size > 6_000_000, whole.content[0].text.length]`)
    expect(value).toEqual([true, true, 6_000_000])
  })

  it("N3 leaves no log or call behind without saying so", async () => {
    const { logs, calls, more, usage, runId } = await agent.execute(`
      for (let i = 0; i < 150; i++) await tools.math.add({ a: i, b: 0 })
      for (let i = 0; i < 5000; i++) console.log("line " + i)`)
    expect(usage.calls).toBe(150)
    expect(calls).toHaveLength(100)
    expect(calls.at(-1)?.id).toBe(150)
    expect(logs.at(-1)).toBe("line 4999")
    expect(more).toContain(`${5_000 - logs.length} earlier log lines`)
    expect(more).toContain("50 earlier calls")
    const kept = (await (await fetch(`${yard.hub.url}/api/runs/${runId}`)).json()) as { logs: []; calls: [] }
    expect([kept.logs.length, kept.calls.length]).toEqual([5_000, 150])
  })
})
