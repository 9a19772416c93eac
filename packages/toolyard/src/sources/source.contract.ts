/** What every source must do, whatever its type: one list of cases, run against each. */
import { tmpdir } from "node:os"
import { afterEach, describe, expect, it } from "vitest"
import { Call } from "../model/call.ts"
import type { Caller } from "../model/caller.ts"
import { YardError } from "../model/errors.ts"
import type { JsonObject } from "../model/json.ts"
import type { Source, SourceCache, SourceContext, YardAccess } from "../model/source.ts"

/** A source in front of something that offers these tools, and one that can't come up. */
export interface SourceUnderTest {
  open(): Promise<Source> | Source
  openBroken(): Promise<Source> | Source
  /** A tool that answers with text, its arguments, and the text. */
  echo: { tool: string; args: JsonObject; text: string }
  /** A tool that reports progress at least twice. */
  progress: { tool: string; args: JsonObject }
  /** A tool that takes longer than a second. */
  slow: { tool: string; args: JsonObject }
  /** A tool that fails by itself, with `isError`. */
  failing: { tool: string; args: JsonObject }
}

const CALLER: Caller = { surface: "library", principal: "test" }

class ListeningCall extends Call {
  override wantsProgress = true
  readonly heard: JsonObject[] = []

  override progress(params: JsonObject): void {
    this.heard.push(params)
  }
}

export function memoryCache(): SourceCache {
  const kept = new Map<string, JsonObject>()
  return { get: key => kept.get(key), set: (key, value) => void kept.set(key, structuredClone(value)) }
}

export function testContext(cache: SourceCache = memoryCache(), yard: Partial<YardAccess> = {}): SourceContext {
  const nothing: YardAccess = {
    root: tmpdir(),
    call: async (_call, tool) => {
      throw new YardError("unknown_tool", `there is no tool "${tool}"`)
    },
    blob: async () => undefined,
    putBlob: async bytes => `cid-of-${bytes.length}-bytes`,
  }
  return { cache, log: () => {}, start: Promise.resolve(), yard: { ...nothing, ...yard } }
}

export function describeSource(name: string, subject: SourceUnderTest): void {
  describe(`${name}: the contract of a source`, () => {
    const opened: Source[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(source => source.close()))
    })
    const open = async (): Promise<Source> => {
      const source = await subject.open()
      opened.push(source)
      await source.open(testContext())
      return source
    }

    it("is up after it was opened, and offers its tools as they are", async () => {
      const source = await open()
      expect(source.health().state).toBe("up")
      const tool = source.list()?.tools.find(({ name: known }) => known === subject.echo.tool)
      expect(tool).toMatchObject({ name: subject.echo.tool, inputSchema: expect.anything() })
    })

    it("answers a call with the raw result", async () => {
      const source = await open()
      const result = await source.call(subject.echo.tool, subject.echo.args, new Call(CALLER))
      expect(JSON.stringify(result.content)).toContain(subject.echo.text)
    })

    it("gives a tool's own failure as a result, not as an error", async () => {
      const source = await open()
      const result = await source.call(subject.failing.tool, subject.failing.args, new Call(CALLER))
      expect(result.isError).toBe(true)
    })

    it("rejects an unknown tool, or answers with an error, and goes on", async () => {
      const source = await open()
      const outcome = await source.call("no_such_tool", {}, new Call(CALLER)).catch((error: unknown) => error)
      expect(outcome instanceof YardError || (outcome as JsonObject).isError === true).toBe(true)
      await source.call(subject.echo.tool, subject.echo.args, new Call(CALLER))
    })

    it("reports progress before the result", async () => {
      const source = await open()
      const call = new ListeningCall(CALLER)
      await source.call(subject.progress.tool, subject.progress.args, call)
      expect(call.heard.length).toBeGreaterThanOrEqual(2)
    })

    it("ends a call at once when its caller leaves, with the caller's reason, and goes on", async () => {
      const source = await open()
      const call = new Call(CALLER)
      const calling = source.call(subject.slow.tool, subject.slow.args, call)
      const reason = new YardError("cancelled", "left")
      setImmediate(() => call.abort(reason))
      await expect(calling).rejects.toBe(reason)
      await source.call(subject.echo.tool, subject.echo.args, new Call(CALLER))
    })

    it("refuses a call whose caller has left already", async () => {
      const source = await open()
      const call = new Call(CALLER)
      call.abort(new YardError("cancelled", "gone"))
      await expect(source.call(subject.echo.tool, subject.echo.args, call)).rejects.toMatchObject({ code: "cancelled" })
    })

    it("serves many calls at once, each with its own answer", async () => {
      const source = await open()
      const results = await Promise.all(
        Array.from({ length: 20 }, () => source.call(subject.echo.tool, subject.echo.args, new Call(CALLER))),
      )
      for (const result of results) expect(JSON.stringify(result.content)).toContain(subject.echo.text)
    })

    it("fails calls with a typed error once it is closed; closing twice does no harm", async () => {
      const source = await open()
      await source.close()
      await source.close()
      await expect(source.call(subject.echo.tool, subject.echo.args, new Call(CALLER))).rejects.toBeInstanceOf(
        YardError,
      )
    })

    it("fails the calls under way when it is closed", async () => {
      const source = await open()
      const calling = source.call(subject.slow.tool, subject.slow.args, new Call(CALLER))
      const failed = expect(calling).rejects.toBeInstanceOf(YardError)
      await source.close()
      await failed
    })

    it("is down, not gone, when it can't come up: with a reason, a time for the next attempt, and typed errors", async () => {
      const source = await subject.openBroken()
      opened.push(source)
      const states: string[] = []
      source.on("health", ({ state }) => states.push(state))
      await source.open(testContext())
      expect(source.health()).toMatchObject({
        state: "down",
        reason: expect.stringMatching(/\S/),
        nextRetryAt: expect.any(Number),
      })
      expect(states).toContain("down")
      expect(source.list()).toBeUndefined()
      await expect(source.call("anything", {}, new Call(CALLER))).rejects.toMatchObject({ code: "server_down" })
    })
  })
}
