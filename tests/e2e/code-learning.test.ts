/** Tools that don't say what they give: their result types are learned from their results. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHub, stopAll } from "../fixtures/hub.ts"
import { type Agent, type CodeYard, openAgent, openCodeYard } from "./code-yard.ts"
import { closeClients } from "./mcp-clients.ts"

let yard: CodeYard
let agent: Agent
beforeAll(async () => {
  yard = await openCodeYard()
  agent = await openAgent(yard.hub.url, "modern")
})
afterAll(async () => {
  await closeClients()
  await yard.close()
  await stopAll()
})

const lineOf = async (from: Agent): Promise<string> =>
  (await from.search({ query: "add note", limit: 1 })).signatures[0] as string

describe("the result type of a tool without an output schema", () => {
  it("N4 is any before its first call, and its shape from then on, marked as learned", async () => {
    expect(await lineOf(agent)).toContain("Promise<any>")
    await agent.execute("for (const title of ['a', 'b']) await tools.notes.addNote({ title })")
    expect(await lineOf(agent)).toContain("Promise<{ id?: number; title?: string } /* learned from 2 calls */>")
  })

  it("N4 keeps no value", async () => {
    await agent.execute("await tools.notes.addNote({ title: 'a secret of the user' })")
    const types = await (await fetch(`${yard.hub.url}/runtime/tools.d.ts?server=notes`)).text()
    expect(types).toContain("title?: string")
    expect(types).not.toContain("secret")
  })

  it("N4 does not stand in the way of a script that knows better", async () => {
    const code = "const note = await tools.notes.addNote({ title: 'x' })\nreturn [note.id + 1, note.more ?? 'none']"
    expect(await agent.execute(code)).toMatchObject({ status: "completed", value: [4, "none"] })
  })

  it("N4 learns nothing from failures, and nothing about a tool that says what it gives", async () => {
    await agent.execute("await tools.notes.break({}).catch(() => {}); await tools.math.add({ a: 1, b: 2 })")
    const types = await (await fetch(`${yard.hub.url}/runtime/tools.d.ts`)).text()
    expect((await agent.search({ query: "always fails", limit: 1 })).signatures[0]).toContain("Promise<any>")
    expect(types).toContain("sum: number")
  })

  it("N4 is remembered over a restart", async () => {
    const hub = await startHub(yard.config())
    const first = await openAgent(hub.url, "legacy")
    await first.execute("await tools.notes.addNote({ title: 'x' })")
    await hub.stop()
    const again = await startHub(yard.config(), { folder: hub.folder })
    await again.waitUp()
    expect(await lineOf(await openAgent(again.url, "legacy"))).toContain("title?: string")
    await again.stop()
  })
})
