import { describe, expect, it } from "vitest"
import { runInThread } from "./thread.ts"
import type { ThreadJob } from "./worker.ts"

const job = (text: string): ThreadJob => ({ kind: "graphql", bytes: Buffer.from(text), where: "schema.graphql" })

describe("work in a thread of its own", () => {
  it("gives what was made of the description", async () => {
    const json = await runInThread(job("type Query { a: Int }"), new AbortController().signal)
    expect(JSON.parse(json)).toMatchObject({ tools: [{ definition: { name: "a" } }] })
  })

  it("fails as the work did: with the code and the words of it", async () => {
    const failed = runInThread(job("type Query {"), new AbortController().signal)
    await expect(failed).rejects.toMatchObject({ code: "config_invalid", message: /schema\.graphql:1/ })
  })

  it("ends when it is not wanted any more, at once or under way", async () => {
    const reason = new Error("not wanted")
    await expect(runInThread(job("type Query { a: Int }"), AbortSignal.abort(reason))).rejects.toBe(reason)
    const control = new AbortController()
    const working = runInThread(job("type Query { a: Int }"), control.signal)
    control.abort(reason)
    await expect(working).rejects.toBe(reason)
  })
})
