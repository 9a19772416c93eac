import { describe, expect, it } from "vitest"
import { YardError } from "../../model/errors.ts"
import { createInVain } from "./in-vain.ts"
import type { Gathered, Progress } from "./model.ts"

const progress: Progress = { step: () => {}, usage: () => {} }
const { signal } = new AbortController()

describe("what was tried in vain", () => {
  it("is not tried again as long as the same is read, unless it is forgotten", async () => {
    let markdown = "one"
    const read: Gathered = { pages: [], failures: [], whitelist: [], descriptions: [], warnings: [] }
    const attempts = createInVain(async () => ({ ...read, pages: [{ url: "https://docs.example/", markdown }] }))
    const gather = (): Promise<Gathered> => attempts.gather("", progress, signal)
    const error = new YardError("generation_failed", "hopeless")
    await gather()
    attempts.failed(error)
    await expect(gather()).rejects.toBe(error)
    markdown = "two"
    await gather()
    markdown = "one"
    await expect(gather()).rejects.toBe(error)
    attempts.forget()
    await gather()
  })
})
